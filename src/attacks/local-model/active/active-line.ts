/** Where an active attack stands: a live line, or a recording of rounds in which somebody tampered; and what shows of it. */
import { norm } from '../../../numeric/linalg/vector.js'
import { meanOf, rangeOf } from '../../../numeric/special/summaries.js'
import type { View } from '../../../threat/granted-keys.js'
import { type Claimed, claimed, type Detail, Inapplicable } from '../../attack.js'
import { turnOf } from '../../shared/target-turns.js'

export type ActiveView = View<'exchanges' | 'target' | 'tampered'> & Partial<View<'channel' | 'globals'>>

/** The client's latest model, from which both attacks set out. */
export async function latestModel({ exchanges }: ActiveView): Promise<Float64Array> {
  return turnOf(await exchanges.read(exchanges.rounds.at(-1)!)).returned
}

/** Without a line: what the client returned last in the rounds that were tampered with, or not applicable. */
export async function recorded(view: ActiveView): Promise<Claimed> {
  const { exchanges, tampered, target } = view
  const there = new Set(exchanges.rounds)
  const rounds = tampered.flatMap(({ round, clients }) => (clients.includes(target) && there.has(round) ? [round] : []))
  const last = rounds.at(-1)
  if (last === undefined) {
    const why = 'only a live federation has a channel, and in no recorded round was the target sent another model'
    throw new Inapplicable(['channel'], why)
  }
  const sent = await Promise.all(rounds.map(async (round) => turnOf(await exchanges.read(round)).theta))
  const { returned } = turnOf(await exchanges.read(last))
  return claimed(
    { kind: 'model', client: target, theta: returned },
    {
      warnings: [
        `nothing was sent: the claim is what the recorded client returned after ${rounds.length} tampered rounds`,
      ],
      details: { recorded: true, rounds, ...(await detectability(view, sent, rounds)) },
    },
  )
}

/**
 * How far what was sent lies from the honest global model, relative to that model's size: in the mean, at most, and for
 * comparison the distance that the client itself put between the two in its latest honest turn.
 */
export async function detectability(
  { exchanges, globals }: ActiveView,
  sent: readonly Float64Array[],
  rounds?: readonly number[],
): Promise<Record<string, Detail>> {
  const latest = turnOf(await exchanges.read(exchanges.rounds.at(-1)!))
  const known = new Set(globals?.rounds)
  const lastGlobal = globals === undefined ? latest.theta : await globals.read(globals.rounds.at(-1)!)
  const distances: number[] = []
  for (const [i, theta] of sent.entries()) {
    const round = rounds?.[i]
    const honest = round !== undefined && known.has(round) ? await globals!.read(round) : lastGlobal
    distances.push(relative(theta, honest))
  }
  return {
    distanceSent: { mean: meanOf(distances), max: rangeOf(distances).max },
    usualDistance: relative(latest.returned, latest.theta),
  }
}

const relative = (a: Float64Array, b: Float64Array): number => norm(a.map((v, j) => v - b[j]!)) / (norm(b) || 1)
