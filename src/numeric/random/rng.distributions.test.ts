/** Do the draws follow their laws? Seeds are fixed, bounds are four standard errors, parameters are not the trivial. */
import { describe, expect, test } from 'vitest'
import { type Rng, rng } from './rng.js'

const draws = (n: number, draw: () => number) => Float64Array.from({ length: n }, draw)
const mean = (x: Float64Array) => x.reduce((a, b) => a + b, 0) / x.length
const variance = (x: Float64Array) => {
  const m = mean(x)
  return x.reduce((a, b) => a + (b - m) ** 2, 0) / x.length
}

/** Distance of the mean and the variance from what they should be, in standard errors. */
function expectMoments(x: Float64Array, law: { mean: number; variance: number; fourth: number }): void {
  const n = x.length
  expect(Math.abs(mean(x) - law.mean) / Math.sqrt(law.variance / n)).toBeLessThan(4)
  expect(Math.abs(variance(x) - law.variance) / Math.sqrt((law.fourth - law.variance ** 2) / n)).toBeLessThan(4)
}

/** Kolmogorov and Smirnov. 2.276 is exceeded with the probability of four standard errors, 6.3e-5. */
function expectFollows(x: Float64Array, cdf: (x: number) => number): void {
  const n = x.length
  const sorted = x.slice().sort()
  let D = 0
  for (let i = 0; i < n; i++) {
    const F = cdf(sorted[i]!)
    D = Math.max(D, F - i / n, (i + 1) / n - F)
  }
  expect(D * Math.sqrt(n)).toBeLessThan(2.276)
}

/** Pearson: the sum has mean df and variance 2 df. */
function expectCounts(counts: readonly number[], probabilities: readonly number[]): void {
  const n = counts.reduce((a, b) => a + b, 0)
  const chi2 = counts.reduce((sum, count, i) => sum + (count - n * probabilities[i]!) ** 2 / (n * probabilities[i]!), 0)
  const df = counts.length - 1
  expect(Math.abs(chi2 - df) / Math.sqrt(2 * df)).toBeLessThan(4)
}

const even = (n: number) => new Array<number>(n).fill(1 / n)
function tally(n: number, draw: () => number, bins: number): number[] {
  const counts = new Array<number>(bins).fill(0)
  for (let i = 0; i < n; i++) counts[draw()]!++
  return counts
}

describe('words', () => {
  test('each bit is set half of the time, and independently of the bit before', () => {
    const n = 100_000
    const set = new Array<number>(32).fill(0)
    const kept = new Array<number>(32).fill(0)
    const r = rng('bits')
    let last = r.u32()
    for (let i = 0; i < n; i++) {
      const word = r.u32()
      for (let b = 0; b < 32; b++) {
        set[b]! += (word >>> b) & 1
        kept[b]! += ((word ^ last) >>> b) & 1
      }
      last = word
    }
    // 64 questions at once: five standard errors.
    for (const count of [...set, ...kept]) expect(Math.abs(count - n / 2) / Math.sqrt(n / 4)).toBeLessThan(5)
  })

  test('bytes at every place of a block are even', () => {
    const r = rng('bytes')
    for (const shift of [0, 8, 16, 24])
      expectCounts(
        tally(100_000, () => (r.u32() >>> shift) & 255, 256),
        even(256),
      )
  })
})

describe('uniform', () => {
  const n = 200_000
  test('is even, open, and unrelated to the draw before', () => {
    const u = rng('uniform').uniforms(n)
    expectFollows(u, (x) => x)
    expectMoments(u, { mean: 1 / 2, variance: 1 / 12, fourth: 1 / 80 })
    expect(u.every((x) => x > 0 && x < 1)).toBe(true)
    for (const lag of [1, 2, 3]) {
      expectFollows(
        u.subarray(lag).map((x, i) => (x + u[i]!) % 1),
        (x) => x,
      )
    }
  })

  test('first draws of neighbouring addresses are even and unrelated', () => {
    const root = rng(3)
    for (const stream of [(k: number) => root.fork('client', k), (k: number) => rng(k), (k: number) => rng(`${k}`)]) {
      const u = Float64Array.from({ length: 20_000 }, (_, k) => stream(k).uniform())
      expectFollows(u, (x) => x)
      expectFollows(
        u.subarray(1).map((x, i) => (x - u[i]! + 1) % 1),
        (x) => x,
      )
    }
  })

  test('every value is an odd multiple of 2^-53', () => {
    for (const x of rng('grid').uniforms(1000)) expect((x * 2 ** 53) % 2).toBe(1)
  })
})

describe('integer', () => {
  test.each([2, 6, 10, 1000])('bound %d', (bound) => {
    const r = rng(bound)
    expectCounts(
      tally(100_000, () => r.integer(bound), bound),
      even(bound),
    )
  })

  test('no answer is likelier where a quarter of the words is rejected', () => {
    const r = rng('lemire')
    const bound = 3 * 2 ** 30 // unrejected, a multiple of 3 would come half of the time
    expectCounts(
      tally(60_000, () => r.integer(bound) % 3, 3),
      even(3),
    )
    expectFollows(
      draws(60_000, () => (r.integer(bound) + 0.5) / bound),
      (x) => x,
    )
  })
})

describe('normal', () => {
  // Python 3.11: [NormalDist().inv_cdf(k / 10) for k in range(1, 10)]
  const deciles = [-1.2815515655446008, -0.8416212335729142, -0.5244005127080409, -0.2533471031357998, 0]
  const cuts = [
    ...deciles,
    ...deciles
      .slice(0, 4)
      .map((x) => -x)
      .reverse(),
  ]

  test.each([0.1, 0.5, 2])('has the standard deviation it was asked for: %d', (std) => {
    const n = 200_000
    const x = rng(std).normals(n, { mean: -3, std })
    expectMoments(x, { mean: -3, variance: std ** 2, fourth: 3 * std ** 4 })
    const bin = (z: number) => cuts.filter((cut) => z > cut).length
    let i = 0
    expectCounts(
      tally(n, () => bin((x[i++]! + 3) / std), 10),
      even(10),
    )
    const far = x.filter((v) => Math.abs(v + 3) / std > 3.090232306167813).length // 2 in 1000
    expect(Math.abs(far - 0.002 * n) / Math.sqrt(0.002 * n)).toBeLessThan(4)
  })

  test('the logarithm of a lognormal', () => {
    const r = rng('lognormal')
    const x = draws(50_000, () => Math.log(r.lognormal({ logMean: 1.5, logStd: 0.5 })))
    expectMoments(x, { mean: 1.5, variance: 0.25, fourth: 3 / 16 })
  })
})

test('exponential', () => {
  const r = rng('exponential')
  const x = draws(100_000, () => r.exponential())
  expectMoments(x, { mean: 1, variance: 1, fourth: 9 })
  expectFollows(x, (v) => -Math.expm1(-v))
})

test('gumbel', () => {
  const r = rng('gumbel')
  const x = draws(100_000, () => r.gumbel())
  const v = Math.PI ** 2 / 6
  expectMoments(x, { mean: 0.5772156649015329, variance: v, fourth: 5.4 * v ** 2 }) // excess kurtosis 12 / 5
  expectFollows(x, (t) => Math.exp(-Math.exp(-t)))
})

describe('gamma', () => {
  // mpmath 1.3 at 30 digits: x with gammainc(shape, 0, x, regularized=True) = 1/10 .. 9/10
  const cuts: Record<string, readonly number[]> = {
    0.1: [
      6.07304836274e-11, 6.21880187468e-8, 3.58608601841e-6, 6.36842144201e-5, 0.00059339110446, 0.00368445073366,
      0.0174277763893, 0.06938988324, 0.266154553739,
    ],
    1: Array.from({ length: 9 }, (_, k) => -Math.log1p(-(k + 1) / 10)),
    7.5: [
      4.27337812085, 5.15347950331, 5.86058448647, 6.51487479969, 7.16942975548, 7.86661147579, 8.66084724925,
      9.6553285553, 11.1535647908,
    ],
  }

  test.each([0.1, 1, 7.5])('shape %d', (shape) => {
    const n = 100_000
    const r = rng(shape)
    const x = draws(n, () => r.gamma(shape))
    expectMoments(x, { mean: shape, variance: shape, fourth: 3 * shape ** 2 + 6 * shape })
    let i = 0
    const bin = (v: number) => cuts[shape]!.filter((cut) => v > cut).length
    expectCounts(
      tally(n, () => bin(x[i++]!), 10),
      even(10),
    )
  })

  test('the logarithm at shape 0.1, which hangs on the small draws', () => {
    const r = rng('log gamma')
    const x = draws(100_000, () => Math.log(r.gamma(0.1)))
    // mpmath 1.3: digamma(0.1), psi(1, 0.1), psi(3, 0.1) + 3 psi(1, 0.1)^2
    const v = 101.43329915079276
    expectMoments(x, { mean: -10.423754940411077, variance: v, fourth: 60004.51287679027 + 3 * v ** 2 })
  })

  test('a large shape is nearly normal', () => {
    const r = rng('large')
    const a = 1e10
    expectMoments(
      draws(50_000, () => (r.gamma(a) - a) / Math.sqrt(a)),
      { mean: 0, variance: 1, fourth: 3 },
    )
  })
})

test('categorical', () => {
  const r = rng('categorical')
  const counts = tally(100_000, () => r.categorical([0, 3, 0, 1, 6, 0, 2]), 7)
  expect([counts[0], counts[2], counts[5]]).toEqual([0, 0, 0])
  expectCounts(
    [1, 3, 4, 6].map((i) => counts[i]!),
    [3 / 12, 1 / 12, 6 / 12, 2 / 12],
  )
})

describe('dirichlet', () => {
  test.each([
    ['0.01 each', [0.01, 0.01, 0.01, 0.01]],
    ['1 each', [1, 1, 1]],
    ['10 each', [10, 10, 10, 10, 10]],
    ['0.01, 1, 10', [0.01, 1, 10]],
  ])('%s', (name, concentrations) => {
    const n = 50_000
    const r = rng(name)
    const columns = concentrations.map(() => new Float64Array(n))
    for (let i = 0; i < n; i++) {
      const shares = r.dirichlet(concentrations)
      let sum = 0
      for (const [j, share] of shares.entries()) {
        columns[j]![i] = share
        sum += share
      }
      if (!(Math.abs(sum - 1) < 1e-14)) throw new Error(`shares sum to ${sum}`)
    }
    const total = concentrations.reduce((a, b) => a + b)
    // Each share is a beta variate: raw moments E x^m = prod (a + i) / (total + i), i < m.
    for (const [j, a] of concentrations.entries()) {
      const [e1, e2, e3, e4] = [0, 1, 2, 3].map((m) => {
        let e = 1
        for (let i = 0; i <= m; i++) e *= (a + i) / (total + i)
        return e
      }) as [number, number, number, number]
      const fourth = e4 - 4 * e1 * e3 + 6 * e1 ** 2 * e2 - 3 * e1 ** 4
      expectMoments(columns[j]!, { mean: e1, variance: e2 - e1 ** 2, fourth })
    }
  })

  test('a share of dirichlet(1, 1) is uniform', () => {
    const r = rng('beta')
    expectFollows(
      draws(50_000, () => r.dirichlet([1, 1])[0]!),
      (x) => x,
    )
  })

  test('at concentration 1e-3 each corner is reached in its turn', () => {
    const r = rng('corners')
    const corner = (shares: Float64Array) => shares.indexOf(Math.max(...shares))
    expectCounts(
      tally(20_000, () => corner(r.dirichlet([1e-3, 3e-3, 2e-3])), 3),
      [1 / 6, 3 / 6, 2 / 6],
    )
  })
})

describe('orders', () => {
  const code = (items: Int32Array, n: number) => items.reduce((sum, item) => sum * n + item, 0)

  function expectEvenOrders(draw: (r: Rng) => Int32Array, n: number, orders: number): void {
    const r = rng(`orders ${orders}`)
    const counts = new Map<number, number>()
    for (let i = 0; i < 48_000; i++) {
      const key = code(draw(r), n)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    expect(counts.size).toBe(orders)
    expectCounts([...counts.values()], even(orders))
  }

  test('all 24 permutations of 4 come equally often', () => {
    expectEvenOrders((r) => r.permutation(4), 4, 24)
  })

  test('all 20 ordered pairs of 5, by the dense way', () => {
    expectEvenOrders((r) => r.sample(5, 2), 5, 20)
  })

  test('all 110 ordered pairs of 11, by the sparse way', () => {
    expectEvenOrders((r) => r.sample(11, 2), 11, 110)
  })

  test('a sample of a thousand million lies evenly, in random order', () => {
    const taken = Float64Array.from(rng('wide').sample(1e9, 50_000), (i) => (i + 0.5) / 1e9)
    expectFollows(taken, (x) => x)
    expectFollows(taken.subarray(0, 500), (x) => x)
  })
})
