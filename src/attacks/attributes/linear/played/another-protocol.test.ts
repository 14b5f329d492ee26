/** Full-batch turns whose protocol is stated wrongly: another one is heard before anybody is refused; other people's records are not listened to. */
import { expect, test } from 'vitest'
import { attackOn, only } from '../../../../../test/attack-context.js'
import { type World, world } from '../../../../../test/attribute-world.js'
import { aiaLinear } from '../../aia-linear.js'

const model = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [16], activation: 'relu' } as const
const turn = {
  model,
  records: 20,
  rounds: 12,
  batchSize: null,
  localEpochs: 10,
  learningRate: 0.02,
  effect: 0.3,
  noise: 1,
}

/** The same messages, said to be made at another rate. */
function statedAt(w: World, learningRate: number) {
  const read = async (round: number) => ({ ...(await w.view.exchanges.read(round)), learningRate })
  const protocol = { ...w.view.protocol, learningRate }
  return { ...w.view, learningRate, protocol, exchanges: { ...w.view.exchanges, read } }
}

test.each([
  [1, /stated: an unknown optimizer 0\.06; heard: SGD/],
  [2, /stated: an unknown optimizer 0\.06; heard: SGD 0\.0199/],
])('a rate that is stated three times too high: another protocol is heard (world %i)', async (seed, heard) => {
  const w = world({ ...turn, seed })
  const outcome = await attackOn(aiaLinear, statedAt(w, 0.06))
  const said =
    outcome.status === 'claimed' ? outcome.warnings.join() : outcome.status === 'not-applicable' && outcome.why
  expect(said).toMatch(heard)
  if (outcome.status !== 'claimed') return
  const { values, confidence } = only(outcome, 'attribute')
  for (const [i, c] of Array.from(confidence!).entries()) if (c >= 0.95) expect(values[i]).toBe(w.true[0]![i])
})

test.each([1, 2])('people who were not trained on are refused as such (world %i)', async (seed) => {
  const [w, others] = [world({ ...turn, seed }), world({ ...turn, seed: seed + 8 })]
  const view = { ...w.view, records: others.view.records, 'records.label': others.view['records.label'] }
  const outcome = await attackOn(aiaLinear, view)
  expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['records'] })
})
