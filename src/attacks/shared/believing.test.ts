import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../test/label-views.js'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange, Series } from '../../threat/granted-keys.js'
import { type Claimed, claimed, Inapplicable } from '../attack.js'
import type { Derive } from '../derivation.js'
import { asHeard, believedProtocol, picked, stating, undoubted } from './believed-protocol.js'
import { believing } from './believing.js'
import { rateAt, wordsOf } from './heard-protocol.js'
import type { Recipe } from './replayed-turn.js'

const stated = {
  ...protocolOf({ share: 'delta', learningRate: 0.1, localSteps: 1 }),
  optimizer: { name: 'sgd' },
} as Recipe

function viewOf({ rounds = 10, size = 3, protocol = stated, rate = 0.1 as number | null } = {}) {
  const all = Array.from({ length: rounds }, (_, i) => 2 * i + 2)
  const read = async (round: number): Promise<Exchange> => ({
    ...{ round, received: Float64Array.of(round), learningRate: rate },
    update: { kind: 'delta', dTheta: Float64Array.of(-round) },
  })
  const parameters = [{ name: 'w', shape: [size] }]
  return { protocol, exchanges: { rounds: all, read }, parameters, samples: 20, model: { kind: 'opaque' }, loss: 'mse' } as const // biome-ignore format: one line
}

interface Heard {
  readonly heard?: Recipe
  readonly heardP?: number | null
  readonly p?: number | null
}
interface Asked {
  readonly given: readonly Float64Array[]
  readonly plays: number
}

/** Another attack has heard this already. */
function ears({ heard = { ...stated, learningRate: 0.05 }, heardP = 0.5, p = 0.001 }: Heard = {}) {
  const asked: Asked[] = []
  const pace = { by: 'statement', first: 0.1, now: heard.learningRate }
  const derive = (async (_, { items, settings, onItem }) => {
    asked.push({ given: items[0]!.given!, plays: (settings as unknown as Asked).plays })
    const text = JSON.stringify({ heard, p, heardP, excess: null, evidence: [], pace })
    await onItem(0, [Float64Array.from(text, (letter) => letter.charCodeAt(0))])
  }) as Derive
  return { derive, asked }
}
const hear = (view: object, { derive }: { derive: Derive }, more: object = {}) =>
  believedProtocol(view as never, { rng: rng(1), derive, ...more })

describe('a protocol', () => {
  test('is heard in six messages, by twelve plays of each, unless told', async () => {
    const own = ears()
    await hear(viewOf(), own)
    await hear(viewOf({ rounds: 4, rate: null }), own)
    await hear(viewOf(), own, { rounds: 3, plays: 5 })
    expect(own.asked.map(({ plays }) => plays)).toEqual([12, 12, 5])
    expect(own.asked.map(({ given }) => given[0]!.length)).toEqual([6, 4, 3])
    const [rounds, rates, ...models] = own.asked[1]!.given
    expect([...rounds!]).toEqual([2, 4, 6, 8])
    // The first ones, and then ever farther apart: 0, 1/25, 4/25, 9/25, 16/25 and all of the way, in whole steps at least.
    expect([...own.asked[0]!.given[0]!]).toEqual([2, 4, 6, 8, 14, 20])
    expect([...rates!]).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN])
    // The model and the change of one message after the other.
    expect(models.map(([x]) => x!)).toEqual([2, -2, 4, -4, 6, -6, 8, -8])
    expect([...own.asked[0]!.given[1]!]).toEqual(new Array(6).fill(0.1))
  })

  test('is heard in as few as two where more would take too long', async () => {
    const own = ears()
    await hear(viewOf({ size: 1e9 }), own)
    expect(own.asked[0]!.given[0]!.length).toBe(2)
  })

  test('explains messages where there are three at least, and they are not too unlikely', async () => {
    const explained = async (rounds: number, heardP: number | null) =>
      (await hear(viewOf({ rounds }), ears({ heardP }))).explained
    expect(await explained(3, 0.5)).toBe(true)
    expect(await explained(2, 0.5)).toBe(false)
    expect(await explained(3, 0.0051)).toBe(true)
    expect(await explained(3, 0.005)).toBe(false)
    expect(await explained(3, null)).toBe(false)
  })

  test('is told in words, and as a fit', async () => {
    const found = await hear(viewOf(), ears())
    expect(found.words).toBe('stated: SGD 0.1; heard: SGD 0.05')
    expect(found.fit).toEqual({ stated, heard: { ...stated, learningRate: 0.05 }, p: 0.001 })
    expect(undoubted({ protocol: stated }, 0.3)).toEqual({ stated, heard: stated, p: 0.3 })
  })

  const differs = async (change: object, from: Recipe = stated) =>
    (await hear(viewOf({ protocol: from }), ears({ heard: { ...from, ...change } as Recipe }))).differs

  test.each([
    { learningRate: 0.2 },
    { momentum: 0.5 },
    { proxMu: 0.1 },
    { weightDecay: 0.1 },
    { clipNorm: 1 },
    { dropout: 0.2 },
    { compression: { kind: 'top-k', share: 0.1 } },
    { batchSize: 4 },
    { localEpochs: 2 },
    { localSteps: 2 },
    { dropLast: true },
    { optimizer: { name: 'adam' } },
    { differentialPrivacy: { mechanism: 'dp-sgd' } },
  ])('is another one with %o', async (change) => {
    expect(await differs(change)).toBe(true)
  })

  test('is the same where what is usual is said or left out', async () => {
    for (const same of [
      {},
      { weightDecay: 0 },
      { clipNorm: null },
      { compression: null },
      { dropLast: false },
      { optimizer: { name: 'sgd' } },
    ]) {
      // biome-ignore format: one line
      expect(await differs(same)).toBe(false)
      expect(await differs({}, { ...stated, ...same } as Recipe)).toBe(false)
    }
  })
})

describe('a view', () => {
  test('under what was heard has its protocol and its rates, and all else as it was', async () => {
    const view = { ...viewOf(), target: 'a' }
    const heard = asHeard(view as never, await hear(view, ears())) as unknown as typeof view
    expect(heard.protocol.learningRate).toBe(0.05)
    expect((await heard.exchanges.read(4)).learningRate).toBeCloseTo(0.05, 15)
    expect([heard.target, heard.samples]).toEqual(['a', 20])
    expect((await view.exchanges.read(4)).learningRate).toBe(0.1)
  })

  test('of shared gradients keeps its rates', async () => {
    const gradient = { round: 0, learningRate: 0.1, update: { kind: 'gradient', grad: Float64Array.of(1) } } as Exchange
    const exchanges: Series<Exchange> = { rounds: [0], read: async () => gradient }
    expect(await stating({ protocol: stated, exchanges }, stated, () => 7).exchanges.read(0)).toBe(gradient)
    const moved: Series<Exchange> = stating(viewOf(), stated, (round, rate) => round + rate!).exchanges
    expect((await moved.read(2)).learningRate).toBe(2.1)
  })

  test('is picked from by keys that are there', () => {
    expect(picked({ a: 1, b: undefined, c: null, d: 4 }, ['a', 'b', 'c'])).toEqual({ a: 1, c: null })
    expect(picked({ b: undefined }, ['b'])).not.toHaveProperty('b')
  })
})

test('a rate is stated times what the first one is off by, what is heard where none is stated, or by a schedule', () => {
  const by = (first: number | null, now: number | null) => ({ by: 'statement', first, now }) as const
  expect(rateAt(by(0.1, 0.05), 3, 0.4)).toBeCloseTo(0.2, 15)
  expect(rateAt(by(null, 0.05), 3, 0.4)).toBe(0.05)
  expect(rateAt(by(0.1, 0.05), 3, null)).toBe(0.05)
  expect(rateAt(by(0.1, null), 3, 0.4)).toBeNull()
  const schedule = { kind: 'exponential', factor: 0.5 }
  expect(rateAt({ by: 'schedule', learningRate: 0.8, schedule }, 3, 0.4)).toBeCloseTo(0.1, 15)
  expect(rateAt({ by: 'schedule', learningRate: 0.8, schedule: null }, 3, 0.4)).toBe(0.8)
})

test('a recipe in words names what is not plain', () => {
  const words = (change: object) => wordsOf({ ...stated, optimizer: { name: 'sgd' }, ...change } as Recipe)
  expect(words({})).toBe('SGD 0.1')
  expect(words({ optimizer: null })).toBe('SGD 0.1')
  expect(words({ optimizer: undefined })).toBe('an unknown optimizer 0.1')
  expect(words({ optimizer: { name: 'adam' }, learningRate: null })).toBe('adam at an unknown rate')
  const all = {
    ...{ momentum: 0.5, proxMu: 0.25, weightDecay: 0.125, clipNorm: 2, dropout: 0.2 },
    ...{ compression: { kind: 'top-k' }, schedule: { kind: 'cosine' }, differentialPrivacy: { mechanism: 'dp-sgd' } },
  }
  expect(words({ ...all, learningRate: 0.012345 })).toBe(
    'SGD 0.0123, momentum 0.5, proximal 0.25, weight decay 0.125, clipped to 2, dropout 0.2, top-k, rate by cosine, dp-sgd',
  )
  expect(words({ clipNorm: null, compression: null, schedule: null, weightDecay: 0 })).toBe('SGD 0.1')
})

describe('a claim', () => {
  const claim = (ps: readonly number[], details: object = {}, kind = 'label-mean') =>
    claimed(
      ps.map((p) => ({ kind, client: '0', round: 0, value: 1, fit: { misfit: 1, expected: 1, p } })) as never,
      { details: { error: 0.1, errors: [0.2, null], ...details }, warnings: ['mine'] },
    ) // biome-ignore format: as it is
  const gap = (missing = 'learningRate') => new Inapplicable([missing], 'not so')
  const under = async (attempt: (rate: number) => Claimed, own = ears()) =>
    believing(viewOf() as never, { rng: rng(1), derive: own.derive }, async (view) =>
      attempt((view as unknown as { protocol: Recipe }).protocol.learningRate!),
    )
  const first = (later: () => Claimed) => (rate: number) => {
    if (rate === 0.1) throw gap()
    return later()
  }

  test('under what is stated has the least likely of its fits, and hears nothing', async () => {
    const own = ears()
    const found = await under(() => claim([0.7, 0.2, 0.4]), own)
    expect(found.fit).toEqual({ stated, heard: stated, p: 0.2 })
    expect(found.details).toMatchObject({ error: 0.1, errors: [0.2, null] })
    expect((await under(() => claim([]))).fit).toMatchObject({ p: null })
    expect(own.asked).toEqual([])
  })

  test('under what is heard states three times the errors, and says so', async () => {
    const found = await under(first(() => claim([0.7])))
    expect(found.details.error).toBeCloseTo(0.3, 15)
    expect(found.details.errors).toEqual([expect.closeTo(0.6, 15), null])
    expect(found.details).toMatchObject({ stated: 'SGD 0.1', heard: 'SGD 0.05' })
    const words = 'the update does not fit what is stated; stated: SGD 0.1; heard: SGD 0.05'
    expect(found.warnings).toEqual(['mine', words])
    expect(found.fit).toMatchObject({ p: 0.001 })
  })

  test('of counts states none, and without errors stays without', async () => {
    expect((await under(first(() => claim([0.7], {}, 'metaclass-counts')))).details.errors).toBeNull()
    const { details } = await under(first(() => claim([0.7], { error: null, errors: null })))
    expect([details.error, details.errors]).toEqual([null, null])
  })

  test('is refused as at first where nothing else is heard, or that explains nothing', async () => {
    const plain = (own = ears()) =>
      under(
        first(() => claim([0.7])),
        own,
      )
    await expect(plain(ears({ heard: stated }))).rejects.toThrow(/^not so$/)
    await expect(plain(ears({ heardP: 0.001 }))).rejects.toThrow(/^not so$/)
    await expect(under(first(() => claim([0.7], { explained: false })))).rejects.toThrow(/^not so$/)
    expect((await under(first(() => claim([0.7], { explained: true })))).details.error).toBeCloseTo(0.3, 15)
  })

  test('is refused in the words of both where it fails again, and at once for another reason', async () => {
    const failing = (missing: string) => () => {
      throw gap(missing)
    }
    await expect(under(failing('plain steps'))).rejects.toThrow(/^not so \(stated: SGD 0.1; heard: SGD 0.05\)$/)
    const own = ears()
    await expect(under(failing('a bias'), own)).rejects.toThrow(/^not so$/)
    await expect(under(() => { throw new RangeError('mine') }, own)).rejects.toThrow(/^mine$/) // biome-ignore format: one line
    expect(own.asked).toEqual([])
  })
})
