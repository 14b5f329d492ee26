import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { engine } from '../engine/engine.js'
import { kernelPairs } from './kernel-pairs.js'
import { lbfgs } from './lbfgs.js'
import { minimise, type Objective } from './optimiser.js'

const products = (s: Float64Array, y: Float64Array) => ({
  sy: s.reduce((sum, x, j) => sum + x * y[j]!, 0),
  yy: y.reduce((sum, x) => sum + x * x, 0),
})

describe('steps remembered in kernel memory', () => {
  const entry = fc.double({ min: -3, max: 3, noNaN: true })
  const pair = (size: number) =>
    fc.tuple(
      fc.array(entry, { minLength: size, maxLength: size }),
      fc.array(entry, { minLength: size, maxLength: size }),
    )
  const search = fc
    .integer({ min: 1, max: 37 })
    .chain((size) => fc.record({ pairs: fc.array(pair(size), { maxLength: 9 }), gradient: pair(size) }))

  test('give the direction that the plain ones give, whatever was forgotten and overwritten before', () => {
    fc.assert(
      fc.property(search, fc.integer({ min: 1, max: 4 }), ({ pairs, gradient: [g] }, most) => {
        const size = g.length
        const plain = lbfgs({ memory: most }).init(size).memory
        const kernel = kernelPairs(size, most)
        const [expected, found] = [new Float64Array(size), new Float64Array(size).fill(7)]
        for (const [k, [steps, changes]] of pairs.entries()) {
          const s = Float64Array.from(steps)
          // Changes that go with the step, so that the curvature is positive and nothing is blown up.
          const y = Float64Array.from(changes, (x, j) => s[j]! + 0.1 * x)
          const { sy, yy } = products(s, y)
          if (!(sy > 0.01)) continue
          for (const memory of [plain, kernel]) memory.keep(s, y, { sy, yy })
          if (k === 4) for (const memory of [plain, kernel]) memory.forget()
          expect(kernel.count()).toBe(plain.count())
          s.fill(99) // what is remembered is a copy
          plain.directionInto(expected, Float64Array.from(g))
          kernel.directionInto(found, Float64Array.from(g))
          const size2 = Math.sqrt(expected.reduce((sum, x) => sum + x * x, 1e-30))
          for (const [j, x] of expected.entries()) expect(Math.abs(found[j]! - x)).toBeLessThan(1e-9 * size2)
        }
        kernel.release()
      }),
    )
  })

  test('with nothing remembered it is the way down', () => {
    const kernel = kernelPairs(3, 2)
    const d = new Float64Array(3)
    kernel.directionInto(d, Float64Array.of(1, -2, 0))
    expect([...d]).toEqual([-1, 2, -0])
    kernel.release()
  })

  test('lead a search to the same place, and are given back when it ends', () => {
    const n = 60
    const objective: Objective = (x) => ({
      value: x.reduce((sum, a, j) => sum + 0.5 * (1 + j) * (a - 1) * (a - 1), 0),
      gradient: x.map((a, j) => (1 + j) * (a - 1)),
    })
    const before = engine().inUse()
    const [plain, kernel] = [false, true].map((inKernels) =>
      minimise(lbfgs({ inKernels, memory: 5 }), objective, new Float64Array(n), {
        maxIterations: 200,
        gradientTolerance: 1e-8,
      }),
    )
    expect(engine().inUse()).toBe(before)
    expect(kernel).toMatchObject({ reason: 'gradient', iterations: plain!.iterations })
    for (const x of kernel!.x) expect(x).toBeCloseTo(1, 7)
  })
})
