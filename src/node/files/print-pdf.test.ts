import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test, vi } from 'vitest'
import { printPdf } from './print-pdf.js'

type Ended = (error: object | null, out: string, err: string) => void
/** Browsers that are called for, and how each ends: unless told, it is not there. */
const browsers = vi.hoisted(() => ({
  called: [] as { program: string; args: readonly string[]; options: unknown; page: string; mode: number }[],
  ends: {} as Record<string, [error: object | null, err: string]>,
}))
vi.mock('node:child_process', () => ({
  execFile(program: string, args: readonly string[], options: unknown, ended: Ended) {
    const page = fileURLToPath(args.at(-1)!)
    const mode = statSync(page).mode & 0o777
    browsers.called.push({ program, args, options, page: readFileSync(page, 'utf8'), mode })
    const [error, err] = browsers.ends[program] ?? [{ code: 'ENOENT' }, '']
    ended(error, '', err)
  },
}))
beforeEach(() => {
  browsers.called.length = 0
  browsers.ends = {}
})
const programs = (): string[] => browsers.called.map(({ program }) => program)

test('the first browser that is there prints the page, which nobody else may read, and which is gone then', async () => {
  browsers.ends = { 'google-chrome': [null, ''] }
  await printPdf('<p>', '/out/x.pdf')
  expect(programs()).toEqual(['chromium', 'chromium-browser', 'google-chrome'])
  const [{ args, options, page, mode }] = browsers.called as [(typeof browsers.called)[number]]
  const work = /^--user-data-dir=(.*)$/.exec(args[4]!)![1]!
  expect(args).toEqual([
    ...['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', `--user-data-dir=${work}`],
    ...['--print-to-pdf=/out/x.pdf', `file://${work}/report.html`],
  ])
  expect([options, page, mode]).toEqual([{ encoding: 'utf8', timeout: 120_000 }, '<p>', 0o600])
  expect(existsSync(work)).toBe(false)
})

test.each([
  ['a note\nno room on the disk\n', 'no room on the disk'],
  ['', 'it ended'],
])('one that fails says why, by the end of what it wrote (%j), and no other is tried', async (err, why) => {
  browsers.ends = { chromium: [{ code: 21, message: 'it ended' }, err] }
  await expect(printPdf('<p>', '/out/x.pdf')).rejects.toThrow(
    `chromium did not print /out/x.pdf: ${why}; print report.html yourself`,
  )
  expect(programs()).toEqual(['chromium'])
})

test('without a browser it is said which were looked for', async () => {
  await expect(printPdf('<p>', '/out/x.pdf')).rejects.toThrow(
    'no browser was found that prints PDF (chromium, chromium-browser, google-chrome, chrome); install Chromium, or print report.html yourself',
  )
  expect(programs()).toHaveLength(4)
})
