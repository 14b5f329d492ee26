import { expect, test } from 'vitest'
import { protocolOf } from '../../../test/label-views.js'
import { matrixOf } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { keptPlays } from './kept-plays.js'
import { fitOf, type Stage } from './recipe-fit.js'

const mlp = { kind: 'mlp', inputs: 1, outputs: 1, hidden: [2], activation: 'relu', outputActivation: 'identity', bias: true } as const // biome-ignore format: one line
const recipe = {
  ...protocolOf({ algorithm: 'fedavg', share: 'parameters', learningRate: 0.1, batchSize: 2 }),
  dropout: 0.5,
}
const guess = (seed: number) => ({
  features: matrixOf(Array.from(rng(seed).normals(6), (x) => [x])),
  labels: rng(seed).fork('y').normals(6),
})

/** Each time another one, in which nothing was played. */
const stageOf = (): Stage => ({
  view: { model: mlp, loss: 'mse' },
  turns: [0, 1].map((round) => ({
    ...{ round, learningRate: null },
    theta: rng('theta').fork(round).normals(7),
    change: rng('change').fork(round).normals(7, { std: 0.01 }),
  })),
  supposed: { guesses: [guess(1), guess(2), guess(3)], own: true, blind: false, samples: 6 },
  parts: [[0, 7]],
  rng: rng('plays'),
  kept: keptPlays(),
})

test('what was played before changes no fit: more plays, other noise, another rate and the first again', () => {
  const asked = [
    { plays: 2 },
    { plays: 5 },
    { plays: 2, noiseVar: 0.1 },
    { plays: 2, rates: [1, 0.5] },
    { plays: 2, rates: [1, 1] },
  ]
  const one = stageOf()
  for (const options of asked) expect(fitOf(one, recipe, options)).toEqual(fitOf(stageOf(), recipe, options))
  const other = { ...recipe, dropout: 0 }
  expect(fitOf(one, other, { plays: 2 })).toEqual(fitOf(stageOf(), other, { plays: 2 }))
  expect(fitOf(one, other, { plays: 2 }).means).not.toEqual(fitOf(one, recipe, { plays: 2 }).means)
})

test('a play is made once', () => {
  const one = stageOf()
  const [few] = fitOf(one, recipe, { plays: 2 }).plays
  const [more] = fitOf(one, recipe, { plays: 3, noiseVar: 1 }).plays
  expect(more![0]).toBe(few![0])
  expect(more![1]).toBe(few![1])
  expect(more).toHaveLength(3)
})
