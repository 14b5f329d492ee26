import { describe, expect, test } from 'vitest'
import { quickNormals } from '../random/quick-normals.js'
import { rng } from '../random/rng.js'
import { addNoise, drawMask } from './added-noise.js'
import { createEngine } from './engine.js'
import { streamBytes, streamInto } from './sampler-kernels.js'

/** Draws in the kernel, from the stream of a seed. */
function inKernel(seed: number, count: number) {
  const host = createEngine()
  const stream = host.allocate(streamBytes).address
  const to = host.allocate(8 * count).address
  streamInto(host.viewInts(stream, streamBytes / 4), rng(seed).address())
  const { draws } = host
  const doubles = (): number[] => [...host.view('f64', to, count)]
  return {
    normals() {
      draws.normals(to, count, stream)
      return doubles()
    },
    gammas(shape: number) {
      draws.gammas(to, count, stream, shape)
      return doubles()
    },
    integers(bound: number) {
      draws.integers(to, count, stream, bound)
      return Array.from(host.viewInts(to, count), (x) => x >>> 0)
    },
  }
}

const times = (count: number, draw: () => number): number[] => Array.from({ length: count }, draw)

describe('a kernel draws what the stream would', () => {
  test('normals, far tails among them', () => {
    const [own, there] = [rng(4), inKernel(4, 50_000)]
    const found = there.normals()
    expect(found).toEqual(times(50_000, () => own.normal()))
    expect(Math.max(...found)).toBeGreaterThan(3.5)
    expect(there.normals()).toEqual(times(50_000, () => own.normal())) // goes on where it was
  })

  test.each([0.05, 0.7, 1, 1.5, 30, 9990.5])('gammas of shape %d', (shape) => {
    const [own, there] = [rng(5), inKernel(5, 3000)]
    expect(there.gammas(shape)).toEqual(times(3000, () => own.gamma(shape)))
  })

  test.each([1, 2, 3, 7, 1000, 2 ** 31 + 1, 2 ** 32 - 1])('integers below %d, those that are rejected too', (bound) => {
    const [own, there] = [rng(6), inKernel(6, 4000)]
    expect(there.integers(bound)).toEqual(times(4000, () => own.integer(bound)))
  })

  test('one kind after another', () => {
    const [own, there] = [rng(7), inKernel(7, 3)]
    expect(there.integers(10)).toEqual(times(3, () => own.integer(10)))
    expect(there.normals()).toEqual(times(3, () => own.normal()))
    expect(there.gammas(0.3)).toEqual(times(3, () => own.gamma(0.3)))
  })
})

describe('noise in kernel memory is what the stream draws', () => {
  const far = 200_000
  test.each([0, 1, 2, 7, 8, 9, 15, 16, 255, 256, 257, 513, 5633])('%d values', (d) => {
    for (const [precision, round, drawn] of [
      ['f32', Math.fround, (seed: string, std: number) => quickNormals(rng(seed), d, std)],
      [
        'f64',
        (x: number) => x,
        (seed: string, std: number) =>
          rng(seed)
            .normals(d)
            .map((z) => std * z),
      ],
    ] as const) {
      const host = createEngine()
      const to = host.allocate(8 * d + 64).address
      const before = rng(8)
        .normals(d + 8)
        .map(round)
      host.view(precision, to, d + 8).set(before)
      addNoise(host, { precision, address: to, d }, { stream: rng('once'), std: 0.3 })
      addNoise(host, { precision, address: to, d }, { stream: rng('again'), std: -2 })
      const [first, second] = [drawn('once', 0.3), drawn('again', -2)]
      const after = before.map((x, i) => (i < d ? round(round(x + first[i]!) + second[i]!) : x))
      expect([...host.view(precision, to, d + 8)]).toEqual([...after])
    }
  })

  test('far tails', () => {
    const host = createEngine()
    const to = host.allocate(8 * far).address
    host.view('f64', to, far).fill(0)
    addNoise(host, { precision: 'f64', address: to, d: far }, { stream: rng(10), std: 1 })
    const [found, own] = [host.view('f64', to, far), rng(10)]
    let [wrong, largest] = [0, 0]
    for (const x of found) {
      if (x !== own.normal()) wrong++
      largest = Math.max(largest, Math.abs(x))
    }
    expect(wrong).toBe(0)
    expect(largest).toBeGreaterThan(4)
  })
})

describe('a mask in kernel memory leaves the units that the stream leaves', () => {
  test.each([0, 1, 7, 8, 9, 31, 4099])('%d units', (d) => {
    for (const [precision, round] of [
      ['f32', Math.fround],
      ['f64', (x: number) => x],
    ] as const) {
      const host = createEngine()
      const to = host.allocate(8 * d + 64).address
      host.view(precision, to, d + 8).fill(5)
      for (const [seed, rate] of [
        [11, 0.1],
        [12, 0.5],
      ] as const) {
        drawMask(host, { precision, address: to, d }, { stream: rng(seed), rate })
        const left = Array.from(rng(seed).uniforms(d), (u) => (u < rate ? 0 : round(1 / (1 - rate))))
        expect([...host.view(precision, to, d + 8)]).toEqual([...left, ...new Array<number>(8).fill(5)])
      }
    }
  })
})
