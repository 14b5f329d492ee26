import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gradient, pullback, pushforward } from './derive.js'
import { type Node, schedule, sizeOf } from './graph.js'
import { compile } from './program.js'
import { interpret, type Values } from './reference.js'
import * as t from './trace.js'

type Inputs = Record<string, Values>

function run(outputs: readonly Node[], inputs: Inputs): Values[] {
  const program = compile({ outputs, precision: 'f64' })
  for (const name of program.inputNames) program.set(name, inputs[name]!)
  program.run()
  return outputs.map((_, i) => program.read(i))
}

/** Signs of everything a relu or an abs reads: while they stay, the function is smooth. */
function pattern(y: Node, inputs: Inputs): string {
  const kinks = schedule([y])
    .filter((n) => n.op === 'relu' || n.op === 'abs')
    .map((n) => n.inputs[0]!)
  return interpret(kinks, inputs)
    .map((v) => [...v].map((x) => (x > 0 ? '+' : '-')).join(''))
    .join('|')
}

/** Compares a gradient with central differences of the scalar on some coordinates, skipping those that cross a kink. */
function checkGradient(y: Node, input: string, grad: Values, inputs: Inputs, tolerance = 1e-6): number {
  const program = compile({ outputs: [y], precision: 'f64' })
  const at = (x: Values): number => {
    for (const name of program.inputNames) program.set(name, name === input ? x : inputs[name]!)
    program.run()
    return program.readScalar(0)
  }
  const x = inputs[input]!
  const scale = Math.max(...grad.map(Math.abs), 1e-3)
  const home = pattern(y, inputs)
  let checked = 0
  for (let s = 0; s < 12; s++) {
    const j = (s * 7919) % x.length
    const h = 1e-5 * Math.max(1, Math.abs(x[j]!))
    const [up, down] = [x.slice(), x.slice()]
    up[j]! += h
    down[j]! -= h
    if ([up, down].some((moved) => pattern(y, { ...inputs, [input]: moved }) !== home)) continue
    const difference = (at(up) - at(down)) / (2 * h)
    // The differences themselves are good to about h^2 and to rounding of the value over h.
    const noise = (1e-16 * Math.abs(at(x)) * 50) / h
    expect(Math.abs(difference - grad[j]!)).toBeLessThanOrEqual(
      tolerance * Math.max(scale, Math.abs(difference)) + noise,
    )
    checked++
  }
  return checked
}

const activations = { relu: t.relu, sigmoid: t.sigmoid, tanh: t.tanh, softplus: t.softplus }
const losses = {
  mse: (z: Node, y: Node) => t.mean(t.mul(t.sub(z, y), t.sub(z, y))),
  crossEntropy: (z: Node, y: Node) => t.sub(t.mean(t.logSumExp(z)), t.scale(t.dot(t.softmax(y), z), 1 / z.rows)),
  binary: (z: Node, y: Node) => t.scale(t.sub(t.sumAll(t.softplus(z)), t.dot(t.sigmoid(y), z)), 1 / sizeOf(z)),
  cosine: (z: Node, y: Node) => t.div(t.dot(z, y), t.mul(t.norm(z), t.norm(y))),
  soft: (z: Node, y: Node) => t.norm(t.sub(t.softmax(z), t.softmax(y))),
}

const architecture = fc.record({
  widths: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 5 }),
  rows: fc.integer({ min: 1, max: 7 }),
  acts: fc.array(fc.constantFrom(...(Object.keys(activations) as (keyof typeof activations)[])), {
    minLength: 4,
    maxLength: 4,
  }),
  loss: fc.constantFrom(...(Object.keys(losses) as (keyof typeof losses)[])),
  bias: fc.boolean(),
  gather: fc.boolean(),
  seed: fc.integer({ min: 1, max: 1e6 }),
})

function build({
  widths,
  rows,
  acts,
  loss,
  bias,
  gather,
  seed,
}: typeof architecture extends fc.Arbitrary<infer A> ? A : never) {
  let state = seed
  const draw = (n: number, size = 1) =>
    Float64Array.from({ length: n }, () => {
      state = (state * 48271) % 2147483647
      return size * (state / 1073741823.5 - 1)
    })
  const d = widths.slice(1).reduce((n, w, l) => n + w * widths[l]! + (bias ? w : 0), 0)
  const theta = t.input('theta', { rows: 1, cols: d })
  const X = t.input('X', { rows, cols: widths[0]! })
  const y = t.input('y', { rows, cols: widths.at(-1)! })
  let a = gather
    ? t.gatherCols(
        X,
        Array.from({ length: X.cols }, (_, j) => (3 * j + 1) % X.cols),
      )
    : X
  let offset = 0
  for (let l = 0; l + 1 < widths.length; l++) {
    const W = t.slice(theta, offset, { rows: widths[l + 1]!, cols: widths[l]! })
    offset += sizeOf(W)
    a = t.matmul(a, W, 'nt')
    if (bias) {
      a = t.add(a, t.slice(theta, offset, { rows: 1, cols: widths[l + 1]! }))
      offset += widths[l + 1]!
    }
    if (l + 2 < widths.length) a = activations[acts[l]!](a)
  }
  const inputs = { theta: draw(d), X: draw(sizeOf(X), 2), y: draw(sizeOf(y), 2), v: draw(d), target: draw(d) }
  return { theta, X, y, value: losses[loss](a, y), inputs }
}

describe('randomly generated architectures', () => {
  test('gradients agree with central differences, in theta and in the inputs', () => {
    let checked = 0
    fc.assert(
      fc.property(architecture, (a) => {
        const { theta, X, value, inputs } = build(a)
        const [g, gx] = run(gradient(value, [theta, X]), inputs)
        fc.pre(g!.every(Number.isFinite))
        checked += checkGradient(value, 'theta', g!, inputs) + checkGradient(value, 'X', gx!, inputs)
      }),
      { numRuns: 60 },
    )
    expect(checked).toBeGreaterThan(500)
  })

  test('second order: the gradient of a function of the gradient', () => {
    let checked = 0
    fc.assert(
      fc.property(architecture, (a) => {
        const { theta, X, value, inputs } = build(a)
        const target = t.input('target', theta)
        const g = gradient(value, [theta])[0]!
        const alike = t.add(t.dot(g, target), t.scale(t.dot(g, g), 0.5))
        const [second, secondX] = run(gradient(alike, [theta, X]), inputs)
        fc.pre(second!.every(Number.isFinite))
        checked += checkGradient(alike, 'theta', second!, inputs) + checkGradient(alike, 'X', secondX!, inputs)
      }),
      { numRuns: 40 },
    )
    expect(checked).toBeGreaterThan(300)
  })

  test('forward over reverse equals reverse over reverse, and the compiled equals the interpreted', () => {
    fc.assert(
      fc.property(architecture, (a) => {
        const { theta, y, value, inputs } = build(a)
        // The cosine of two numbers is a sign: its derivatives are what rounding leaves of 0.
        fc.pre(a.loss !== 'cosine' || sizeOf(y) > 1)
        const v = t.input('v', theta)
        const g = gradient(value, [theta])[0]!
        const forward = pushforward(g, theta, v)
        const reverse = gradient(t.dot(g, v), [theta])[0]!
        const [f, r] = run([forward, reverse], inputs)
        const [slow] = interpret([forward], inputs)
        fc.pre(f!.every(Number.isFinite))
        const size = Math.max(1e-9, ...f!.map(Math.abs))
        for (const [i, x] of f!.entries()) {
          expect(Math.abs(x - r![i]!)).toBeLessThanOrEqual(1e-9 * size)
          expect(Math.abs(x - slow![i]!)).toBeLessThanOrEqual(1e-9 * size)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('forward mode leaves no trace of the cotangent, nor of the backward pass', () => {
    const x = t.input('x', { rows: 2, cols: 3 })
    const W = t.input('W', { rows: 4, cols: 3 })
    const y = t.tanh(t.matmul(x, W, 'nt'))
    const names = schedule([pushforward(y, x, t.input('v', x))]).map((n) => (n.op === 'input' ? n.attrs.name : n.op))
    expect(names).not.toContain('cotangent')
    expect(names.filter((n) => n === 'matmul')).toHaveLength(2)
  })
})

test('slices of one value: overlapping, repeated and missing parts add up', () => {
  const x = t.input('x', { rows: 2, cols: 4 })
  const [a, b, c] = [
    t.slice(x, 0, { rows: 1, cols: 4 }),
    t.slice(x, 2, { rows: 2, cols: 2 }),
    t.slice(x, 2, { rows: 1, cols: 4 }),
  ]
  const y = t.add(t.add(t.dot(a, a), t.sumAll(t.exp(b))), t.add(t.dot(c, c), t.sumAll(a)))
  const inputs = { x: Float64Array.of(1, -2, 0.5, 0.25, -1, 2, 3, 4) }
  const [g] = run(gradient(y, [x]), inputs)
  const e = inputs.x.map((v, i) => (i < 4 ? 2 * v + 1 : 0) + (i >= 2 && i < 6 ? Math.exp(v) + 2 * v : 0))
  for (const [i, v] of g!.entries()) expect(v).toBeCloseTo(e[i]!, 12)
})

test('what does not depend on x has a zero gradient, and only scalars have one', () => {
  const [x, y] = [t.input('x', { rows: 1, cols: 3 }), t.input('y', { rows: 1, cols: 3 })]
  expect([...run(gradient(t.dot(y, y), [x]), { x: new Float64Array(3), y: new Float64Array(3) })[0]!]).toEqual([
    0, 0, 0,
  ])
  expect(() => gradient(y, [x])).toThrow('gradient of a [1 x 3] value; only a scalar [1 x 1] has a gradient; sum first')
  expect(() => pullback(y, t.fill(1), [x])).toThrow('a cotangent [1 x 1] for a value [1 x 3]')
})

test('the derivative in one column pushes that column, not the matrix, through the products', () => {
  const [n, k, h] = [6, 20, 8]
  const W = t.input('W', { rows: h, cols: k })
  const [known, s] = [t.input('known', { rows: n, cols: k - 1 }), t.input('s', { rows: n, cols: 1 })]
  const rest = Array.from({ length: k - 1 }, (_, j) => (j < 7 ? j : j + 1))
  const X = t.add(t.scatterCols(known, rest, k), t.scatterCols(s, [7], k))
  const value = t.mean(t.tanh(t.matmul(X, W, 'nt')))
  const [g] = gradient(value, [s])
  const widest = schedule([g!])
    .filter((node) => node.op === 'matmul')
    .map((node) => node.cols)
  expect(Math.max(...widest)).toBe(h) // no [n x k] product
  const inputs = {
    W: Float64Array.from({ length: h * k }, (_, i) => Math.sin(i)),
    known: Float64Array.from({ length: n * (k - 1) }, (_, i) => Math.cos(i)),
    s: Float64Array.from({ length: n }, (_, i) => i / 7),
  }
  checkGradient(value, 's', run([g!], inputs)[0]!, inputs)
  const whole = t.input('X', { rows: n, cols: k })
  const filled = new Float64Array(n * k)
  for (let i = 0; i < n; i++)
    for (let j = 0; j < k; j++)
      filled[i * k + j] = j === 7 ? inputs.s[i]! : inputs.known[i * (k - 1) + (j < 7 ? j : j - 1)]!
  const [gw, gx] = run(gradient(t.mean(t.tanh(t.matmul(whole, W, 'nt'))), [W, whole]), { W: inputs.W, X: filled })
  const [pushedW, pushedS] = run(gradient(value, [W, s]), inputs)
  for (const [i, x] of pushedW!.entries()) expect(x).toBeCloseTo(gw![i]!, 14)
  for (const [i, x] of pushedS!.entries()) expect(x).toBeCloseTo(gx![i * k + 7]!, 14)
})
