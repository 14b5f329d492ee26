import { describe, expect, test } from 'vitest'
import { createEngine } from '../numeric/engine/engine.js'
import type { Precision } from '../numeric/engine/kernels.js'
import { type BatchPrograms, dropAll, lossProgram, programFor } from './batch-programs.js'
import { linear } from './linear.js'
import { mlp } from './mlp.js'
import { resident } from './resident.js'

function programsOf(more: Partial<BatchPrograms> = {}): BatchPrograms {
  const engine = createEngine()
  const model = more.model ?? linear({ inputs: 2, outputs: 1 })
  return {
    ...{ model, loss: 'mse', lossScale: 1, precision: 'f64', engine, single: false, clipped: false, roomy: false },
    shared: { theta: engine.allocate(8 * 64), times: engine.allocate(8), maxNorm: engine.allocate(8) },
    kept: new Map(),
    ...more,
  }
}
const dense = { compressed: false, fused: true }

test('a program is made once for every size and form', () => {
  const programs = programsOf()
  const forms = [dense, { compressed: true, fused: true }, { compressed: false, fused: false }, { compressed: true, fused: false }] // biome-ignore format: a list
  const made = [1, 2, 3].flatMap((rows) => forms.map((form) => programFor(programs, rows, form)))
  expect(new Set(made).size).toBe(12)
  const again = [1, 2, 3].flatMap((rows) => forms.map((form) => programFor(programs, rows, form)))
  expect(again).toEqual(made)
  for (const [i, one] of again.entries()) expect(one).toBe(made[i])
  for (const [i, { table }] of made.slice(0, 4).entries()) expect([i, table.bytes]).toEqual([i, 64])
  expect([16, 17].map((rows) => programFor(programs, rows, dense).table.bytes)).toEqual([64, 128])
})

test('64 are kept; the one that was used longest ago goes, and gives its memory back', () => {
  const programs = programsOf()
  const { engine, kept } = programs
  for (let rows = 1; rows <= 32; rows++) programFor(programs, rows, dense)
  const order = [...kept.keys()]
  programFor(programs, 1, dense)
  expect([...kept.keys()]).toEqual(order) // half full: nobody has to go soon
  for (let rows = 33; rows <= 64; rows++) programFor(programs, rows, dense)
  expect(kept.size).toBe(64)
  const [first, second] = [programFor(programs, 1, dense), programFor(programs, 2, dense)]
  expect([...kept.values()].slice(-2)).toEqual([first, second])
  const third = programFor(programs, 3, { ...dense, fused: true })
  expect([...kept.values()].at(-1)).toBe(third)
  const before = engine.inUse()
  programFor(programs, 4, { compressed: false, fused: false })
  expect(kept.size).toBe(64)
  expect(engine.inUse() - before).toBeLessThan(4096)
  // The fourth went, which nobody asked for again.
  expect([first, second, third].every((one) => [...kept.values()].includes(one))).toBe(true)
  expect(kept.has(4 * 4 + 1)).toBe(false)
  expect(kept.has(4 * 5 + 1)).toBe(true)
})

test('all memory comes back when all are dropped', () => {
  const programs = programsOf()
  const before = programs.engine.inUse()
  for (let rows = 1; rows <= 5; rows++) programFor(programs, rows, dense)
  expect(programs.engine.inUse()).toBeGreaterThan(before)
  dropAll(programs)
  expect(programs.kept.size).toBe(0)
  expect(programs.engine.inUse()).toBe(before)
})

describe('what a program does', () => {
  /** One record (3, 4) with label 1 beside theta (0.5, 0.25, 1): a prediction of 3.5. */
  function ran(more: Partial<BatchPrograms>, form = dense, precision: Precision = 'f64') {
    const programs = programsOf(more)
    const { engine, shared } = programs
    engine.view(precision, shared.theta.address, 3).set([0.5, 0.25, 1])
    engine.view(precision, shared.times.address, 1).set([-0.01])
    engine.view(precision, shared.maxNorm.address, 1).set([1])
    const { program } = programFor(programs, 1, form)
    program.set('X', [3, 4])
    program.set('y', [1])
    program.run()
    return { theta: [...engine.view(precision, shared.theta.address, 3)], program }
  }
  // The gradient is 2 (3.5 - 1) (3, 4, 1).
  test('a step, or the gradient alone', () => {
    const near = (found: ArrayLike<number>, wanted: number[]): void => {
      for (const [i, x] of wanted.entries()) expect(found[i]).toBeCloseTo(x, 13)
    }
    near(ran({}).theta, [0.35, 0.05, 0.95])
    near(ran({ lossScale: 0.5 }).theta, [0.425, 0.15, 0.975])
    const { theta, program } = ran({}, { compressed: false, fused: false })
    expect(theta).toEqual([0.5, 0.25, 1])
    near(program.read(0), [15, 20, 5])
    const length = Math.sqrt(26)
    near(ran({ clipped: true }, { compressed: false, fused: false }).program.read(0), [3 / length, 4 / length, 1 / length]) // biome-ignore format: a line
  })
  test('places that may be empty are an input of clipped programs', () => {
    const names = (more: Partial<BatchPrograms>) => programFor(programsOf(more), 3, dense).program.inputNames
    expect(names({})).not.toContain('taken')
    expect(names({ clipped: true })).not.toContain('taken')
    expect(names({ clipped: true, roomy: true })).toContain('taken')
    expect(names({ model: mlp({ inputs: 2, hidden: [3], outputs: 1, dropout: 0.5 }) })).toContain('mask')
    expect(names({ model: mlp({ inputs: 2, hidden: [3], outputs: 1 }) })).not.toContain('mask')
  })
  test('records are read where they lie, or as compressed rows, as asked', () => {
    const calls = (more: Partial<BatchPrograms>, compressed: boolean) => programFor(programsOf(more), 3, { compressed, fused: true }).program.calls.join(' ') // biome-ignore format: a line
    expect(calls({ single: true }, false)).toContain('picked matmul')
    expect(calls({ single: true }, true)).toContain('sparse matmul')
    expect(calls({}, false)).not.toMatch(/picked|sparse/)
    expect(calls({}, true)).toContain('sparse matmul')
  })
  test('the loss is over all records, without dropout', () => {
    for (const sparse of [false, true]) {
      const programs = programsOf({ model: mlp({ inputs: 2, hidden: [1], outputs: 1, bias: false, dropout: 0.5 }), single: true }) // biome-ignore format: a line
      const { engine, shared } = programs
      engine.view('f64', shared.theta.address, 3).set([1, 1, 2])
      const data = { X: Float64Array.of(1, 2, 0, 3), y: Float64Array.of(5, 0), n: 2 }
      const held = resident(data, { precision: 'f64', engine, sparse, single: true })
      const program = lossProgram(programs, held)
      program.run()
      // Predictions 6 and 6: (1 + 36) / 2.
      expect(program.readScalar(0)).toBeCloseTo(18.5, 13)
      expect(program.inputNames).not.toContain('mask')
      program.release()
      held.release()
    }
  })
})
