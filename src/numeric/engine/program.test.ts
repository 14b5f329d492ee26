import { describe, expect, test } from 'vitest'
import { gradient } from './derive.js'
import { createEngine } from './engine.js'
import type { Node } from './graph.js'
import { compile } from './program.js'
import { interpret } from './reference.js'
import * as t from './trace.js'

const wave = (n: number, salt = 1): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => Math.sin(12.9898 * i + salt))

/** A small network with a squared error, over a flat theta. */
function network(rows: number, inputs: number, hidden: number) {
  const X = t.input('X', { rows, cols: inputs })
  const y = t.input('y', { rows, cols: 1 })
  const theta = t.input('theta', { rows: 1, cols: hidden * inputs + 2 * hidden + 1 })
  const W1 = t.slice(theta, 0, { rows: hidden, cols: inputs })
  const b1 = t.slice(theta, hidden * inputs, { rows: 1, cols: hidden })
  const W2 = t.slice(theta, hidden * (inputs + 1), { rows: 1, cols: hidden })
  const b2 = t.slice(theta, hidden * (inputs + 2), { rows: 1, cols: 1 })
  const h = t.named('hidden', t.relu(t.add(t.matmul(X, W1, 'nt'), b1)))
  const e = t.sub(t.add(t.matmul(h, W2, 'nt'), b2), y)
  return { X, y, theta, loss: t.scale(t.dot(e, e), 1 / rows) }
}

describe('a training step', () => {
  const { theta, loss } = network(7, 5, 12)
  const [grad] = gradient(loss, [theta])
  const times = t.input('times', { rows: 1, cols: 1 })
  const inputs = { X: wave(35), y: wave(7, 2), theta: wave(theta.cols, 3), times: Float64Array.of(-0.05) }
  const engine = createEngine()
  const step = (outputs: readonly Node[] = []) =>
    compile({ outputs, updates: [{ input: theta, addend: grad!, times }], precision: 'f64', engine })

  test('fuses product, bias and relu, and adds weight gradients to theta as they are formed', () => {
    const { calls } = step()
    expect(calls).toContain('matmul+bias+relu')
    expect(calls).toContain('matmul+gate')
    expect(calls.filter((c) => c === 'matmul+update')).toHaveLength(2)
  })

  test.each([['theta alone', []] as const, ['the gradient read as well', [grad!, loss]] as const])(
    'equals theta - learning rate * gradient: %s',
    (_, outputs) => {
      const program = step(outputs)
      for (const name of program.inputNames) program.set(name, inputs[name as keyof typeof inputs])
      program.run()
      const [g] = interpret([grad!], inputs)
      const after = engine.view('f64', program.buffer('theta').address, theta.cols)
      for (const [i, x] of after.entries()) expect(x).toBeCloseTo(inputs.theta[i]! - 0.05 * g![i]!, 12)
      if (outputs.length > 0) for (const [i, x] of program.read(0).entries()) expect(x).toBeCloseTo(g![i]!, 12)
    },
  )

  test('programs of different batch sizes share one theta', () => {
    const engine = createEngine()
    const d = network(1, 5, 12).theta.cols
    const buffer = engine.allocate(d * 8)
    const make = (rows: number) => {
      const net = network(rows, 5, 12)
      const update = {
        input: net.theta,
        addend: gradient(net.loss, [net.theta])[0]!,
        times: t.input('times', { rows: 1, cols: 1 }),
      }
      const program = compile({ outputs: [], updates: [update], precision: 'f64', shared: { theta: buffer }, engine })
      program.set('X', wave(5 * rows))
      program.set('y', wave(rows, 2))
      program.set('times', [-0.1])
      return { program, net, rows }
    }
    let expected = wave(d, 3)
    engine.view('f64', buffer.address, d).set(expected)
    for (const { program, net, rows } of [make(4), make(3), make(4)]) {
      program.run()
      const values = { theta: expected, X: wave(5 * rows), y: wave(rows, 2) }
      const [g] = interpret([gradient(net.loss, [net.theta])[0]!], values)
      expected = expected.map((x, i) => x - 0.1 * g![i]!)
      const got = engine.view('f64', buffer.address, d)
      for (const [i, x] of got.entries()) expect(x).toBeCloseTo(expected[i]!, 12)
    }
  })
})

test('an update that reads its own input sees the values from before the step', () => {
  const W = t.input('W', { rows: 3, cols: 3 })
  const times = t.input('times', { rows: 1, cols: 1 })
  const addend = t.matmul(W, t.matmul(W, W), 'tn')
  const engine = createEngine()
  const program = compile({ outputs: [], updates: [{ input: W, addend, times }], precision: 'f64', engine })
  program.set('W', wave(9))
  program.set('times', [2])
  program.run()
  const [product] = interpret([addend], { W: wave(9) })
  const after = engine.view('f64', program.buffer('W').address, 9)
  for (const [i, x] of after.entries()) expect(x).toBeCloseTo(wave(9)[i]! + 2 * product![i]!, 12)
})

test('the arena is shared by values that do not live at the same time', () => {
  let a: Node = t.input('a', { rows: 64, cols: 64 })
  for (let i = 0; i < 10; i++) a = t.matmul(a, a)
  const deep = compile({ outputs: [t.sumAll(a)], precision: 'f64' })
  expect(deep.arenaBytes).toBeLessThan(3 * 64 * 64 * 8)
  let b: Node = t.input('a', { rows: 64, cols: 64 })
  for (let i = 0; i < 10; i++) b = t.tanh(t.offset(b, 0.1))
  expect(compile({ outputs: [t.sumAll(b)], precision: 'f64' }).arenaBytes).toBeLessThan(1.1 * 64 * 64 * 8)
})

test('nothing is computed twice', () => {
  const a = t.input('a', { rows: 3, cols: 3 })
  const twice = t.add(t.exp(t.matmul(a, a)), t.tanh(t.exp(t.matmul(a, a))))
  expect(compile({ outputs: [twice], precision: 'f64' }).calls).toEqual(['matmul', 'exp', 'tanh', 'add'])
})

test('two runs of one program, and two programs of one graph, give the same bits', () => {
  const { theta, loss } = network(33, 17, 29)
  const [grad] = gradient(loss, [theta])
  const inputs = { X: wave(33 * 17), y: wave(33, 2), theta: wave(theta.cols, 3) }
  const results = [createEngine(), createEngine()].flatMap((engine) => {
    const program = compile({ outputs: [grad!], precision: 'f32', engine })
    for (const name of program.inputNames) program.set(name, inputs[name as keyof typeof inputs])
    program.run()
    const first = program.read(0)
    program.run()
    return [first, program.read(0)]
  })
  for (const r of results) expect(r).toEqual(results[0])
})

describe('what is wrong is said, with its place', () => {
  const { theta, loss } = network(2, 3, 4)
  const program = compile({ outputs: gradient(loss, [theta]), precision: 'f64' })

  test('sizes and names', () => {
    expect(() => program.set('X', new Float64Array(5))).toThrow('input "X" was given 5 values; it is [2 x 3], 6 values')
    expect(() => program.set('Z', new Float64Array(5))).toThrow('the program has no input "Z"; known: X, theta, y')
    expect(() => t.matmul(t.fill(1, { rows: 2, cols: 3 }), t.fill(1, { rows: 2, cols: 3 }))).toThrow(
      'matmul nn: [2 x 3] does not fit [2 x 3]; inner sizes are 3 and 2',
    )
    expect(() => t.add(t.fill(1, { rows: 2, cols: 3 }), t.fill(1, { rows: 3, cols: 3 }))).toThrow(
      'add: [2 x 3] against [3 x 3]',
    )
    expect(() => t.gatherCols(theta, [99])).toThrow('index[0] is 99; columns are 0 to 20')
  })

  test('a NaN that appears on the way is named: step, operation, place', () => {
    program.set('X', [1, 2, 3, 4, 5, 6])
    program.set('y', [0, 0])
    const broken = wave(theta.cols)
    broken[4] = 1e308
    broken[5] = 1e308
    program.set('theta', broken)
    expect(() => program.runChecked(17)).toThrow(
      /step 17: Infinity in matmul\+bias\+relu "hidden" \[2 x 4\] at row \d, column 1/,
    )
    program.set('theta', wave(theta.cols))
    expect(() => program.runChecked(18)).not.toThrow()
  })
})

// Rows, columns and summands with every remainder; one summand; more than one pass; columns whose rows lie side by side.
const odd = [
  [1, 9, 1],
  [6, 17, 1],
  [3, 20, 5],
  [17, 9, 33],
  [20, 41, 32],
  [37, 11, 2],
  [19, 6, 513],
] as const
describe.each(['f32', 'f64'] as const)(
  'products finished in registers have the bits of separate calls: %s',
  (precision) => {
    test.each(odd)('%d x %d, %d summands', (m, n, k) => {
      const input = { nn: t.input('a', { rows: m, cols: k }), tn: t.input('at', { rows: k, cols: m }) }
      const b = { nn: t.input('b', { rows: k, cols: n }), nt: t.input('bt', { rows: n, cols: k }) }
      const [row, by] = [t.input('row', { rows: 1, cols: n }), t.input('by', { rows: m, cols: n })]
      const products = [t.matmul(input.nn, b.nn), t.matmul(input.nn, b.nt, 'nt'), t.matmul(input.tn, b.nn, 'tn')]
      const inputs = { a: m * k, at: m * k, b: k * n, bt: k * n, row: n, by: m * n }
      const read = (outputs: readonly Node[]): Float64Array[] => {
        const program = compile({ outputs, precision })
        for (const name of program.inputNames)
          program.set(name, wave(inputs[name as keyof typeof inputs], name.charCodeAt(0)))
        program.run()
        return outputs.map((_, i) => program.read(i))
      }
      for (const z of products) {
        for (const finish of [
          (p: Node) => t.gate(p, by),
          (p: Node) => t.add(p, row),
          (p: Node) => t.relu(t.add(p, row)),
        ]) {
          const whole = finish(z)
          const parts = whole.op === 'relu' ? [z, whole.inputs[0]!] : [z] // read as well: not fused
          expect(read([whole])[0]).toEqual(read([whole, ...parts])[0])
        }
      }
    })
  },
)
