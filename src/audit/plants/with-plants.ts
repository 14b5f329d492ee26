/** From how attacks did where leaks were planted to what their results say of it: found, broken or blind here, and the curve. */
import { gradeOf, plants } from '../../scenario/plants/grades.js'
import type { Finished } from '../assemble.js'
import type { AttackResult, Controls, Power, PowerPoint } from '../attack-result.js'
import { chanceExcluded, noControl } from '../controls.js'
import { handedTo } from '../plan-jobs.js'
import { type Compared, comparedShares, type Shares, sharesOf } from './compared-shares.js'
import { judgePlants, type PlantedScore, plantedScore, triedOn } from './judge-plants.js'

/** Results of the audit itself, each with what its attack did on the plants; those of plants are not among them. */
export function withPlants(finished: readonly Finished[]): readonly Finished[] {
  const tried = attemptsIn(finished)
  if (tried.size === 0) return finished
  return finished.flatMap((one) => {
    const { result } = one
    if (result.plant !== undefined) return []
    const own = tried.get(plantedKey(result))
    if (own === undefined || result.ladder !== undefined || result.status === 'not-applicable') return [one]
    const power = powerOf(own.scores)
    const controls = { planted: controlOf(own, bestBeside(own, tried)) }
    return [{ ...one, result: { ...result, controls, ...(power !== undefined && { power }) } }]
  })
}

/** Attacks that may be broken, which more plants could tell, and those beside which they are looked at: by key, of which model. */
export function inDoubt(finished: readonly Finished[]): ReadonlyMap<string, string | null> {
  const tried = attemptsIn(finished)
  const doubted = new Map<string, string | null>()
  for (const [key, own] of tried) {
    const beside = own.retold?.follows === false ? undefined : bestBeside(own, tried)
    if (beside?.word === 'doubt') doubted.set(key, own.last.model).set(beside.key, own.last.model)
  }
  return doubted
}

/** The same attack from the same place. */
export const plantedKey = ({ attack, observer, model, params }: Placed): string =>
  JSON.stringify([attack, observer, model, params])

type Placed = Pick<AttackResult, 'attack' | 'observer' | 'model' | 'params'>

/** One attack on the plants. */
interface Attempt {
  readonly scores: readonly PlantedScore[]
  readonly shares: Shares
  readonly retold: AttackResult['retold']
  /** What became of it on the last of them. */
  readonly last: AttackResult
}

function attemptsIn(finished: readonly Finished[]): ReadonlyMap<string, Attempt> {
  const [planted, own] = [new Map<string, AttackResult[]>(), new Map<string, AttackResult[]>()]
  for (const { result } of finished) {
    if (result.ladder !== undefined) continue
    const among = result.plant === undefined ? own : planted
    among.set(plantedKey(result), [...(among.get(plantedKey(result)) ?? []), result])
  }
  return new Map([...planted].map(([key, results]) => [key, attempt(results, own.get(key) ?? [])]))
}

function attempt(results: readonly AttackResult[], own: readonly AttackResult[]): Attempt {
  const ordered = [...results].sort((a, b) => a.plant! - b.plant!)
  const scores = ordered.flatMap((result) => plantedScore(result) ?? [])
  const all = ordered.flatMap(({ retold }) => retold ?? [])
  const retold = all.find(({ follows }) => !follows) ?? all[0]
  return { scores, shares: sharesOf([...ordered, ...own]), retold, last: ordered.at(-1)! }
}

type Beside = Compared & { readonly key: string; readonly attack: string }

/** The attack that got most of those who stand in the same place, are handed no more and are not broken by themselves. */
function bestBeside(own: Attempt, tried: ReadonlyMap<string, Attempt>): Beside | undefined {
  const handed = handedTo(own.last)
  let best: Beside | undefined
  for (const [key, other] of tried) {
    const { attack, observer, model } = other.last
    if (other === own || observer !== own.last.observer || model !== own.last.model) continue
    if (other.retold?.follows === false) continue
    if (handed === undefined || ![...(handedTo(other.last) ?? ['?'])].every((one) => handed.has(one))) continue
    const compared = comparedShares(own.shares, other.shares)
    if (compared !== undefined && compared.other > (best?.other ?? 0)) best = { ...compared, key, attack }
  }
  return best
}

function controlOf({ scores, retold, last }: Attempt, compared: Beside | undefined): Controls['planted'] {
  const { status, error, why, missing = [] } = last
  if (status === 'failed') return { status: 'failed', score: null, reason: error?.message ?? 'it failed' }
  const judged = judgePlants(triedOn(scores), { compared, retold })
  // Who refuses is not silent: it says that it does not apply.
  const refused = status === 'not-applicable' && (judged.status === 'blind' || scores.length === 0)
  return refused ? noControl(why ?? `it lacks ${missing.join(', ')}`) : judged
}

/** Of the first plants: those that were drawn again are for attacks in doubt alone. */
function powerOf(scores: readonly PlantedScore[]): Power | undefined {
  const curve = scores
    .filter(({ plant }) => plants.includes(plant))
    .map(({ plant, score }): PowerPoint => {
      const { metric, value, chance, lift } = score
      const found = (lift ?? 0) > 0 && chanceExcluded(score)
      return { grade: gradeOf(plant), metric, value, chance, lift, found }
    })
  if (curve.length === 0) return undefined
  const seen = curve.flatMap(({ found, lift }) => (found && lift !== null ? [lift] : []))
  return { curve, leastSeen: seen.length === 0 ? null : Math.min(...seen) }
}
