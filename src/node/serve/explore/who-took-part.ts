/** Who took part when, and whom the sums tell apart: the participation matrix, a window of it at a time. */
import type { z } from 'zod'
import type { ParticipationAnswer, participationRequest } from '../../../api/explore.js'
import { type Separability, separability } from '../../../attacks/properties/separable-clients.js'
import { OverhearError } from '../../../errors.js'
import { sparseFromTriplets, type Triplet } from '../../../numeric/linalg/sparse.js'
import type { Transcript } from '../../../transcript/read-transcript.js'
import type { OpenedRun } from './recordings.js'

/** Takings-part that are looked at for who is separable: more would keep the server from answering. */
const mostEntries = 2_000_000

interface Whole {
  readonly ids: readonly string[]
  readonly samples: ReadonlyMap<string, number | null>
  readonly turns: ReadonlyMap<string, number>
  readonly found: Separability | null
  /** Of a client's group of those who are always there together. */
  readonly groups: ReadonlyMap<number, readonly number[]>
}

/** By transcript, as long as that is open. */
const known = new WeakMap<Transcript, Whole>()

function wholeOf(transcript: Transcript): Whole {
  const there = known.get(transcript)
  if (there !== undefined) return there
  const { clients } = transcript.manifest
  const entries = transcript.rounds()
  const listed = 'count' in clients ? [] : clients
  const turns = new Map<string, number>(listed.map(({ id }) => [id, 0]))
  for (const { participants } of entries) for (const id of participants ?? []) turns.set(id, (turns.get(id) ?? 0) + 1)
  const ids = [...turns.keys()]
  const place = new Map(ids.map((id, k) => [id, k]))
  const count = [...turns.values()].reduce((a, b) => a + b, 0)
  let found: Separability | null = null
  if (count > 0 && count <= mostEntries) {
    const triplets = entries.flatMap(({ participants }, r) =>
      (participants ?? []).map((id): Triplet => [r, place.get(id)!, 1]),
    )
    found = separability(sparseFromTriplets({ rows: entries.length, cols: ids.length }, triplets))
  }
  const groups = new Map((found?.together ?? []).flatMap((group) => group.map((k) => [k, group] as const)))
  const usual = 'count' in clients ? clients.samples : null
  const samples = new Map(ids.map((id) => [id, usual]))
  for (const { id, samples: own } of listed) samples.set(id, own)
  const whole = { ids, samples, turns, found, groups }
  known.set(transcript, whole)
  return whole
}

export async function participationOf(
  { transcript }: OpenedRun,
  { from, count, fromRound, rounds }: z.output<typeof participationRequest>,
): Promise<ParticipationAnswer> {
  const entries = transcript.rounds()
  if (entries.some(({ participants }) => participants === null)) {
    throw new OverhearError('E_INPUT', 'the recording does not say who took part in its rounds')
  }
  const { ids, samples, turns, found, groups } = wholeOf(transcript)
  const some = entries.slice(fromRound, fromRound + rounds)
  const marks = some.map(({ participants, dropped, tampered }) => ({
    in: new Set(participants),
    dropped: new Set(dropped),
    tampered: new Set(tampered),
  }))
  const inseparable = new Set(found?.inseparable ?? [])
  const last = entries.at(-1)
  const alone = last !== undefined && (await transcript.contents(last.round)).clients.size > 0
  const rows = ids.slice(from, from + count).map((id, k) => ({
    id,
    samples: samples.get(id) ?? null,
    turns: turns.get(id) ?? 0,
    separable: found === null ? null : (turns.get(id) ?? 0) > 0 && !inseparable.has(from + k),
    together: (groups.get(from + k) ?? [])
      .filter((one) => one !== from + k)
      .slice(0, 10)
      .map((one) => ids[one]!),
    cells: marks
      .map((one) => (one.dropped.has(id) ? 'd' : one.tampered.has(id) ? 't' : one.in.has(id) ? '1' : '0'))
      .join(''),
  }))
  return {
    from,
    total: ids.length,
    fromRound,
    rounds: entries.length,
    alone,
    separable: found === null ? null : ids.filter((id, k) => turns.get(id)! > 0 && !inseparable.has(k)).length,
    roundsMissing: found?.rank == null ? null : ids.length - found.rank,
    rows,
  }
}
