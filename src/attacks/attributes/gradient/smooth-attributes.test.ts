import { describe, expect, test } from 'vitest'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Sensitive, Unknown } from '../unknown-columns.js'
import {
  climb,
  copyOf,
  drawInto,
  fillValues,
  type RelaxationOptions,
  type Relaxed,
  relaxed,
  valuesOf,
} from './smooth-attributes.js'

const unknown = (sensitive: Partial<Sensitive>, places: number[], candidates: number[][]): Unknown => ({
  sensitive: { name: 's', columns: places.map(String), ...sensitive } as Sensitive,
  places,
  candidates,
})
const measured = unknown({ kind: 'continuous', range: [-1, 3] }, [1], [[-1], [1], [3]])
const pair = unknown({ kind: 'binary' }, [2, 0], [[-0.5, 7], [2, 3]]) // biome-ignore format: a line
const three = unknown({ kind: 'categorical' }, [1, 2], [[0, 5], [1, -2], [0, 1]]) // biome-ignore format: a line

const soft: RelaxationOptions = { variant: 'soft', draws: 0, temperature: 0.5, start: 'zero' }
const whole: RelaxationOptions = { ...soft, variant: 'straight-through' }
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))
const softmax = (x: readonly number[]): number[] => {
  const total = x.reduce((sum, one) => sum + Math.exp(one), 0)
  return x.map((one) => Math.exp(one) / total)
}
const close = (found: ArrayLike<number>, wanted: readonly number[]) => {
  expect(found).toHaveLength(wanted.length)
  for (const [at, x] of wanted.entries()) expect(found[at]).toBeCloseTo(x, 12)
}
const made = (attribute: Unknown, width: number, logits: readonly number[]): Relaxed => ({
  ...{ attribute, width },
  logits: Float64Array.from(logits),
})
const nines = (rows: number): Matrix => matrix(rows, 3, new Float64Array(3 * rows).fill(9))

test('two values and a continuous attribute have one logit, others one for each value', () => {
  const drawn = (attribute: Unknown) => relaxed(attribute, 2, { ...soft, start: 'normal' }, rng(5))
  expect([measured, pair, three].map((one) => drawn(one).width)).toEqual([1, 1, 3])
  expect(drawn(three).logits).toEqual(rng(5).normals(6))
  expect(drawn(pair).logits).toEqual(rng(5).normals(2))
  expect(relaxed(three, 2, soft, rng(5)).logits).toEqual(new Float64Array(6))
  const coin = unknown({ kind: 'continuous', range: [0, 1] }, [1], [[0], [0.5], [1]])
  expect(relaxed(coin, 1, soft, rng(5)).width).toBe(1)
})

describe('a draw', () => {
  test('of a continuous attribute is as far through its range as the sigmoid says, whatever the variant and the temperature', () => {
    for (const options of [soft, whole]) {
      const records = nines(2)
      const { shares } = drawInto(records, made(measured, 1, [0, 1.5]), { ...options, draws: 2, rng: rng(1) })
      close(shares, [0.5, sigmoid(1.5)])
      close(records.data, [9, 1, 9, 9, -1 + 4 * sigmoid(1.5), 9])
    }
  })

  test('of two values lies between both, or is one of them: the first at one half', () => {
    const one = made(pair, 1, [0, 0.25, -3])
    const [between, rounded] = [nines(3), nines(3)]
    const { shares } = drawInto(between, one, { ...soft, rng: rng(1) })
    close(shares, [0.5, sigmoid(0.5), sigmoid(-6)])
    close(
      between.data,
      [...shares].flatMap((p) => [7 - 4 * p, 9, -0.5 + 2.5 * p]),
    )
    expect(drawInto(rounded, one, { ...whole, rng: rng(1) }).shares).toEqual(shares)
    expect([...rounded.data]).toEqual([7, 9, -0.5, 3, 9, 2, 7, 9, -0.5])
  })

  test('of two values has the noise of one Gumbel number, or of the difference of two', () => {
    const one = made(pair, 1, [0.3, -1])
    const g = rng(8)
    const noise = [g.gumbel(), g.gumbel(), g.gumbel(), g.gumbel()] as const
    const shares = (draws: number) => drawInto(nines(2), one, { ...soft, draws, rng: rng(8) }).shares
    close(shares(1), [sigmoid((0.3 + noise[0]) / 0.5), sigmoid((-1 + noise[1]) / 0.5)])
    close(shares(2), [sigmoid((0.3 + noise[0] - noise[1]) / 0.5), sigmoid((-1 + noise[2] - noise[3]) / 0.5)])
    const used = rng(8)
    drawInto(nines(2), one, { ...soft, draws: 2, rng: used })
    expect(used.gumbel()).toBe(g.gumbel()) // no more are drawn than are needed
  })

  test('of three values mixes their columns, or takes the likeliest, the first of equal ones', () => {
    const one = made(three, 3, [1, 0, -1, 0.5, 2, 2])
    const [between, rounded] = [nines(2), nines(2)]
    const { shares } = drawInto(between, one, { ...soft, rng: rng(1) })
    const [a, b] = [softmax([2, 0, -2]), softmax([1, 4, 4])] as [number[], number[]]
    close(shares, [...a, ...b])
    const mixed = (p: number[]) => [9, p[1]!, 5 * p[0]! - 2 * p[1]! + p[2]!]
    close(between.data, [...mixed(a), ...mixed(b)])
    drawInto(rounded, one, { ...whole, rng: rng(1) })
    expect([...rounded.data]).toEqual([9, 0, 5, 9, 1, -2])
  })

  test('of three values has a Gumbel number for each', () => {
    const g = rng(8)
    const logits = [1, 0, -1].map((x) => (x + g.gumbel()) / 0.5)
    const used = rng(8)
    const { shares } = drawInto(nines(1), made(three, 3, [1, 0, -1]), { ...soft, draws: 1, rng: used })
    close(shares, softmax(logits))
    expect(used.gumbel()).toBe(g.gumbel())
  })

  test('of huge logits is no NaN', () => {
    close(drawInto(nines(1), made(three, 3, [2000, 1000, -3000]), { ...soft, rng: rng(1) }).shares, [1, 0, 0])
  })
})

test.each([
  ['a continuous attribute', measured, 1, [0.2, -0.7]],
  ['two values', pair, 1, [0.2, -0.7]],
  ['three values', three, 3, [1, 0, -1, 0.5, 2, 0.2]],
] as const)('a climb follows the slope that a draw of %s has in its logits', (_, attribute, width, logits) => {
  const [places, from, rate] = [attribute.places.length + 3, 2, 0.1]
  const slope = rng(3).normals(2 * places)
  // What a linear function of the attribute's columns gives at other logits.
  const height = (at: readonly number[]): number => {
    const records = nines(2)
    drawInto(records, made(attribute, width, at), { ...soft, rng: rng(1) })
    let sum = 0
    for (let i = 0; i < 2; i++)
      for (const [c, place] of attribute.places.entries())
        sum += slope[i * places + from + c]! * records.data[3 * i + place]!
    return sum
  }
  const one = made(attribute, width, logits)
  const draw = drawInto(nines(2), one, { ...soft, rng: rng(1) })
  climb(one, draw, { slope, places, from, rate, tau: attribute === measured ? 9 : soft.temperature })
  for (const [l, x] of logits.entries()) {
    const moved = (by: number): number => height(logits.map((y, at) => (at === l ? x + by : y)))
    expect((one.logits[l]! - x) / rate).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 7)
  }
})

describe('values without noise', () => {
  test('are the likeliest, the first of equal ones', () => {
    expect([...valuesOf(made(pair, 1, [-1, 0, 1e-9]))]).toEqual([0, 0, 1])
    expect([...valuesOf(made(three, 3, [1, 0, 1, -1, 2, 2, -3, -2, -1]))]).toEqual([0, 1, 2])
    close(valuesOf(made(measured, 1, [0, -2])), [1, -1 + 4 * sigmoid(-2)])
  })

  test('are written where the columns are, and a copy leaves what it was made of', () => {
    const records = nines(2)
    const copy = copyOf(records)
    fillValues(copy, three, Float64Array.of(2, 1))
    expect([...copy.data]).toEqual([9, 0, 1, 9, 1, -2])
    fillValues(copy, measured, Float64Array.of(0.25, -1))
    expect([...copy.data]).toEqual([9, 0.25, 1, 9, -1, -2])
    expect([copy.rows, copy.cols, ...records.data]).toEqual([2, 3, 9, 9, 9, 9, 9, 9])
  })
})
