import { expect, test } from 'vitest'
import { protocolOf } from '../../../test/label-views.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { keptPlays } from './kept-plays.js'
import type { Stage } from './recipe-fit.js'
import { searched } from './recipe-search.js'
import { replayer } from './replayed-turn.js'

const view: Stage['view'] = { model: { kind: 'linear', inputs: 3, outputs: 1, bias: true } as never, loss: 'mse' }
const stated = {
  ...protocolOf({ algorithm: 'fedavg', share: 'parameters', learningRate: 0.05, batchSize: 8 }),
  ...{ optimizer: { name: 'sgd' }, weightDecay: 0, clipNorm: null, dropLast: false, compression: null, schedule: null },
}
const features = matrix(40, 3, rng('x').normals(120))
const labels = rng('y').normals(40)

/** Turns of a client that trains otherwise than it is stated, and how often plays were begun before each piece of evidence. */
function heardOf(change: object) {
  const client = replayer(view, { ...stated, ...change })
  const records = client.hold({ features, labels })
  const turns = [0, 1, 2, 3].map((round) => {
    const theta = rng('theta').fork(round).normals(4)
    const played = client.play({ theta, records, learningRate: 0.05, rng: rng('client').fork(round) })
    return { round, theta, change: played, learningRate: null }
  })
  records.release()
  client.release()
  let begun = 0
  const told: number[] = []
  const evidence: string[] = []
  evidence.push = (...lines) => {
    told.push(begun)
    return Array.prototype.push.apply(evidence, lines)
  }
  const supposed = { guesses: [{ features, labels }], own: true, blind: false, samples: 40 }
  const tick = () => {
    begun++
  }
  const stage: Stage = { view, turns, supposed, parts: [[0, 4]], rng: rng('plays'), kept: keptPlays(), tick }
  const found = searched(stage, { recipe: stated, rates: [1, 1, 1, 1], rateKnown: true, evidence })
  return { found, evidence: [...evidence], told, begun }
}

test('a search ends with the change that leaves nothing to explain', () => {
  const { found, evidence, told, begun } = heardOf({ momentum: 0.9 })
  expect(found.changed).toEqual(['momentum'])
  expect(found.recipe.momentum).toBe(0.9)
  expect(evidence).toEqual([expect.stringMatching(/^momentum: misfit \d.* becomes \d/)])
  expect(told).toEqual([begun])
})
