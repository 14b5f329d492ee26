/** What aia-linear says where messages do not say enough, or not what was stated: never sure and wrong. */
import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { accuracy, continuous, type World, world } from '../../../test/attribute-world.js'
import { functionsOf } from '../../models/functions.js'
import { createModel, recordedModel } from '../../models/index.js'
import { trainer } from '../../models/trainer.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange } from '../../threat/granted-keys.js'
import type { Outcome } from '../attack.js'
import { aiaLinear } from './aia-linear.js'
import { type ProtocolFit, unlikely } from './linear/played/protocol-fit.js'

const model = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [48], activation: 'relu' } as const
const detailsOf = (outcome: Outcome) => {
  if (outcome.status !== 'claimed') throw new Error(JSON.stringify(outcome))
  return outcome.details
}

/** Sure guesses, and the wrong ones among them. */
function sureIn(outcome: Outcome, truth: Float64Array, from = 0.99) {
  const { values, confidence } = only(outcome, 'attribute')
  const sure = Array.from({ length: values.length }, (_, i) => i).filter((i) => confidence![i]! >= from)
  return { sure: sure.length, wrong: sure.filter((i) => values[i] !== truth[i]).length }
}

/** For docs/protocol-inference.md: FIGURES=1 npx vitest run FILE. */
function told(what: string, figures: object): void {
  if (process.env.FIGURES !== undefined) process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`)
}

/** The same view with other messages. */
function withMessages(w: World, sent: (exchange: Exchange) => Exchange, protocol: Partial<World['view']['protocol']>) {
  const read = async (round: number) => sent(await w.view.exchanges.read(round))
  return {
    ...w.view,
    protocol: { ...w.view.protocol, ...protocol },
    exchanges: { ...w.view.exchanges, read },
  }
}

const functions = functionsOf(createModel(model))
const gradientOn = (w: World, theta: Float64Array, rows?: Int32Array): Float64Array => {
  const own = rows ?? Int32Array.from(w.view['records.label'], (_, i) => i)
  const features = matrix(own.length, 4)
  for (const [at, i] of own.entries()) features.data.set(w.complete.data.subarray(4 * i, 4 * i + 4), 4 * at)
  return functions.gradient(theta, { features, labels: Float64Array.from(own, (i) => w.view['records.label'][i]!) })
    .grad
}

describe('one step on all records', () => {
  const w = world({ model, records: 120, rounds: 1, batchSize: null, effect: 0.2, noise: 1 })
  /** As single precision holds it, in doubles. */
  const rounded = (learningRate: number) =>
    withMessages(
      w,
      (exchange) => {
        const received = exchange.received!.map(Math.fround)
        const grad = gradientOn(w, received)
        const theta = received.map((v, j) => Math.fround(v - learningRate * grad[j]!))
        return { ...exchange, received, learningRate, update: { kind: 'parameters', theta } }
      },
      { learningRate },
    )

  test('is certain where a flipped record would show', async () => {
    const outcome = await attackOn(aiaLinear, rounded(1e-2))
    expect(accuracy(only(outcome, 'attribute').values, w.true[0]!)).toBe(1)
    expect(detailsOf(outcome)).toMatchObject({ solver: 'exact', verified: true })
  })

  test('and is not where rounding hides it, whatever the numbers are kept in', async () => {
    const outcome = await attackOn(aiaLinear, rounded(1e-6))
    const { values, confidence } = only(outcome, 'attribute')
    expect(accuracy(values, w.true[0]!)).toBeLessThan(1)
    expect(detailsOf(outcome)).toMatchObject({ verified: false })
    expect(sureIn(outcome, w.true[0]!).wrong).toBe(0)
    const expected = Array.from(confidence!).reduce((sum, c) => sum + c, 0) / values.length
    expect(expected - accuracy(values, w.true[0]!)).toBeLessThan(0.1)
  })
})

test.each([3e-6, 1e-5, 3e-5, 1e-4])(
  'one step at a rate of %d: nobody is called sure whose value is another',
  async (rate) => {
    let sure = 0
    for (const seed of [1, 2, 3]) {
      const w = world({ model, records: 60, rounds: 2, batchSize: null, effect: 0.2, noise: 1, seed })
      const single = withMessages(
        w,
        (exchange) => {
          const received = exchange.received!.map(Math.fround)
          const grad = gradientOn(w, received)
          const theta = received.map((v, j) => Math.fround(v - rate * grad[j]!))
          return { ...exchange, received, learningRate: rate, update: { kind: 'parameters', theta } }
        },
        { learningRate: rate },
      )
      const found = sureIn(await attackOn(aiaLinear, single), w.true[0]!, 0.95)
      expect(found.wrong).toBe(0)
      sure += found.sure
    }
    if (rate > 5e-5) expect(sure).toBeGreaterThan(0.9 * 180)
  },
)

describe('shared gradients that are not exact', () => {
  const w = world({ model, records: 80, rounds: 24, batchSize: null, learningRate: 0.05, effect: 0.4, noise: 1 })
  const shared = { share: 'gradient', learningRate: null, localSteps: 1, localEpochs: null } as const

  test('of mini-batches: all of them count', async () => {
    const batch = (exchange: Exchange): Exchange => {
      const rows = rng(7).fork('rows', exchange.round).permutation(80).subarray(0, 40)
      const grad = gradientOn(w, exchange.received!, rows)
      return { ...exchange, learningRate: null, update: { kind: 'gradient', grad } }
    }
    const outcome = await attackOn(aiaLinear, withMessages(w, batch, { ...shared, batchSize: 40 }))
    told('mini-batches', { right: accuracy(only(outcome, 'attribute').values, w.true[0]!) })
    expect(accuracy(only(outcome, 'attribute').values, w.true[0]!)).toBeGreaterThan(0.95)
    expect(detailsOf(outcome)).toMatchObject({ rounds: 24 })
  })

  test('with noise that is declared: all of them count', async () => {
    const privacy = { maxNorm: 100, noiseMultiplier: 0.01 }
    const noised = (exchange: Exchange): Exchange => {
      const noise = rng(8)
        .fork('noise', exchange.round)
        .normals(functions.size, { mean: 0, std: 1 / 80 })
      const grad = gradientOn(w, exchange.received!).map((g, j) => g + noise[j]!)
      return { ...exchange, learningRate: null, update: { kind: 'gradient', grad } }
    }
    const differentialPrivacy = { mechanism: 'dp-sgd', ...privacy, sampleRate: null, delta: null }
    const protocol = { ...shared, batchSize: null, differentialPrivacy }
    const outcome = await attackOn(aiaLinear, withMessages(w, noised, protocol))
    told('declared noise', { right: accuracy(only(outcome, 'attribute').values, w.true[0]!) })
    expect(accuracy(only(outcome, 'attribute').values, w.true[0]!)).toBeGreaterThan(0.97)
    expect(sureIn(outcome, w.true[0]!).wrong).toBe(0)
  })

  test('with units dropped: all of them count, and nobody is called sure whose value is another', async () => {
    const dropped = trainer(recordedModel(w.view.model as never, { dropout: 0.2 }), { loss: 'mse', precision: 'f64' })
    const everybody = Int32Array.from(w.view['records.label'], (_, i) => i)
    const held = dropped.hold({ features: w.complete, labels: w.view['records.label'] })
    dropped.use(held)
    const one = (exchange: Exchange): Exchange => {
      dropped.load(exchange.received!)
      const grad = dropped.gradient(everybody, () => rng(9).fork('drops', exchange.round)).slice()
      return { ...exchange, learningRate: null, update: { kind: 'gradient', grad } }
    }
    const view = withMessages(w, one, { ...shared, batchSize: null, dropout: 0.2 })
    const first = { ...view, exchanges: { ...view.exchanges, rounds: view.exchanges.rounds.slice(0, 1) } }
    const [all, single] = [await attackOn(aiaLinear, view), await attackOn(aiaLinear, first)]
    expect(detailsOf(all)).toMatchObject({ rounds: 24 })
    const [many, few] = [all, single].map((outcome) => accuracy(only(outcome, 'attribute').values, w.true[0]!))
    expect(many).toBeGreaterThan(few!)
    for (const outcome of [all, single]) {
      expect(detailsOf(outcome).verified).not.toBe(true)
      expect(sureIn(outcome, w.true[0]!).wrong).toBe(0)
    }
    held.release()
    dropped.release()
  })
})

describe('what was stated', () => {
  // Of ten seeds the first has batches that differ from turn to turn as one in two hundred does: p is 0.005, elsewhere 0.13 and more.
  const w = world({ seed: 2, model, records: 80, rounds: 16, batchSize: 16, learningRate: 0.02, effect: 0.4, noise: 1 })
  /** The same messages, said to be made at another rate. */
  const at = (learningRate: number) => withMessages(w, (exchange) => ({ ...exchange, learningRate }), { learningRate })
  const fitOf = (outcome: Outcome) => detailsOf(outcome).fit as unknown as ProtocolFit

  test('and is so fits: guesses may be sure', async () => {
    const outcome = await attackOn(aiaLinear, at(0.02))
    expect(fitOf(outcome).p).toBeGreaterThan(0.01)
    expect(Math.abs(fitOf(outcome).reach - 1)).toBeLessThan(0.15)
    expect(sureIn(outcome, w.true[0]!, 0.97).sure).toBeGreaterThan(60)
  })

  test('and is not so is found out, and another rate is heard', async () => {
    const outcome = await attackOn(aiaLinear, at(0.05))
    if (outcome.status !== 'claimed') throw new Error('claimed')
    expect(outcome.fit!.p).toBeLessThan(unlikely)
    expect(outcome.warnings.join()).toMatch(/stated: an unknown optimizer 0.05; heard: an unknown optimizer 0.02\d*/)
    expect(fitOf(outcome).p).toBeGreaterThan(0.05)
    const { sure, wrong } = sureIn(outcome, w.true[0]!, 0.95)
    expect(wrong).toBeLessThanOrEqual(0.05 * sure)
  })

  test('and is another optimiser altogether: refused, or no guess is called sure', async () => {
    const signs = (exchange: Exchange): Exchange => {
      let theta = exchange.received!
      for (let step = 0; step < 5; step++) {
        const rows = rng(9).fork('rows', exchange.round, step).permutation(80).subarray(0, 16)
        const grad = gradientOn(w, theta, rows)
        theta = theta.map((v, j) => v - 0.001 * Math.sign(grad[j]!)) // as Adam begins
      }
      return { ...exchange, learningRate: 0.001, update: { kind: 'parameters', theta } }
    }
    const outcome = await attackOn(aiaLinear, withMessages(w, signs, { learningRate: 0.001 }))
    if (outcome.status !== 'claimed') expect(outcome.missing).toEqual(['protocol'])
    else {
      expect(outcome.fit!.p).toBeLessThan(unlikely)
      expect(sureIn(outcome, w.true[0]!, 0.95).sure).toBe(0)
    }
  })
})

test('a continuous attribute that the messages hardly tell is guessed no worse than by its mean', async () => {
  const w = world({
    sensitive: [continuous],
    records: 60,
    rounds: 10,
    batchSize: 16,
    learningRate: 0.01,
    effect: 0.2,
    noise: 1,
  })
  const { values } = only(await attackOn(aiaLinear, w.view), 'attribute')
  const truth = w.true[0]!
  const mean = truth.reduce((sum, x) => sum + x, 0) / truth.length
  const error = truth.reduce((sum, x, i) => sum + (x - values[i]!) ** 2, 0)
  const R2 = 1 - error / truth.reduce((sum, x) => sum + (x - mean) ** 2, 0)
  told('a continuous attribute', { R2 })
  expect(R2).toBeGreaterThan(-0.1)
})
