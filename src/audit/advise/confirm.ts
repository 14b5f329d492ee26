/**
 * The best of many variants looks better on the deals that it was chosen by than it is: so the safest are audited on deals that had
 * no part in the choice, until one is surely under the target there. First each in as many trainings as an audit takes; then, the
 * cheapest first, in as many as its scatter asks for, where there is time.
 */
import { normalQuantile } from '../../numeric/special/normal-quantile.js'
import { type AttemptOptions, type Attempts, asItIs, attempt, idOf } from './attempts.js'
import { cheaper, keeps, safer, type Tried } from './tried.js'
import type { Change } from './what-if.js'

/** How many are audited on other deals. */
export const finalists = 4
/** How often a search may recommend what does not keep to the target: split over finalists, a fifth of it for the first look at each. */
const wrong = 0.05 / finalists
const sureAtOnce = 1 - wrong / 5
const sureAtLast = 1 - (4 * wrong) / 5
/** How likely the last look shall be to say so, where it is so. */
const power = 0.8
/** Steps that look as large as the target may be smaller: no look is planned for a gap of less than this share of it. */
const leastGap = 0.3

export interface ConfirmOptions extends AttemptOptions {
  /** Trainings of the first look. */
  readonly repeats: number
  /** When it must be done, in milliseconds of the clock. */
  readonly until: number
}

/** The id of the first that is surely under the target; null where none is. */
export async function confirm(
  state: Attempts,
  variants: readonly (readonly Change[])[],
  { repeats, until, ...own }: ConfirmOptions,
): Promise<string | null> {
  const { target, ports } = own
  const fresh = { until, fresh: true }
  const open: { readonly changes: readonly Change[]; readonly found: Tried }[] = []
  for (const { id } of finalistsOf(state, target)) {
    const changes = variants.find((some) => idOf(some) === id)!
    const found = await attempt(state, { changes, repeats, ...fresh }, own)
    if (found === undefined) continue
    if (isSure(found, sureAtOnce)) return id
    if (!isRefuted(found, target)) open.push({ changes, found })
  }
  const affordable = ({ seconds, repeats: n }: Tried): number =>
    Math.floor((until - ports.now()) / ((1000 * seconds) / n))
  const late: typeof open = []
  for (const one of open.sort((a, b) => cheaper(a.found, b.found))) {
    const wanted = trainingsFor(one.found, target)
    if (wanted > affordable(one.found)) late.push(one)
    else if (await again(one, wanted)) return one.found.id
  }
  // There is time for none of these: what is left goes to the one that lacks least.
  const lack = ({ found }: (typeof open)[number]): number =>
    trainingsFor(found, target) / Math.max(1, affordable(found))
  const [nearest] = late.sort((a, b) => lack(a) - lack(b))
  const most = nearest === undefined ? 0 : affordable(nearest.found)
  return nearest !== undefined && most > nearest.found.repeats && (await again(nearest, most)) ? nearest.found.id : null

  async function again({ changes, found }: (typeof open)[number], trainings: number): Promise<boolean> {
    const last = await attempt(state, { changes, repeats: Math.max(trainings, found.repeats + 1), ...fresh }, own)
    return last !== undefined && isSure(last, sureAtLast)
  }
}

/** The safest; the scenario as it is only where it looks as if nothing needed to change. */
const finalistsOf = ({ latest }: Attempts, target: number): Tried[] =>
  [...latest.values()]
    .filter((one) => one.id !== asItIs || keeps(one, target))
    .sort(safer(target))
    .slice(0, finalists)

const isSure = ({ sure }: Tried, enough: number): boolean => sure !== null && sure >= enough

/** Whether something is not tested, or some step is surely above the target: more trainings would not help. */
const isRefuted = ({ rungs, open }: Tried, target: number): boolean =>
  open.length > 0 || rungs.some(({ interval }) => interval !== null && interval[0] > target)

/** Trainings after which every step is probably seen to be under the target, by the scatter and the size that it has so far. */
export function trainingsFor({ rungs, repeats }: Pick<Tried, 'rungs' | 'repeats'>, target: number): number {
  const reach = normalQuantile(sureAtLast) + normalQuantile(power)
  const asked = rungs.map(({ interval, size }) => {
    if (interval === null) return repeats
    const std = (interval[1] - interval[0]) / (2 * normalQuantile(0.975))
    // What is no larger than its scatter is mostly scatter.
    const likely = size > std ? size - (std * std) / size : 0
    const needed = (reach * std) / Math.max(target - likely, leastGap * target)
    return repeats * needed * needed
  })
  return Math.ceil(Math.max(repeats, ...asked))
}
