import { expect, test, vi } from 'vitest'
import { createEngine } from '../../numeric/engine/engine.js'
import { simdPeak } from './bench-machine.js'

test.each(['f32', 'f64'] as const)('the %s peak kernel does what is counted: twelve streams, n turns', (precision) => {
  const lanes = precision === 'f32' ? 4 : 2
  const host = createEngine()
  const { address } = host.allocate(14 * 16)
  const at = host.view(precision, address, 14 * lanes)
  for (let v = 0; v < 14; v++) at.fill([0.5, 2][v] ?? 2 ** v, v * lanes, (v + 1) * lanes)
  host[precision].peak(address, 3)
  // six streams from 2^2 .. 2^7 halved three times, six from 2^8 .. 2^13 with 2 added three times
  const expected = (256 - 4) / 8 + (16384 - 256) + 6 * 6
  expect([...at.slice(0, lanes)]).toEqual(Array(lanes).fill(expected))
})

test.each([
  ['f32', 4.8],
  ['f64', 2.4],
] as const)('the %s peak is that of the fastest run, in thousands of millions a second', (precision, expected) => {
  const times = [0, 5, 10, 12, 20, 24] // runs of 5, 2 and 4 milliseconds, each of 12 x lanes x 200,000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => times.shift()!)
  try {
    expect(simdPeak(precision, 3)).toBe(expected)
  } finally {
    clock.mockRestore()
  }
})
