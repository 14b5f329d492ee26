/** From how attacks did where leaks were planted to what their results say of it: found, broken or blind here, and the curve. */
import { grades } from '../../scenario/plants/grades.js'
import type { Finished } from '../assemble.js'
import type { AttackResult, Controls, Power, PowerPoint } from '../attack-result.js'
import { chanceExcluded, noControl } from '../controls.js'
import { type Beside, judgePlants, type PlantedScore, plantedScore, type Tried, triedOn } from './judge-plants.js'

/** Results of the audit itself, each with what its attack did on the plants; those of plants are not among them. */
export function withPlants(finished: readonly Finished[]): readonly Finished[] {
  const planted = new Map<string, AttackResult[]>()
  for (const { result } of finished) {
    if (result.plant === undefined) continue
    planted.set(keyOf(result), [...(planted.get(keyOf(result)) ?? []), result])
  }
  if (planted.size === 0) return finished
  const tried = new Map([...planted].map(([key, results]) => [key, attempt(results)]))
  return finished.flatMap((one) => {
    const { result } = one
    if (result.plant !== undefined) return []
    const own = tried.get(keyOf(result))
    if (own === undefined || result.ladder !== undefined || result.status === 'not-applicable') return [one]
    const others = [...tried.values()].filter((other) => other !== own && placeOf(other.last) === placeOf(result))
    const power = powerOf(own.scores)
    const controls = { planted: controlOf(own, { others: others.flatMap(({ on }) => on ?? []), real: result }) }
    return [{ ...one, result: { ...result, controls, ...(power !== undefined && { power }) } }]
  })
}

/** The same attack from the same place. */
const keyOf = ({ attack, observer, model, params }: AttackResult): string =>
  JSON.stringify([attack, observer, model, params])

const placeOf = ({ observer, model }: AttackResult): string => JSON.stringify([observer, model])

/** One attack on the plants. */
interface Attempt {
  readonly scores: readonly PlantedScore[]
  readonly on: Tried | undefined
  /** What became of it on the strongest. */
  readonly last: AttackResult
}

function attempt(results: readonly AttackResult[]): Attempt {
  const ordered = [...results].sort((a, b) => a.plant! - b.plant!)
  const scores = ordered.flatMap((result) => plantedScore(result) ?? [])
  return { scores, on: triedOn(scores), last: ordered.at(-1)! }
}

function controlOf({ on, last }: Attempt, beside: Beside): Controls['planted'] {
  const { status, error, why, missing = [] } = last
  if (status === 'failed') return { status: 'failed', score: null, reason: error?.message ?? 'it failed' }
  if (status === 'not-applicable') return noControl(why ?? `it lacks ${missing.join(', ')}`)
  return judgePlants(on, beside)
}

function powerOf(scores: readonly PlantedScore[]): Power | undefined {
  const curve = scores.map(({ plant, score }): PowerPoint => {
    const { metric, value, chance, lift } = score
    const found = (lift ?? 0) > 0 && chanceExcluded(score)
    return { grade: grades[plant]!, metric, value, chance, lift, found }
  })
  if (curve.length === 0) return undefined
  const seen = curve.flatMap(({ found, lift }) => (found && lift !== null ? [lift] : []))
  return { curve, leastSeen: seen.length === 0 ? null : Math.min(...seen) }
}
