/** Events of a simulation or an audit as people follow them: bars, and remarks between them. */

import type { AttackResult } from '../audit/attack-result.js'
import type { AuditEvent } from '../audit/audit.js'
import { figure } from '../audit/figures.js'
import { harmless } from '../errors.js'
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
  // One training has a bar of its rounds; many have one bar of all. What attacks do meanwhile is told after the last.
  let [number, total, models] = [1, 1, 0]
  try {
    for await (const event of events) {
      if (event.kind === 'training') [number, total, models] = [event.number, event.total, 0]
      else if (event.kind === 'trained') models++
      else if (event.kind === 'round' && total === 1) {
        // Another model may have the same name: its bar begins anew.
        if (event.round === 1) shown = ''
        barFor(`${event.model}: rounds`, event.rounds).tick(event.round)
      } else if (event.kind === 'round' && models === 0) {
        const { model, round, rounds } = event
        const ended = round === rounds
        barFor('trainings', total).tick(
          ended ? number : number - 1,
          ended ? model : `${model}, round ${round} of ${rounds}`,
        )
      } else if (event.kind === 'attacked' && number === total) {
        barFor('attacks', event.total).tick(event.done, foundBy(event.result))
      } else if (event.kind === 'remark') {
        bar?.end()
        if (!quiet) process.stderr.write(harmless(`${event.model}: ${event.text}\n`, '\n'))
      }
    }
  } finally {
    bar?.end()
  }
}

/** An attack, with what it found where it was asked about trained and held-back records. */
function foundBy({ attack, ladder }: AttackResult): string {
  const [first] = ladder?.answers ?? []
  if (first === undefined || first.trained.length === 0) return attack
  const { name, kind, metric, trained, held } = first
  return `${attack}, ${name ?? kind}: ${metric} ${figure(trained[0]!)} trained, ${figure(held[0]!)} held back`
}
