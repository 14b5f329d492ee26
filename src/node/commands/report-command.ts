/** `overhear report`: the report of an audit that ran before, whole or without people, as HTML or PDF. */
import { writeFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { redacted } from '../../audit/finished/redacted.js'
import { OverhearError } from '../../errors.js'
import { reportHtml } from '../../report/report-html.js'
import { adviceBeside, readAdvice } from '../files/advice-file.js'
import { auditedAt, madeOf, readAudit } from '../files/audit-file.js'
import { faultOf } from '../files/machine-faults.js'
import { printPdf } from '../files/print-pdf.js'
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
  if (pdf) await printPdf(html, out)
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
