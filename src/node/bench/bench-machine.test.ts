import { expect, test } from 'vitest'
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

test.each(['f32', 'f64'] as const)(
  'one run is enough for a %s peak, in thousands of millions a second',
  (precision) => {
    const peak = simdPeak(precision, 1)
    expect(peak).toBeGreaterThan(0.01)
    expect(peak).toBeLessThan(2000) // a thread with four lanes would need hundreds of gigahertz
  },
)
