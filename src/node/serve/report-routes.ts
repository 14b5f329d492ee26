/** Addresses of a run's report: the HTML, whole or without people, and a PDF without people. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { redacted } from '../../audit/finished/redacted.js'
import { OverhearError } from '../../errors.js'
import { reportHtml } from '../../report/report-html.js'
import { adviceBeside } from '../files/advice-file.js'
import { auditedAt, madeOf } from '../files/audit-file.js'
import { printPdf } from '../files/print-pdf.js'
import { hourOf } from '../hour.js'
import { reportPolicy } from './guard.js'
import type { RunList } from './run-list.js'

export function reportRoutes(app: Hono, runs: RunList): void {
  const htmlOf = (id: string, people: boolean): string => {
    const audit = runs.audit(id)
    const advice = adviceBeside(runs.folder(id), audit)
    const options = { when: hourOf(auditedAt(runs.folder(id))), ...(advice !== undefined && { advice }) }
    return madeOf(id, () => reportHtml(people ? audit : redacted(audit), options))
  }
  app.get('/api/runs/:id/report', (c) => {
    const html = htmlOf(c.req.param('id'), c.req.query('redact') === undefined)
    return c.html(html, 200, { 'content-security-policy': reportPolicy })
  })
  // A browser of its own prints each: one at a time.
  let printing = false
  app.get('/api/runs/:id/report.pdf', async (c) => {
    const html = htmlOf(c.req.param('id'), false)
    if (printing) throw new OverhearError('E_WORK', 'another PDF is being printed', 'wait for its end')
    const work = mkdtempSync(join(tmpdir(), 'overhear-pdf-'))
    printing = true
    try {
      const out = join(work, 'report.pdf')
      await printPdf(html, out)
      return c.body(readFileSync(out), 200, { 'content-type': 'application/pdf' })
    } finally {
      printing = false
      rmSync(work, { recursive: true, force: true })
    }
  })
}
