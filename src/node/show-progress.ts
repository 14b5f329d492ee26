/** Events of a simulation or an audit as people follow them: bars, and remarks between them. */
import type { AuditEvent } from '../audit/audit.js'
import { type Progress, progress } from './progress.js'

/** Follows to the end; a failure of the work is thrown here. */
export async function showProgress(
  events: AsyncIterable<AuditEvent>,
  { quiet }: { readonly quiet: boolean },
): Promise<void> {
  let shown = ''
  let bar: Progress | undefined
  const barFor = (what: string, total: number): Progress => {
    if (bar === undefined || shown !== what) {
      bar?.end()
      bar = progress({ total, what, quiet })
      shown = what
    }
    return bar
  }
  try {
    for await (const event of events) {
      // Another seed trains a model of the same name: its bar begins anew.
      if (event.kind === 'round' && event.round === 1) shown = ''
      if (event.kind === 'round') barFor(`${event.model}: rounds`, event.rounds).tick(event.round)
      else if (event.kind === 'attacked') barFor('attacks', event.total).tick(event.done, event.result.attack)
      else if (event.kind === 'remark') {
        bar?.end()
        if (!quiet) process.stderr.write(`${event.model}: ${event.text}\n`)
      }
    }
  } finally {
    bar?.end()
  }
}
