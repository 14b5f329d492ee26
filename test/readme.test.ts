import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { AuditDocument } from '../src/audit/document.js'
import { auditText } from '../src/report/audit-text.js'
import { ladderPlot } from '../src/report/ladder-plot.js'
import { picturePath, readmePicture } from '../tools/readme-picture.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [readmePath, firstAuditPath] = [`${root}README.md`, `${root}docs/first-audit.md`]
const readme = readFileSync(readmePath, 'utf8')
const firstAudit = readFileSync(firstAuditPath, 'utf8')
const scripts = (JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> }).scripts
const update = process.env.UPDATE_DOCS !== undefined

/** The first fenced block of a language ('' for a block without one). */
function block(page: string, language: 'sh' | 'ts' | 'text' | ''): string {
  for (const [, name, body] of page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) if (name === language) return body!
  throw new Error(`the page has no block of "${language}"`)
}
const replaced = (page: string, language: 'text' | '', shown: string): string =>
  page.replace(block(page, language), () => shown)

const place = 'report: runs/cps-wages-.../report.html'

/** Runs the command behind `npm start` in a folder of its own, so that nothing is taken from an earlier run. */
function start(out: string): { readonly shown: string; readonly audit: AuditDocument } {
  const [program, ...args] = scripts.start!.split(' ')
  expect(program).toBe('node')
  // A busy machine may be slow: the limit of time is none of what is shown.
  const patient = ['--out', out, '--quiet', '--seconds-per-attack', '600']
  const { stdout, stderr, status } = spawnSync(process.execPath, [...args, ...patient], {
    cwd: root,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const shown = stdout.replace(/^report: .*$/m, place)
  return { shown, audit: JSON.parse(readFileSync(join(out, 'audit.json'), 'utf8')) as AuditDocument }
}

test('the command behind `npm start` prints what the README shows (else: UPDATE_DOCS=1 npx vitest run test/readme)', () => {
  expect(block(readme, 'sh')).toContain('npm start')
  const work = mkdtempSync(join(tmpdir(), 'overhear-readme-'))
  try {
    const { shown, audit } = start(join(work, 'run'))
    const details = `${auditText(audit, { details: true }).replace(/^report: .*$/m, place)}\n`
    const picture = readmePicture(audit, { ladderPlot })
    // The verdict, what was not tested, the worst leak, and the first questions.
    const lines = shown.split('\n')
    const beginning = `${lines.slice(0, lines.findLastIndex((line) => line.startsWith('LEAKS')) + 1).join('\n')}\n`
    if (update) {
      writeFileSync(readmePath, replaced(readme, '', beginning))
      writeFileSync(firstAuditPath, replaced(replaced(firstAudit, '', shown), 'text', details))
      writeFileSync(picturePath, picture)
    } else {
      expect(beginning).toBe(block(readme, ''))
      expect(shown).toBe(block(firstAudit, ''))
      expect(details).toBe(block(firstAudit, 'text'))
      expect(readFileSync(picturePath, 'utf8')).toBe(picture)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}, 900_000)

test('the program in the README gives the result it states', async () => {
  const path = `${root}test/.readme-example.mjs`
  writeFileSync(path, block(readme, 'ts'))
  try {
    const { result } = (await import(pathToFileURL(path).href)) as { result: unknown }
    const stated = /^`result` is `(.*)`\.$/m
    if (update)
      writeFileSync(
        readmePath,
        readFileSync(readmePath, 'utf8').replace(stated, () => `\`result\` is \`${JSON.stringify(result)}\`.`),
      )
    else expect(JSON.stringify(result)).toBe(readme.match(stated)?.[1])
  } finally {
    rmSync(path)
  }
}, 900_000)
