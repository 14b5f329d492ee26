/** From how attacks did where leaks were planted to what their results say of it: found or broken here, and the curve. */
import { grades } from '../../scenario/plants/grades.js'
import type { Finished } from '../assemble.js'
import type { AttackResult, Controls, Power, PowerPoint } from '../attack-result.js'
import { chanceExcluded, noControl } from '../controls.js'
import { judgePlants, plantedScore } from './judge-plants.js'

/** Results of the audit itself, each with what its attack did on the plants; those of plants are not among them. */
export function withPlants(finished: readonly Finished[]): readonly Finished[] {
  const planted = new Map<string, AttackResult[]>()
  for (const { result } of finished) {
    if (result.plant === undefined) continue
    planted.set(keyOf(result), [...(planted.get(keyOf(result)) ?? []), result])
  }
  if (planted.size === 0) return finished
  return finished.flatMap((one) => {
    const { result } = one
    if (result.plant !== undefined) return []
    const tried = planted.get(keyOf(result))
    if (tried === undefined || result.ladder !== undefined || result.status === 'not-applicable') return [one]
    return [{ ...one, result: { ...result, ...judged(tried) } }]
  })
}

/** The same attack from the same place. */
const keyOf = ({ attack, observer, model, params }: AttackResult): string =>
  JSON.stringify([attack, observer, model, params])

function judged(tried: readonly AttackResult[]): { readonly controls: Controls; readonly power?: Power } {
  const ordered = [...tried].sort((a, b) => a.plant! - b.plant!)
  const power = powerOf(ordered)
  return { controls: { planted: controlOf(ordered) }, ...(power !== undefined && { power }) }
}

function controlOf(ordered: readonly AttackResult[]): Controls['planted'] {
  const { status, error, why, missing = [] } = ordered.at(-1)!
  if (status === 'failed') return { status: 'failed', score: null, reason: error?.message ?? 'it failed' }
  if (status === 'not-applicable') return noControl(why ?? `it lacks ${missing.join(', ')}`)
  return judgePlants(ordered.flatMap((result) => plantedScore(result) ?? []))
}

function powerOf(ordered: readonly AttackResult[]): Power | undefined {
  const curve = ordered.flatMap((result): PowerPoint[] => {
    const score = plantedScore(result)?.score
    if (score === undefined) return []
    const { metric, value, chance, lift } = score
    const found = (lift ?? 0) > 0 && chanceExcluded(score)
    return [{ grade: grades[result.plant!]!, metric, value, chance, lift, found }]
  })
  if (curve.length === 0) return undefined
  const seen = curve.flatMap(({ found, lift }) => (found && lift !== null ? [lift] : []))
  return { curve, leastSeen: seen.length === 0 ? null : Math.min(...seen) }
}
