import { expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { conjugatePlace, fourier, inverseFourier } from './fourier.js'

const reversed = (i: number, bits: number): number => {
  let out = 0
  for (let b = 0; b < bits; b++) out = 2 * out + ((i >> b) & 1)
  return out
}

test.each([0, 1, 2, 3, 6])('2^%i numbers: the definition, and back', (bits) => {
  const n = 1 << bits
  const stream = rng(5).fork('bits', bits)
  const x = { re: stream.normals(n), im: stream.normals(n) }
  const y = { re: x.re.slice(), im: x.im.slice() }
  fourier(y)
  for (let f = 0; f < n; f++) {
    let [re, im] = [0, 0]
    for (let j = 0; j < n; j++) {
      const [c, s] = [Math.cos((2 * Math.PI * j * f) / n), Math.sin((2 * Math.PI * j * f) / n)]
      re += x.re[j]! * c + x.im[j]! * s
      im += x.im[j]! * c - x.re[j]! * s
    }
    expect(y.re[reversed(f, bits)]!).toBeCloseTo(re, 11)
    expect(y.im[reversed(f, bits)]!).toBeCloseTo(im, 11)
    expect(conjugatePlace(reversed(f, bits))).toBe(reversed((n - f) % n, bits))
  }
  inverseFourier(y)
  for (let j = 0; j < n; j++) {
    expect(y.re[j]!).toBeCloseTo(x.re[j]!, 13)
    expect(y.im[j]!).toBeCloseTo(x.im[j]!, 13)
  }
})

test('lengths that are no power of two are refused', () => {
  expect(() => fourier({ re: new Float64Array(6), im: new Float64Array(6) })).toThrow('6')
  expect(() => inverseFourier({ re: new Float64Array(4), im: new Float64Array(2) })).toThrow('4 and 2')
})
