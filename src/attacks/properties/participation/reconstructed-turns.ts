/** Who took part in which round, where nobody says so: the participation matrix from the sums and how often clients did. */
import type { Rng } from '../../../numeric/random/rng.js'
import { medianOf } from '../../../numeric/special/summaries.js'
import type { View } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import { type Column, type ColumnProblem, costAtRandom, nearestColumns } from './column-search.js'
import { type SpaceOfSums, spacesOfSums } from './space-of-sums.js'

export type TurnsView = View<'aggregates' | 'turnCounts'>

export interface TurnsOptions {
  readonly starts: number
  readonly steps: number
  readonly rng: Rng
  tick(done: number, total: number): void
}

export interface ReconstructedTurns {
  readonly ids: readonly string[]
  readonly rounds: readonly number[]
  /** The first and the last round of each window that was used. */
  readonly windows: readonly { readonly from: number; readonly to: number }[]
  /** Client by client, round by round. */
  readonly took: readonly Uint8Array[]
  /** Of each client what its column costs, as a share of what a random column of its counts would. */
  readonly misfit: readonly number[]
  /** The same of clients that do not exist: each with somebody else's counts in every window. */
  readonly strangers: readonly number[]
  /** Clients whose column another one fits as well. */
  readonly ambiguous: readonly string[]
  /** Clients whose counts are the same in all windows: which column is whose is not known. */
  readonly alike: readonly (readonly string[])[]
  readonly space: Pick<SpaceOfSums, 'rank' | 'left' | 'levelled'>
}

/** [lam2021]: the columns of A lie in the space of the sums, whatever clients weigh, as long as their updates repeat. */
export async function reconstructedTurns(view: TurnsView, options: TurnsOptions): Promise<ReconstructedTurns> {
  const heard = new Set(view.aggregates.rounds)
  const windows = view.turnCounts.filter(({ from, to }) => roundsIn(from, to).every((round) => heard.has(round)))
  if (windows.length === 0) {
    throw new Inapplicable(['turnCounts'], 'no window of rounds has all of its sums')
  }
  const rounds = windows.flatMap(({ from, to }) => roundsIn(from, to))
  const ids = Object.keys(windows[0]!.clients).filter((id) => windows.some(({ clients }) => clients[id]! > 0))
  const free = ids.filter((id) =>
    windows.some(({ from, to, clients }) => clients[id]! > 0 && clients[id]! <= to - from),
  )
  if (free.length === 0) {
    throw new Inapplicable([], 'clients took part in all rounds of a window or in none: their counts say it all')
  }
  const n = rounds.length
  if (n <= ids.length) {
    const found = `${n} sums of ${ids.length} clients: any column lies in their space`
    throw new Inapplicable([`more than ${ids.length} rounds`], found)
  }
  const asked = { ids, windows, rounds: n }
  let best: Found | undefined
  for (const space of await spacesOfSums(view.aggregates, rounds, ids.length)) {
    const found = columnsIn(space, asked, options)
    if (best === undefined || medianOf(found.misfit) < medianOf(best.misfit)) best = found
    // Updates that repeat to rounding need no other space.
    if (medianOf(best.misfit) < 1e-9) break
  }
  return { ...best!, ids, rounds, windows: windows.map(({ from, to }) => ({ from, to })) }
}

interface Asked {
  readonly ids: readonly string[]
  readonly windows: View<'turnCounts'>['turnCounts']
  readonly rounds: number
}

type Found = Omit<ReconstructedTurns, 'ids' | 'rounds' | 'windows'>

/** The columns of all clients that lie nearest to a space, and of as many who do not exist. */
function columnsIn(space: SpaceOfSums, { ids, windows, rounds }: Asked, options: TurnsOptions): Found {
  let place = 0
  const places = windows.map(({ from, to }) => Array.from({ length: to - from + 1 }, () => place++))
  const problemOf = (counts: readonly number[]): ColumnProblem => ({
    ...{ outside: space.outside, rounds, windows: places, counts },
  })
  const misfitOf = (counts: readonly number[], { cost }: Column): number => {
    const random = costAtRandom(problemOf(counts))
    return random > 0 ? cost / random : 0
  }
  const countsOf = (id: string): readonly number[] => windows.map(({ clients }) => clients[id]!)
  const groups = groupsOf(ids, (id) => countsOf(id).join())
  const { starts, steps } = options
  const rng = options.rng.fork(space.levelled ? 'levelled' : 'as heard')
  // Two spaces at most, clients and strangers in each.
  const total = 4 * groups.size
  let done = space.levelled ? 2 * groups.size : 0
  const search = (counts: readonly number[], keep: number, draws: Rng): Column[] => {
    const tick = (): void => options.tick(done, total)
    const found = nearestColumns(problemOf(counts), { starts, steps, keep, rng: draws, tick })
    done++
    return found
  }
  const columns = new Map<string, Column>()
  const ambiguous: string[] = []
  for (const group of groups.values()) {
    const found = search(countsOf(group[0]!), group.length + 1, rng.fork('client', group[0]!))
    for (const [k, id] of group.entries()) columns.set(id, found[Math.min(k, found.length - 1)]!)
    const [last, next] = [found[Math.min(group.length, found.length) - 1]!, found[group.length]]
    if (next !== undefined && next.cost <= last.cost + 1e-6 * rounds) ambiguous.push(...group)
  }
  const strangers: number[] = []
  for (const [id] of groups.values()) {
    const draws = rng.fork('stranger', id!)
    const counts = windows.map(({ clients }) => clients[ids[draws.integer(ids.length)]!]!)
    // One who has somebody's counts is no stranger.
    if (groups.has(counts.join())) done++
    else strangers.push(misfitOf(counts, search(counts, 1, draws.fork('columns'))[0]!))
  }
  return {
    took: ids.map((id) => columns.get(id)!.ones),
    misfit: ids.map((id) => misfitOf(countsOf(id), columns.get(id)!)),
    strangers,
    ambiguous,
    alike: [...groups.values()].filter((group) => group.length > 1),
    space,
  }
}

function groupsOf(ids: readonly string[], keyOf: (id: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const id of ids) groups.set(keyOf(id), [...(groups.get(keyOf(id)) ?? []), id])
  return groups
}

const roundsIn = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, k) => from + k)

/** Whether those who do not exist fit about as well as those who do. */
export const strangersFit = ({ misfit, strangers }: Pick<ReconstructedTurns, 'misfit' | 'strangers'>): boolean =>
  strangers.length > 0 && medianOf(misfit) > 0.8 * medianOf(strangers)

/** Why what was found may be worth little. */
export function doubtsOf({ ids, rounds, misfit, strangers, ambiguous, alike, space }: ReconstructedTurns): string[] {
  const some = (names: readonly string[]): string => names.slice(0, 10).join(', ') + (names.length > 10 ? ', ...' : '')
  const doubts: string[] = []
  if (strangersFit({ misfit, strangers })) {
    doubts.push('clients that do not exist fit the sums about as well: updates change too much, or rounds are too few')
  }
  if (strangers.length === 0) doubts.push('counts are too much alike to tell whether anything was found')
  if (ambiguous.length > 0) doubts.push(`other columns fit as well: ${some(ambiguous)}`)
  for (const group of alike.slice(0, 5))
    doubts.push(`took part equally often, which is which is a guess: ${some(group)}`)
  if (space.rank < ids.length) {
    doubts.push(`the ${rounds.length} sums span ${space.rank} directions, ${ids.length} clients took part`)
  }
  return doubts
}
