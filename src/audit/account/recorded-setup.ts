/** The setup of a recorded run: what its manifest says, and who took part in which round. */
import type { Transcript } from '../../transcript/read-transcript.js'
import type { Setup, SetupClient } from './setup.js'

export function recordedSetup({ manifest, rounds }: Transcript, raw: Readonly<Record<string, unknown>>): Setup {
  const { protocol, model, parameters, loss, clients } = manifest
  const entries = rounds()
  const participants = entries.flatMap((one) => (one.participants === null ? [] : [one.participants]))
  const known = participants.length === entries.length && entries.length > 0
  return {
    from: 'transcript',
    rounds: entries.length,
    participants: known ? participants : null,
    clients: clientsOf(clients, known ? participants : null, entries.length),
    privacy: protocol.differentialPrivacy,
    secureAggregation: protocol.secureAggregation,
    batchSize: protocol.batchSize,
    localEpochs: protocol.localEpochs,
    localSteps: protocol.localSteps,
    dropLast: protocol.dropLast ?? false,
    share: protocol.share,
    model: { kind: model.kind, parameters: sizeOf(parameters) },
    loss,
    raw,
  }
}

const sizeOf = (parameters: readonly { readonly shape: readonly number[] }[]): number =>
  parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0)

/** A client's turns are the rounds whose sum it is in; where no round says, all of them. */
function clientsOf(
  clients: Transcript['manifest']['clients'],
  participants: readonly (readonly string[])[] | null,
  rounds: number,
): SetupClient[] {
  const turns = new Map<string, number>()
  for (const round of participants ?? []) for (const id of round) turns.set(id, (turns.get(id) ?? 0) + 1)
  if ('count' in clients) {
    if (participants === null) return [{ id: '*', records: clients.samples, turns: rounds }]
    return [...turns].map(([id, own]) => ({ id, records: clients.samples, turns: own }))
  }
  return clients.map(({ id, samples }) => {
    return { id, records: samples, turns: participants === null ? rounds : (turns.get(id) ?? 0) }
  })
}
