import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Rng, rng } from './rng.js'

const words = (r: Rng, n = 6) => Array.from({ length: n }, () => r.u32())
const step = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 9 }),
  fc.integer(),
  fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
)
const path = fc.array(step, { minLength: 1, maxLength: 4 })

describe('fork', () => {
  test('a path may be walked in one go or in parts', () => {
    expect(words(rng(1).fork('round', 3, 'client', 2))).toEqual(words(rng(1).fork('round', 3).fork('client', 2)))
    fc.assert(
      fc.property(step, path, path, (seed, a, b) => {
        expect(words(rng(seed).fork(...a, ...b))).toEqual(
          words(
            rng(seed)
              .fork(...a)
              .fork(...b),
          ),
        )
      }),
    )
  })

  test('takes no draws from the parent and feels none', () => {
    const quiet = rng('p')
    const forked = rng('p')
    const seen = [forked.u32(), forked.u32()]
    const late = forked.fork('x')
    seen.push(forked.u32(), forked.u32(), forked.u32(), forked.u32())
    expect(seen).toEqual(words(quiet))
    expect(words(late)).toEqual(words(rng('p').fork('x')))
  })

  test('different paths give different streams', () => {
    const long = 'a'.repeat(300)
    const paths = [
      [1],
      ['1'],
      [1, 1],
      ['11'],
      ['1', '1'],
      [11],
      ['1', 1],
      [1, '1'],
      ['ab', 'c'],
      ['a', 'bc'],
      ['abc'],
      ['a', 'b', 'c'],
      ['abc', ''],
      ['', 'abc'],
      [''],
      ['', ''],
      ['a'],
      ['a\0'],
      ['a\0\0\0'],
      ['\0a'],
      ['aaaa'],
      ['aaaaa'],
      [long],
      [`${long}a`],
      [`b${long}`],
      // lone surrogates stay apart
      ['\ud800'],
      ['\udc00'],
      ['\ufffd'],
      ['é'],
      ['e\u0301'],
      [0],
      [0.1],
      [-0.1],
      [5e-324],
      [-1],
      [2 ** 53 - 1],
      [1 - 2 ** 53],
      [2 ** 32],
      [2 ** 32 + 1],
      ['round', 1, 'client', 2],
      ['round', 2, 'client', 1],
      ['client', 2, 'round', 1],
      ['round', 12, 'client'],
    ]
    const streams = paths.map((p) => words(rng(1).fork(...p)).join())
    expect(new Set(streams).size).toBe(paths.length)
    const seeds = [0, 2, '0', '1', '', 0.5, -1].map((seed) => words(rng(seed).fork('a')).join())
    expect(new Set([...seeds, ...streams]).size).toBe(seeds.length + paths.length)
  })

  test('no two of many addresses meet', () => {
    const first = new Set<number>()
    const n = 40_000
    const root = rng(5)
    for (let i = 0; i < n; i++) first.add(root.fork('client', i).u32() * 2 ** 21 + (root.fork('round', i).u32() >>> 11))
    expect(first.size).toBe(n)
  })

  test('minus zero is zero', () => {
    expect(words(rng(-0))).toEqual(words(rng(0)))
    expect(words(rng(1).fork(-0))).toEqual(words(rng(1).fork(0)))
  })

  test('adding a client or a draw moves nobody else', () => {
    const play = (clients: number, drawsOfClient0: number) => {
      const streams = Array.from({ length: clients }, (_, k) => rng(9).fork('round', 4, 'client', k))
      for (let i = 0; i < drawsOfClient0; i++) streams[0]!.normal()
      return streams.slice(1).map((r) => [...r.normals(5), ...r.permutation(7), r.gamma(0.3)])
    }
    expect(play(6, 11).slice(0, 2)).toEqual(play(3, 0))
  })
})

describe('the bits', () => {
  // First five words. Computed by a Python program written from the description of the address alone (UTF-16 units or
  // the double's bits after tag and length, in 64-bit keys permuting the fraction of pi), with Python's integers.
  test.each([
    ['seed 0', rng(0), [0xba8e3708, 0xdb1b73c0, 0x76ba14cf, 0xa19c6769, 0x07c84e7e]],
    ['seed 1', rng(1), [0xb6c29147, 0x94a982cb, 0x11d55972, 0x576e42b1, 0xacf95fe7]],
    ['seed "1"', rng('1'), [0xa6615d61, 0xd21a371a, 0x55af6269, 0x8d30473b, 0xa75b0c1d]],
    ['seed -7.25', rng(-7.25), [0x57ce6945, 0x57857e5e, 0x28af4ec8, 0xc1602f4d, 0x6f29ec56]],
    ['a seed of odd letters', rng('Żółw 🐢'), [0x164b6344, 0xa1a1ae30, 0x3ed0c8d7, 0x81662f38, 0xc7ab1fa9]],
    ['a path', rng(1).fork('round', 3, 'client', 2), [0x22f0afd4, 0x1a8916a2, 0xb83fca02, 0xe0f82b6e, 0x7a104fa9]],
  ])('words of %s', (_, stream, expected) => {
    expect(words(stream, 5)).toEqual(expected)
  })

  test('uniforms and normals', () => {
    // The same program; its normals by statistics.NormalDist().inv_cdf.
    expect([...rng(42).uniforms(3)]).toEqual([0.957272523820566, 0.8453210212902346, 0.04271858165329723])
    expect([...rng(42).normals(3)]).toEqual([1.7198761737962263, 1.016570156055759, -1.7199740247804916])
  })

  test('every other draw', () => {
    // The same program, which gives all of these to the last digit.
    const r = rng('golden')
    const drawn = {
      integers: [r.integer(10), r.integer(1000), r.integer(2 ** 32), r.integer(3 * 2 ** 30)],
      normal: r.normal({ mean: 3, std: 0.5 }),
      lognormal: r.lognormal({ logMean: -1, logStd: 2 }),
      gumbel: r.gumbel(),
      exponential: r.exponential(),
      gamma: [r.gamma(0.1), r.gamma(1), r.gamma(7.5)],
      categorical: [r.categorical([1, 2, 3]), r.categorical([1, 2, 3]), r.categorical([1, 2, 3])],
      dirichlet: [...r.dirichlet([0.5, 1, 10])],
      permutation: [...r.permutation(6)],
      sample: [...r.sample(1e9, 3)],
    }
    expect(drawn).toEqual({
      categorical: [2, 1, 2],
      dirichlet: [0.00010884375383186926, 0.004720527188429856, 0.9951706290577383],
      exponential: 0.14554966589488977,
      gamma: [1.7538239911799224e-7, 0.39741364784961847, 6.493765133428834],
      gumbel: 0.9824199997434055,
      integers: [7, 744, 1179594269, 1428668714],
      lognormal: 0.21474690225741844,
      normal: 2.6805057038648314,
      permutation: [3, 1, 5, 4, 2, 0],
      sample: [63941518, 960570402, 619649248],
    })
  })
})

describe('bulk draws', () => {
  test.each([0, 1, 2, 3, 31, 200])('%d at once are what single calls give, wherever the stream stands', (n) => {
    for (const before of [0, 1, 3, 4, 5, 67]) {
      const one = rng(n)
      const many = rng(n)
      words(one, before)
      words(many, before)
      expect(many.uniforms(n)).toEqual(Float64Array.from({ length: n }, () => one.uniform()))
      const options = { mean: -2, std: 0.1 }
      expect(many.normals(n, options)).toEqual(Float64Array.from({ length: n }, () => one.normal(options)))
      expect(many.normals(n)).toEqual(Float64Array.from({ length: n }, () => one.normal()))
      expect(many.u32()).toBe(one.u32())
    }
  })
})

describe('integer', () => {
  test('is the high word of x * bound, x not being rejected', () => {
    const bounds = fc.oneof(
      fc.integer({ min: 1, max: 2 ** 32 }),
      fc.constantFrom(1, 2, 3 * 2 ** 30, 2 ** 32 - 1, 2 ** 32),
    )
    fc.assert(
      fc.property(fc.integer(), bounds, (seed, bound) => {
        const ours = rng(seed)
        const theirs = rng(seed)
        const B = BigInt(bound)
        for (let i = 0; i < 20; i++) {
          let m = BigInt(theirs.u32()) * B
          while ((m & 0xffffffffn) < 2n ** 32n % B) m = BigInt(theirs.u32()) * B
          expect(ours.integer(bound)).toBe(Number(m >> 32n))
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('sample', () => {
  test('is the beginning of the permutation, sparse or not', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), fc.integer(), (a, b, seed) => {
        const [k, n] = [Math.min(a, b), Math.max(a, b)]
        expect(rng(seed).sample(n, k)).toEqual(rng(seed).permutation(n).slice(0, k))
      }),
    )
  })

  test('a permutation holds each number once', () => {
    for (const n of [0, 1, 2, 3, 100]) {
      expect([...rng('p').permutation(n)].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i))
    }
  })

  test('k of a thousand million', () => {
    const taken = rng('s').sample(1e9, 2000)
    expect(new Set(taken).size).toBe(2000)
    expect(taken.every((i) => i >= 0 && i < 1e9)).toBe(true)
    expect([...rng('s').sample(2 ** 31, 3)].every((i) => i >= 0)).toBe(true)
  })

  test('edges', () => {
    expect([...rng(0).sample(0, 0)]).toEqual([])
    expect([...rng(0).sample(1e9, 0)]).toEqual([])
    expect([...rng(0).sample(1, 1)]).toEqual([0])
  })
})

describe('edges', () => {
  test('choices of one', () => {
    const r = rng(0)
    expect(r.integer(1)).toBe(0)
    expect(r.categorical([2])).toBe(0)
    expect([...r.dirichlet([0.3])]).toEqual([1])
    expect(r.normal({ mean: 4, std: 0 })).toBe(4)
  })

  test('weight 0 is never drawn, and huge or tiny weights are fine', () => {
    const r = rng(1)
    for (let i = 0; i < 2000; i++) expect([1, 3]).toContain(r.categorical([0, 1e-9, 0, 1, 0, 0]))
    expect(r.categorical(Float64Array.of(0, 1e308))).toBe(1)
    expect(r.categorical([0, 5e-324, 0])).toBe(1)
  })

  test('tiny concentrations give one whole share, not 0/0', () => {
    const r = rng(2)
    for (const concentration of [1e-3, 1e-5, 1e-100, 1e-300]) {
      for (let i = 0; i < 200; i++) {
        const shares = [...r.dirichlet([concentration, concentration, concentration])]
        expect(Math.abs(shares.reduce((a, b) => a + b) - 1)).toBeLessThan(1e-15)
        if (concentration < 1e-4) expect(Math.max(...shares)).toBeGreaterThan(0.999)
      }
    }
    const even = [...r.dirichlet([1e300, 1e300])]
    expect(Math.abs(even[0]! - 0.5)).toBeLessThan(1e-12)
    expect(r.gamma(1e-300)).toBe(0)
    expect(r.gamma(1e300) / 1e300).toBeCloseTo(1, 12)
  })
})

test.each<[string, () => unknown, RegExp]>([
  ['seed NaN', () => rng(NaN), /NaN was given as a seed/],
  ['seed infinity', () => rng(-Infinity), /-Infinity was given/],
  ['seed 2^53', () => rng(2 ** 53), /9007199254740992 was given/],
  ['path of 1e300', () => rng(1).fork('a', 1e300), /1e\+300 was given/],
  ['path of null', () => rng(1).fork(null as unknown as string), /null \(object\) was given/],
  ['path of true', () => rng(1).fork(true as unknown as string), /true \(boolean\) was given/],
  ['no path', () => rng(1).fork(), /empty path/],
  ['bound 0', () => rng(1).integer(0), /bound 0/],
  ['bound 2^32 + 1', () => rng(1).integer(2 ** 32 + 1), /bound 4294967297/],
  ['bound 1.5', () => rng(1).integer(1.5), /bound 1.5/],
  ['bound NaN', () => rng(1).integer(NaN), /bound NaN/],
  ['std -1', () => rng(1).normal({ std: -1 }), /standard deviation is -1/],
  ['std NaN', () => rng(1).normals(2, { std: NaN }), /standard deviation is NaN/],
  ['mean infinite', () => rng(1).normal({ mean: Infinity }), /mean is Infinity/],
  ['logStd -2', () => rng(1).lognormal({ logMean: 0, logStd: -2 }), /standard deviation is -2/],
  ['shape 0', () => rng(1).gamma(0), /shape 0/],
  ['shape NaN', () => rng(1).gamma(NaN), /shape NaN/],
  ['shape infinite', () => rng(1).gamma(Infinity), /shape Infinity/],
  ['negative weight', () => rng(1).categorical([1, -2]), /weight 1 is -2/],
  ['NaN weight', () => rng(1).categorical([NaN]), /weight 0 is NaN/],
  ['no weight', () => rng(1).categorical([]), /0 weights sum to 0/],
  ['weights 0', () => rng(1).categorical([0, 0]), /2 weights sum to 0/],
  ['weights too large', () => rng(1).categorical([1e308, 1e308]), /sum to Infinity/],
  ['no concentration', () => rng(1).dirichlet([]), /0 concentrations/],
  ['concentration 0', () => rng(1).dirichlet([1, 0]), /concentration 1 is 0/],
  ['concentration 1e-310', () => rng(1).dirichlet([1e-310]), /concentration 0 is 1e-310/],
  ['n -1', () => rng(1).permutation(-1), /permutation of -1/],
  ['n 2.5', () => rng(1).permutation(2.5), /permutation of 2.5/],
  ['n too large', () => rng(1).sample(2 ** 31 + 1, 1), /sample from 2147483649/],
  ['k over n', () => rng(1).sample(3, 4), /sample from 3 of 4/],
  ['n NaN', () => rng(1).uniforms(NaN), /uniforms: NaN/],
  ['n -2', () => rng(1).normals(-2), /normals: -2/],
])('refuses %s', (_, draw, message) => {
  expect(draw).toThrow(message)
})
