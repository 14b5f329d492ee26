/** What attacks on attributes solve, of a world made by hand. */
import { linearRounds } from '../src/attacks/attributes/linear/gradient-sums.js'
import { candidatesOf, type Problem, problemOf } from '../src/attacks/attributes/linear/linear-problem.js'
import { combinationsOf } from '../src/attacks/attributes/search-values.js'
import { unknownsOf } from '../src/attacks/attributes/unknown-columns.js'
import { evaluable } from '../src/attacks/shared/evaluable-model.js'
import type { World } from './attribute-world.js'

export async function problemIn({ view }: Pick<World, 'view'>): Promise<Problem> {
  const { attributes, ...known } = unknownsOf(view)
  const turns = await linearRounds(view, { samples: view.samples })
  const candidates = candidatesOf(known, attributes, combinationsOf(attributes))
  const places = attributes.flatMap((one) => one.places)
  const common = { view, functions: evaluable(view), candidates, places, samples: view.samples }
  return problemOf({ ...common, turns, rate: 'known' })
}
