import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { engine } from '../numeric/engine/engine.js'
import { compressions } from './compressions/index.js'
import { begin, type DescentOptions, descend, descent, releaseDescent } from './descent.js'
import { optimizers } from './optimizers/index.js'
import { scheduleOf } from './schedules/index.js'

interface Fixture {
  readonly A: number[][]
  readonly b: number[]
  readonly c: number[]
  readonly start: number[]
  readonly cases: readonly {
    readonly title: string
    readonly optimizer: { readonly name: string }
    readonly options: DescentOptions
    readonly learningRate: number
    readonly path: number[][]
  }[]
}

/** Made by test/fixtures/torch-steps.py, which says how. */
const torch: Fixture = JSON.parse(
  readFileSync(new URL('../../test/fixtures/torch-steps.json', import.meta.url), 'utf8'),
)

/** Steps on the fixture's quadratic, by the code under test. */
function pathOf(options: DescentOptions, rate: number, precision: 'f64' | 'f32', again = false): number[][] {
  const host = engine()
  const d = torch.start.length
  const size = precision === 'f64' ? 8 : 4
  const [theta, grad] = [host.allocate(d * size), host.allocate(d * size)]
  const way = descent(options, { engine: host, precision, theta, d })
  const path: number[][] = []
  for (let turn = 0; turn < (again ? 2 : 1); turn++) {
    path.length = 0
    host.view(precision, theta.address, d).set(torch.start)
    begin(way)
    for (let s = 0; s < 6; s++) {
      const now = [...host.view(precision, theta.address, d)]
      const g = torch.A.map((row, i) => row.reduce((sum, a, j) => sum + a * now[j]!, -torch.b[i]! + s * torch.c[i]!))
      host.view(precision, grad.address, d).set(g)
      descend(way, grad.address, { learningRate: rate, count: s + 1 })
      path.push([...host.view(precision, theta.address, d)])
    }
  }
  releaseDescent(way)
  host.release(theta)
  host.release(grad)
  return path
}

const farthest = (a: number[][], b: number[][]): number =>
  a.flat().reduce((most, x, i) => Math.max(most, Math.abs(x - b.flat()[i]!)), 0)

describe("steps are PyTorch's", () => {
  test.each(torch.cases)('$title', ({ optimizer, options, learningRate, path }) => {
    const all = { ...options, optimizer }
    const ours = pathOf(all, learningRate, 'f64')
    expect(farthest(ours, path)).toBeLessThan(1e-12)
    const single = pathOf(all, learningRate, 'f32')
    expect(farthest(single, path)).toBeLessThan(2e-6)
    // A second turn begins with nothing remembered.
    expect(pathOf(all, learningRate, 'f64', true)).toEqual(ours)
  })
  test('every optimizer is among them', () => {
    expect(new Set(torch.cases.map(({ optimizer }) => optimizer.name))).toEqual(new Set(Object.keys(optimizers)))
  })
})

test('a first step of Adam is the learning rate in every coordinate, by hand', () => {
  // m = 0.1 g and v = 0.001 g^2, corrected to g and g^2: theta -= eta g / (|g| + tiny).
  const [first] = pathOf({ optimizer: { name: 'adam' } }, 0.05, 'f64')
  const g = torch.A.map((row, i) => row.reduce((sum, a, j) => sum + a * torch.start[j]!, -torch.b[i]!))
  const expected = g.map((slope, i) => torch.start[i]! - 0.05 * Math.sign(slope))
  expect(farthest([first!], [expected])).toBeLessThan(1e-8)
})

test.each([
  [{ momentum: 0.5, optimizer: { name: 'adam' } }, 'momentum is 0.5 beside the optimizer adam'],
  [{ weightDecay: -1 }, 'weightDecay is -1'],
  [{ clipNorm: 0 }, 'clipNorm is 0'],
  [{ optimizer: { name: 'adm' } }, 'unknown optimizer: "adm" (did you mean "adam"?)'],
  [{ optimizer: { name: 'adam', beta1: 2 } }, 'beta1 is 2'],
] as const)('%j is refused', (options, words) => {
  expect(() => pathOf(options as DescentOptions, 0.1, 'f64')).toThrow(words)
})

describe('compressions, by hand', () => {
  const x = Float64Array.of(0.3, -1.27, 0, 0.011, -0.3)
  test('top-k keeps the largest, of equals the first', () => {
    expect([...compressions['top-k'].compress!(x, { share: 0.4 })]).toEqual([0.3, -1.27, 0, 0, 0])
    expect([...compressions['top-k'].compress!(x, { share: 1e-9 })]).toEqual([0, -1.27, 0, 0, 0])
    expect([...compressions['top-k'].compress!(x, { share: 1 })]).toEqual([...x])
  })
  test('quantised values are whole multiples of the largest over 127', () => {
    const rounded = compressions.quantised.compress!(x, { bits: 8 })
    expect([...rounded].map((v) => Math.round(v / 0.01))).toEqual([30, -127, 0, 1, -30])
    expect(farthest([[...rounded]], [[...x]])).toBeLessThanOrEqual(0.005 + 1e-15)
    expect([...compressions.quantised.compress!(new Float64Array(3), { bits: 4 })]).toEqual([0, 0, 0])
  })
})

test('schedules, by hand', () => {
  const at = (spec: Parameters<typeof scheduleOf>[0], rounds: number[]) => rounds.map(scheduleOf(spec))
  expect(at({ name: 'constant' }, [0, 99])).toEqual([1, 1])
  expect(at({ name: 'step', every: 2, factor: 0.5 }, [0, 1, 2, 5])).toEqual([1, 1, 0.5, 0.25])
  expect(at({ name: 'exponential', factor: 0.5 }, [0, 3])).toEqual([1, 0.125])
  expect(at({ name: 'linear', over: 4, least: 0.5 }, [0, 2, 4, 9])).toEqual([1, 0.75, 0.5, 0.5])
  const cosine = at({ name: 'cosine', over: 6, least: 0.2 }, [0, 2, 3, 4, 6, 9])
  for (const [k, factor] of [1, 0.8, 0.6, 0.4, 0.2, 0.2].entries()) expect(cosine[k]).toBeCloseTo(factor, 14)
})
