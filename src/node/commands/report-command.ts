/** `overhear report`: the report of an audit that ran before, whole or without people, as HTML or PDF. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { redacted } from '../../audit/finished/redacted.js'
import { OverhearError } from '../../errors.js'
import { reportHtml } from '../../report/report-html.js'
import { adviceBeside, readAdvice } from '../files/advice-file.js'
import { auditedAt, madeOf, readAudit } from '../files/audit-file.js'
import { faultOf } from '../files/machine-faults.js'
import { hourOf } from '../hour.js'
import { shownPath } from '../node-ports.js'
import { print, printJson } from '../print.js'
import { commonFlags, defined, parseNamed } from './arguments.js'

const flags = {
  ...commonFlags,
  pdf: { type: 'boolean' },
  redact: { type: 'boolean' },
  whole: { type: 'boolean' },
  summary: { type: 'boolean' },
  advice: { type: 'string' },
} as const

export async function runReport(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  if (name === undefined) throw new OverhearError('E_INPUT', 'report what?', 'give the folder of a run')
  if (values.redact && values.whole) throw new OverhearError('E_INPUT', '--redact was given with --whole', 'choose one')
  const pdf = values.pdf ?? extname(values.out ?? '') === '.pdf'
  // What is printed is handed around: without people unless somebody says so.
  const redact = values.redact ?? (pdf && !values.whole)
  const audit = readAudit(name)
  const advice = values.advice === undefined ? adviceBeside(name, audit) : readAdvice(values.advice, audit)
  const options = { when: hourOf(auditedAt(name)), ...defined({ summary: values.summary, advice }) }
  const html = madeOf(name, () => reportHtml(redact ? redacted(audit) : audit, options))
  const out = resolve(values.out ?? join(name, pdf ? 'report.pdf' : redact ? 'report-redacted.html' : 'report.html'))
  if (pdf) printPdf(html, out)
  else write(out, html)
  const made = { report: shownPath(out), redacted: redact }
  await (values.json ? printJson(made) : print(`report: ${made.report}${redact ? ', without people' : ''}`))
  return 0
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600 })
  } catch (error) {
    throw faultOf(error, path)
  }
}

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']

/** By an installed browser: the first of a few names that is there. */
function printPdf(html: string, out: string): void {
  const work = mkdtempSync(join(tmpdir(), 'overhear-pdf-'))
  try {
    const page = join(work, 'report.html')
    writeFileSync(page, html)
    for (const browser of browsers) {
      const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', `--user-data-dir=${work}`]
      const asked = [...quiet, `--print-to-pdf=${out}`, pathToFileURL(page).href]
      const { error, status, stderr } = spawnSync(browser, asked, { encoding: 'utf8', timeout: 120_000 })
      if (error !== undefined && (error as { code?: string }).code === 'ENOENT') continue
      if (status === 0 && error === undefined) return
      const why = error?.message ?? stderr.split('\n').filter(Boolean).at(-1) ?? `exit code ${status}`
      throw new OverhearError('E_INPUT', `${browser} did not print ${out}: ${why}`, 'print report.html yourself')
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  const found = `no browser was found that prints PDF (${browsers.join(', ')})`
  throw new OverhearError('E_INPUT', found, 'install Chromium, or print report.html yourself')
}
