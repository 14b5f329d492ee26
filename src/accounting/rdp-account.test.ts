import { expect, test } from 'vitest'
import { gaussian, opacusOrders, type VectorO } from '../../test/accounting-vectors.js'
import { describeWithShared, vector } from '../../test/shared.js'
import { sampledGaussianRdp } from './rdp.js'
import { rdpEpsilon, usualOrders } from './rdp-account.js'

interface VectorG {
  cases: {
    q: number
    sigma: number
    steps: number
    delta: number
    rdp_per_step: Record<string, number>
    rdp_per_step_numeric_integral: Record<string, number | null>
    orders_opacus: { eps_classic: number; order_classic: number; eps_improved: number; order_improved: number }
  }[]
}

describeWithShared('vector g: Rényi divergences and epsilons', () => {
  const { cases } = vector<VectorG>('g')
  test.each(cases.map((one) => [`q ${one.q}, sigma ${one.sigma}`, one] as const))('%s', (_, one) => {
    const { q, sigma, steps, delta, orders_opacus: expected } = one
    for (const [order, value] of Object.entries(one.rdp_per_step)) {
      const got = sampledGaussianRdp({ q, sigma, alpha: Number(order) })
      expect(Math.abs(got - value) * steps).toBeLessThan(1e-6)
    }
    const mechanism = gaussian({ sampleRate: q, noiseMultiplier: sigma, steps })
    const improved = rdpEpsilon([mechanism], delta, { orders: opacusOrders })
    const classic = rdpEpsilon([mechanism], delta, { orders: opacusOrders, conversion: 'classic' })
    expect(Math.abs(improved.epsilon - expected.eps_improved)).toBeLessThan(1e-6)
    expect(Math.abs(classic.epsilon - expected.eps_classic)).toBeLessThan(1e-6)
    expect([improved.order, classic.order]).toEqual([expected.order_improved, expected.order_classic])
  })
})

describeWithShared('vector o: epsilons by Rényi divergences', () => {
  const { configurations, heterogeneous, laplace, fixedSize, tree } = vector<VectorO>('o')
  const all = [...configurations.map((one) => ({ ...one, parts: [one] })), ...heterogeneous].map(
    (one) => [JSON.stringify(one.parts.map((p) => [p.sampleRate, p.noiseMultiplier, p.steps])), one] as const,
  )

  test.each(all)("%s: opacus's to 1e-6, and never above the other library's upper estimate", (_, one) => {
    const mechanisms = one.parts.map(gaussian)
    const { epsilon } = rdpEpsilon(mechanisms, one.delta, { orders: opacusOrders })
    expect(Math.abs(epsilon - one.results['rdp-opacus']!.epsilon)).toBeLessThan(1e-6)
    expect(rdpEpsilon(mechanisms, one.delta).epsilon).toBeLessThan(one.results['rdp-google']!.epsilon + 1e-9)
  })

  test.each(laplace.map((one) => [one.scale, one] as const))(
    'Laplace noise of scale %d',
    (_, { scale, steps, delta, results }) => {
      const { epsilon } = rdpEpsilon([{ kind: 'laplace', scale, steps }], delta)
      expect(epsilon).toBeLessThan(results['rdp-google']!.epsilon + 1e-9)
      expect(epsilon).toBeGreaterThan(results['rdp-google']!.epsilon - 0.01)
    },
  )

  const googleOrders = [...usualOrders.filter((order) => order <= 63), 128, 256]
  test.each(fixedSize.map((one) => [one.n, one] as const))('batches of fixed size out of %d', (_, one) => {
    const { n, m, noiseMultiplier, steps, delta, results } = one
    // There the multiplier is relative to how far a replaced record moves the sum, 2 C.
    const mechanism = { kind: 'fixed-size', sampleRate: m / n, noiseMultiplier: 2 * noiseMultiplier, steps } as const
    const { epsilon } = rdpEpsilon([mechanism], delta, { neighbours: 'replace', orders: googleOrders })
    expect(Math.abs(epsilon - results['rdp-google-wor']!.epsilon)).toBeLessThan(1e-6)
  })

  test.each(tree.map((one) => [one.stepCounts, one] as const))('a tree of %d leaves', (leaves, one) => {
    const { noiseMultiplier, selfComposed: trees, delta, results } = one
    const { epsilon } = rdpEpsilon([{ kind: 'tree', noiseMultiplier, leaves, trees }], delta)
    expect(Math.abs(epsilon - results['rdp-google']!.epsilon)).toBeLessThan(1e-6)
  })
})

test('two phases of a training: the published 0.336 at order 23', () => {
  const mechanisms = [
    gaussian({ sampleRate: 1e-5, noiseMultiplier: 1, steps: 10 }),
    gaussian({ sampleRate: 1e-4, noiseMultiplier: 3, steps: 4 }),
  ]
  const orders = Array.from({ length: 62 }, (_, i) => i + 2)
  const { epsilon, order } = rdpEpsilon(mechanisms, 1e-5, { orders })
  expect(epsilon).toBeCloseTo(0.336, 3)
  expect(order).toBe(23)
})

test('whole orders and broken ones are one curve', () => {
  for (const [q, sigma] of [
    [0.01, 0.7],
    [0.3, 2],
    [1e-4, 0.5],
    [0.9, 30],
  ] as const) {
    for (const alpha of [2, 5, 12, 40]) {
      const at = sampledGaussianRdp({ q, sigma, alpha })
      const beside = sampledGaussianRdp({ q, sigma, alpha: alpha + 1e-9 })
      expect(Math.abs(beside / at - 1)).toBeLessThan(1e-6)
    }
  }
})

test('what cannot be accounted for is said', () => {
  const one = gaussian({ sampleRate: 0.1, noiseMultiplier: 1, steps: 5 })
  expect(() => rdpEpsilon([one], 0)).toThrow('delta is 0; it must lie between 0 and 1')
  expect(() => rdpEpsilon([{ ...one, sampleRate: 1.5 } as typeof one], 0.1)).toThrow('sampleRate is 1.5')
  expect(() => rdpEpsilon([one], 1e-5, { neighbours: 'replace' })).toThrow('relation replace; there is none here')
  expect(() => rdpEpsilon([{ ...one, kind: 'fixed-size' } as typeof one], 1e-5)).toThrow('ask for the relation replace')
})

test('orders may be given in any order, and more than once', () => {
  for (const mechanism of [
    gaussian({ sampleRate: 1, noiseMultiplier: 20, steps: 1 }),
    gaussian({ sampleRate: 0.1, noiseMultiplier: 0.6, steps: 9 }),
  ]) {
    // biome-ignore format: a list
    const orders = [1.5, 2, 3, 8, 20, 64, 200]
    const rising = rdpEpsilon([mechanism], 1e-6, { orders })
    for (const shuffled of [orders.toReversed(), [20, 3, 200, 20, 1.5, 64, 8, 2], [...orders, ...orders]]) {
      expect(rdpEpsilon([mechanism], 1e-6, { orders: shuffled })).toEqual(rising)
    }
  }
})
