/** What an audit tells the process that started it over a channel, such as the page's server: plain data in small messages. */
import type { FoundSoFar, TrainedModel } from '../api/answers.js'
import type { AttackResult } from '../audit/attack-result.js'
import type { AuditEvent } from '../audit/audit.js'

/** What stands in a message. */
export type Told =
  | { readonly kind: 'training'; readonly number: number; readonly total: number }
  | { readonly kind: 'round'; readonly model: string; readonly round: number; readonly rounds: number }
  | { readonly kind: 'trained'; readonly trained: TrainedModel }
  | { readonly kind: 'remark'; readonly text: string }
  | {
      readonly kind: 'attacked'
      readonly done: number
      readonly total: number
      readonly attack: string
      readonly found: FoundSoFar | null
    }

const roundsEvery = 100 // ms between two rounds that are told

/** Set by who listens: other programs have channels of their own to processes that run an audit. */
export const listening = 'OVERHEAR_LISTENING'

/** The events as they come, each told on the way; where nobody listens, they just pass. */
export async function* alsoToParent(events: AsyncIterable<AuditEvent>): AsyncGenerator<AuditEvent> {
  const channel = process.env[listening] === '1' ? process.channel : undefined
  const gone = (): void => void process.kill(process.pid, 'SIGTERM')
  if (channel !== undefined) {
    // Whoever started it is gone: what is finished is kept.
    process.once('disconnect', gone)
    channel.unref()
  }
  let last = Number.NEGATIVE_INFINITY
  try {
    for await (const event of events) {
      const often = event.kind === 'round' && event.round < event.rounds && performance.now() - last < roundsEvery
      if (channel !== undefined && process.connected && !often) {
        if (event.kind === 'round') last = performance.now()
        process.send?.(toldOf(event), undefined, undefined, () => {})
      }
      yield event
    }
  } finally {
    if (channel !== undefined) process.removeListener('disconnect', gone)
  }
}

export function toldOf(event: AuditEvent): Told {
  switch (event.kind) {
    case 'training':
    case 'round':
      return event
    case 'remark':
      return { kind: 'remark', text: `${event.model}: ${event.text}` }
    case 'trained': {
      const { trainLoss, heldOutLoss, metric, value } = event.utility
      return { kind: 'trained', trained: { model: event.model, trainLoss, heldOutLoss, metric, value } }
    }
    case 'attacked': {
      const { done, total, result } = event
      return { kind: 'attacked', done, total, attack: result.attack, found: foundBy(result) }
    }
  }
}

/** What an attack found where it was asked about trained and held-back records. */
function foundBy({ attack, ladder, target }: AttackResult): FoundSoFar | null {
  const [first] = ladder?.answers ?? []
  const [trained, held] = [first?.trained[0], first?.held[0]]
  if (first === undefined || trained === undefined || held === undefined) return null
  if (!Number.isFinite(trained) || !Number.isFinite(held)) return null
  const about = `${first.name ?? first.kind}${target === null ? '' : ` of client ${target}`}`
  return { attack, about, metric: first.metric, trained, held }
}
