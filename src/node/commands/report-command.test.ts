import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { documentWith, questionWith, resultWith } from '../../../test/audit-results.js'
import { runReport } from './report-command.js'

const printed = vi.hoisted(() => ({ texts: [] as string[], pdfs: [] as string[][] }))
vi.mock('../print.js', () => ({
  print: async (text: string) => printed.texts.push(text),
  printJson: async (value: unknown) => printed.texts.push(JSON.stringify(value)),
}))
vi.mock('../files/print-pdf.js', () => ({
  printPdf: async (html: string, out: string) =>
    printed.pdfs.push([html.includes('ann-1987') ? 'people' : 'nobody', out]),
}))

const folder = mkdtempSync(join(tmpdir(), 'overhear-report-command-'))
afterAll(() => rmSync(folder, { recursive: true }))
const run = join(folder, 'run')
mkdirSync(run)
const questions = [questionWith({ exposed: { ids: ['ann-1987'], of: 9 } })]
writeFileSync(join(run, 'audit.json'), JSON.stringify(documentWith([resultWith()], { questions })))
beforeEach(() => {
  printed.texts.length = 0
  printed.pdfs.length = 0
})

test('a report is written beside the run for its owner alone, and named as it can be opened from here', async () => {
  expect(await runReport([run])).toBe(0)
  const path = join(run, 'report.html')
  expect(printed.texts).toEqual([`report: ${path}`])
  expect(readFileSync(path, 'utf8')).toContain('ann-1987')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await runReport([run, '--redact', '--json'])
  expect(JSON.parse(printed.texts[1]!)).toEqual({ report: join(run, 'report-redacted.html'), redacted: true })
  expect(readFileSync(join(run, 'report-redacted.html'), 'utf8')).not.toContain('ann-1987')
  await runReport([run, '--out', join(folder, 'x.html'), '--redact'])
  expect(printed.texts[2]).toBe(`report: ${join(folder, 'x.html')}, without people`)
})

test('a PDF is without people unless somebody says so', async () => {
  const own = join(folder, 'own.pdf')
  await runReport([run, '--pdf'])
  await runReport([run, '--out', own])
  await runReport([run, '--out', own, '--whole'])
  expect(printed.pdfs).toEqual([
    ['nobody', join(run, 'report.pdf')],
    ['nobody', own],
    ['people', own],
  ])
  expect(printed.texts).toEqual([
    `report: ${join(run, 'report.pdf')}, without people`,
    `report: ${own}, without people`,
    `report: ${own}`,
  ])
})

test('what cannot be is refused', async () => {
  await expect(runReport([])).rejects.toThrow('report what?; give the folder of a run')
  await expect(runReport([run, '--redact', '--whole'])).rejects.toThrow('--redact was given with --whole; choose one')
  await expect(runReport([run, '--out', join(folder, 'no', 'x.html')])).rejects.toThrow(join(folder, 'no', 'x.html'))
})
