/** Wrong labels: the client trains as told, on records some of whose labels are not theirs, the same in every round. */
import type { Records } from '../../data/records.js'
import type { Rng } from '../../numeric/random/rng.js'
import { number } from '../../params.js'
import { defineMisbehaviour } from './misbehaviour.js'

export const mislabelled = defineMisbehaviour({
  id: 'mislabelled',
  title: 'trains on wrong labels',
  params: {
    part: number({ default: 1, above: 0, max: 1, doc: 'share of its records whose labels are wrong' }),
  },
  act: (turn, { part }) => turn.train({ labels: wrongLabels(turn.records(), { part, ...turn, rng: turn.lasting }) }),
})

interface Wronging {
  readonly part: number
  readonly classes: number | undefined
  readonly rng: Rng
}

/** Another class for each of the chosen records; of numbers, those of the chosen records in another order. */
function wrongLabels({ features, labels }: Records, { part, classes, rng }: Wronging): Float64Array {
  const n = features.rows
  const each = labels.length / n
  const wrong = labels.slice()
  // One number alone could only stay where it is.
  const least = classes === undefined ? Math.min(2, n) : 1
  const chosen = rng.sample(n, Math.max(least, Math.round(part * n)))
  for (const [k, row] of chosen.entries()) {
    const next = chosen[(k + 1) % chosen.length]!
    for (let j = 0; j < each; j++) {
      const at = row * each + j
      if (classes === undefined) wrong[at] = labels[next * each + j]!
      else if (classes === 2) wrong[at] = 1 - labels[at]!
      else if (each === 1) wrong[at] = (labels[at]! + 1 + rng.integer(classes - 1)) % classes
    }
    if (classes !== undefined && classes > 2 && each > 1) turned(wrong, { labels, from: row * each, each, rng })
  }
  return wrong
}

interface Row {
  readonly labels: Float64Array
  readonly from: number
  readonly each: number
  readonly rng: Rng
}

/** A row of one number for each class, turned on by some classes. */
function turned(wrong: Float64Array, { labels, from, each, rng }: Row): void {
  const by = 1 + rng.integer(each - 1)
  for (let j = 0; j < each; j++) wrong[from + ((j + by) % each)] = labels[from + j]!
}
