/**
 * What propagation cannot see: of two records that are nearly alike each may have the other's value, and the messages hardly
 * change. Once both are decided, each is held where it is by the other. So decided values are changed, a few together, while
 * that makes the messages likelier, and are no surer than what the changes that are left would cost.
 */
import { exp } from '../../../numeric/special/elementary-functions.js'
import { decide, type Propagated, type Propagation, propagate } from './expectation-propagation.js'

/** Records that are at least so sure may be held by each other; the others are where the messages want them on the mean. */
const sure = 0.9
/** Times that propagation goes on from values that were changed. */
const mostTimes = 4
/** Records that are changed although that does not pay by itself, in case that what follows pays: so many, and pairs looked at for them. */
const [mostTries, mostPairs] = [20, 4e6]
/** Changes that cost more say nothing; those that gain less are left to the odds. */
const [dear, least] = [40, 1]

/**
 * Propagation that ended where decided values cannot be changed for better ones, a few at a time. It must have settled, and
 * the messages must leave little open: else some change always gains.
 */
export function unswapped(given: Propagated, found: Propagation): Propagation {
  let now = found
  for (let k = 0; k < mostTimes && now.settled; k++) {
    const held = heldBy(given, now)
    const before = held.guesses.slice()
    better(held)
    const changed = [...before.keys()].filter((i) => before[i] !== held.guesses[i])
    if (changed.length === 0) break
    const { sites } = now.ending
    const from = {
      ...now.ending,
      sites: { P: sites.P.slice(), h: sites.h.slice() },
      shares: now.shares.map((one) => one.slice()),
    }
    for (const i of changed) decide(from, i, held.guesses[i]!)
    now = propagate({ ...given, from })
  }
  return { ...now, shares: doubted(now.shares, oddsAgainst(heldBy(given, now))) }
}

/** -log of the posterior around decided values. */
interface Held extends Pick<Propagated, 'Q' | 'logPrior'> {
  readonly dispersion: number
  /** By record its decided value; -1: none is. */
  readonly guesses: Int32Array
  /** Q p - b, where p are the guesses, and the shares of the others. */
  readonly slope: Float64Array
}

/** A record given another value. */
interface Change {
  readonly record: number
  readonly to: number
  /** Columns of the value that it has and of the one that it would get; -1: value 0, which has none. */
  readonly out: number
  readonly into: number
  /** What -log of the posterior gains by it alone. */
  readonly cost: number
}

function heldBy({ Q, b, logPrior }: Propagated, { shares, dispersion }: Propagation): Held {
  const [n, N] = [shares[0]!.length, b.length]
  const guesses = Int32Array.from({ length: n }, (_, i) => shares.findIndex((one) => one[i]! >= sure))
  const held = { Q, logPrior, dispersion, guesses, slope: b.map((x) => -x) }
  for (let c = 0; c < N; c++) {
    const [i, u] = [c % n, Math.floor(c / n) + 1]
    const p = guesses[i]! < 0 ? shares[u]![i]! : Number(guesses[i] === u)
    if (p !== 0) addColumn(held, c, p)
  }
  return held
}

function addColumn({ Q, slope }: Held, column: number, times: number): void {
  const N = slope.length
  if (column >= 0) for (let c = 0, at = column * N; c < N; c++, at++) slope[c]! += times * Q[at]!
}

function take(held: Held, { record, to, out, into }: Change): void {
  held.guesses[record] = to
  addColumn(held, into, 1)
  addColumn(held, out, -1)
}

/** Every other value of every decided record. */
function changesOf({ Q, logPrior, dispersion, guesses, slope }: Held): Change[] {
  const [n, N] = [guesses.length, slope.length]
  const columnOf = (i: number, v: number): number => (v === 0 ? -1 : (v - 1) * n + i)
  const at = (c: number, d: number): number => (c < 0 || d < 0 ? 0 : Q[c * N + d]!)
  const along = (c: number): number => (c < 0 ? 0 : slope[c]!)
  const changes: Change[] = []
  for (const [record, guess] of guesses.entries()) {
    if (guess < 0) continue
    const out = columnOf(record, guess)
    for (let to = 0; to < logPrior.length; to++) {
      if (to === guess) continue
      const into = columnOf(record, to)
      const curve = at(into, into) - 2 * at(into, out) + at(out, out)
      const prior = logPrior[guess]![record]! - logPrior[to]![record]!
      changes.push({ record, to, out, into, cost: (along(into) - along(out) + curve / 2) / dispersion + prior })
    }
  }
  return changes
}

/** Two changes of two records and what they cost together, up to `most`, or to what the last visit gave. */
function forEachPair(
  { Q, slope, dispersion }: Held,
  { changes, most }: { readonly changes: readonly Change[]; readonly most: number },
  visit: (one: Change, other: Change, cost: number) => number,
): void {
  const N = slope.length
  const costs = Float64Array.from(changes, ({ cost }) => cost)
  const none = N // where a row has a 0, for columns that are none
  const intos = Int32Array.from(changes, ({ into }) => (into < 0 ? none : into))
  const outs = Int32Array.from(changes, ({ out }) => (out < 0 ? none : out))
  const row = new Float64Array(N + 1)
  let limit = most
  for (const [a, one] of changes.entries()) {
    row.fill(0)
    if (one.into >= 0) for (let c = 0, at = one.into * N; c < N; c++, at++) row[c] = Q[at]! / dispersion
    if (one.out >= 0) for (let c = 0, at = one.out * N; c < N; c++, at++) row[c]! -= Q[at]! / dispersion
    for (let k = 0; k < a; k++) {
      const cost = one.cost + costs[k]! + row[intos[k]!]! - row[outs[k]!]!
      if (cost <= limit && changes[k]!.record !== one.record) limit = visit(one, changes[k]!, cost)
    }
  }
}

/** The one or two changes that gain most, if any gain, of records other than `not`. */
function bestOf(held: Held, not: number): { readonly changes: readonly Change[]; readonly cost: number } {
  const changes = changesOf(held).filter(({ record }) => record !== not)
  let best: { changes: readonly Change[]; cost: number } = { changes: [], cost: -least }
  for (const one of changes) if (one.cost < best.cost) best = { changes: [one], cost: one.cost }
  forEachPair(held, { changes, most: best.cost }, (one, other, cost) => {
    best = { changes: [one, other], cost }
    return cost
  })
  return best
}

/** Takes what gains most until nothing gains; gives what all of it has gained, as a cost. */
function descend(held: Held, not = -1): number {
  let total = 0
  for (let best = bestOf(held, not); best.changes.length > 0; best = bestOf(held, not)) {
    for (const change of best.changes) take(held, change)
    total += best.cost
  }
  return total
}

/** Changes decided values while that gains: down, and over low walls. */
function better(held: Held): void {
  descend(held)
  const decided = held.guesses.reduce((sum, v) => sum + Number(v >= 0), 0)
  const tries = Math.min(mostTries, Math.ceil(mostPairs / (decided * decided + 1)))
  const walls = changesOf(held).sort((a, b) => a.cost - b.cost)
  for (const { record, to } of walls.slice(0, tries)) {
    const wall = changesOf(held).find((one) => one.record === record && one.to === to)
    if (wall === undefined) continue // it has this value by now
    const [guesses, slope] = [held.guesses.slice(), held.slope.slice()]
    take(held, wall)
    const gained = descend(held, record)
    if (wall.cost + gained < -least) continue
    held.guesses.set(guesses)
    held.slope.set(slope)
  }
}

/** For each record the odds of all values that differ in it, alone or in one other too, against those that are decided. */
function oddsAgainst(held: Held): Float64Array {
  const odds = new Float64Array(held.guesses.length)
  const changes = changesOf(held)
  const weigh = (cost: number, ...of: readonly Change[]): void => {
    const weight = exp(-Math.max(cost, -dear))
    for (const { record } of of) odds[record]! += weight
  }
  for (const one of changes) if (one.cost <= dear) weigh(one.cost, one)
  forEachPair(held, { changes, most: dear }, (one, other, cost) => {
    weigh(cost, one, other)
    return dear
  })
  return odds
}

/** Shares whose largest is no larger than the odds leave, but a half at least; the others take what it gives away, each its part. */
function doubted(shares: readonly Float64Array[], odds: Float64Array): readonly Float64Array[] {
  const out = shares.map((one) => one.slice())
  for (const [i, against] of odds.entries()) {
    const v = out.findIndex((one) => one[i]! >= sure)
    const most = Math.max(0.5, 1 / (1 + against))
    if (v < 0 || out[v]![i]! <= most) continue
    const rest = 1 - out[v]![i]!
    for (const [u, one] of out.entries()) {
      if (u !== v) one[i] = rest > 0 ? ((1 - most) * one[i]!) / rest : (1 - most) / (out.length - 1)
    }
    out[v]![i] = most
  }
  return out
}
