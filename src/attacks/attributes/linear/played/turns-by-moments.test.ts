/** Turns of an affine map by moments end where the trainer ends, step by step. */
import { expect, test } from 'vitest'
import { linear } from '../../../../models/linear.js'
import { trainer } from '../../../../models/trainer.js'
import { engine } from '../../../../numeric/engine/engine.js'
import { matrix } from '../../../../numeric/linalg/matrix.js'
import { rng } from '../../../../numeric/random/rng.js'
import { cheapByMoments, turnsByMoments } from './turns-by-moments.js'

test.each([
  [true, 7, 3, 5],
  [false, 4, 1, 1],
  [true, 1, 2, 9],
  [true, 5, 1, 100],
  [false, 3, 2, 77],
])('with a constant: %s; %i records of %i columns, %i steps', (bias, n, k, steps) => {
  const draw = rng('moments')
  const features = [0, 1, 2].map((v) => matrix(n, k, draw.fork('x', v).normals(n * k)))
  const labels = draw.fork('y').normals(n)
  const guesses = Int32Array.from({ length: n }, (_, i) => (2 * i) % 3)
  const starts = [0.1, 0.05, 0.1, 0.1, 0.1].map((rate, t) => ({
    rate,
    theta: draw.fork('theta', t).normals(bias ? k + 1 : k),
  }))
  const before = engine().inUse()
  const turns = turnsByMoments({ candidates: { records: n, features, labels }, bias, lossScale: 0.5, steps, starts })
  const moved = turns.moved(guesses)
  const together = turns.movedBy(turns.momentsOf(guesses))
  turns.release()
  expect(engine().inUse()).toBe(before)
  for (const [j, x] of together.entries()) expect(Math.abs(moved[j]! - x)).toBeLessThan(1e-14)
  const data = matrix(n, k)
  for (let i = 0; i < n; i++) data.data.set(features[guesses[i]!]!.data.subarray(i * k, (i + 1) * k), i * k)
  const client = trainer(linear({ inputs: k, outputs: 1, bias }), {
    data: { features: data, labels },
    precision: 'f64',
    lossScale: 0.5,
  })
  const played = starts.flatMap(({ theta, rate }) => {
    const one = new Float64Array(theta.length)
    client.load(theta)
    client.repeat(Int32Array.from(labels.keys()), rate, steps)
    client.movedInto(one, theta)
    return [...one]
  })
  client.release()
  expect(moved.length).toBe(played.length)
  for (const [j, x] of played.entries()) expect(Math.abs(moved[j]! - x)).toBeLessThan(1e-14)
})

test('worth it for few parameters beside the records', () => {
  expect([cheapByMoments(20, 10), cheapByMoments(21, 10)]).toEqual([true, false])
  expect([cheapByMoments(128, 1000), cheapByMoments(129, 1000)]).toEqual([true, false])
})
