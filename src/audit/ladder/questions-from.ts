/** The questions of an audit, from its finished jobs. */
import { lookup } from '../../errors.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { alpha, errorMargin, margin } from '../../settings/world-settings.js'
import { type ObserverName, observers } from '../../threat/observers.js'
import type { Finished } from '../assemble.js'
import type { AskedResult } from './asked-results.js'
import type { Question } from './question.js'
import { questionsOf } from './questions.js'
import { asked } from './run-asked.js'
import { brokenKey } from './why-not-tested.js'

/** What a recording is judged by, which says nothing of it itself. */
const usual = { alpha: alpha.value.default, margin: margin.value.default, errorMargin: errorMargin.value.default }

export interface Judging {
  readonly scenario: Scenario | null
  readonly observers: readonly ObserverName[]
  readonly repeats: number
  readonly seed: number
  /** Models that diverged in some training, and where. */
  readonly diverged: Readonly<Record<string, string>>
}

export function questionsFrom(finished: readonly Finished[], judging: Judging): Question[] {
  const { scenario, observers: wanted, repeats, seed, diverged } = judging
  const table = asked()
  const climbed = finished.filter(({ result }) => result.ladder !== undefined)
  const broken = finished.filter(({ result: { controls } }) => {
    return controls?.planted.status === 'broken' || controls?.planted.status === 'blind'
  })
  return questionsOf(
    climbed.map((one): AskedResult => ({ ...one, attack: lookup(table, one.result.attack, 'attack') })),
    {
      ...(scenario ?? usual),
      observers: Object.keys(observers).filter((name) => wanted.includes(name)),
      repeats,
      seed,
      diverged,
      broken: new Set(
        broken.flatMap(({ planned: { alsoFor }, result }) =>
          [result.observer, ...alsoFor].map((observer) => brokenKey({ ...result, observer })),
        ),
      ),
    },
  )
}
