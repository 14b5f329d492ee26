import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gradient } from './derive.js'
import type { Convolution, Node } from './graph.js'
import { compile } from './program.js'
import { interpret, type Values } from './reference.js'
import * as t from './trace.js'
import * as image from './trace-image.js'

const wave = (n: number, salt: number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => Math.fround(Math.sin(12.9898 * i + salt)))

function run(outputs: readonly Node[], inputs: Record<string, Values>, precision: 'f32' | 'f64' = 'f64'): Values[] {
  const program = compile({ outputs, precision })
  for (const name of program.inputNames) program.set(name, inputs[name]!)
  program.run()
  return outputs.map((_, i) => program.read(i))
}

function expectNear(got: Values, expected: Values, tolerance: number): void {
  expect(got.length).toBe(expected.length)
  const size = Math.max(1e-300, ...expected.map(Math.abs))
  for (const [i, x] of got.entries()) expect(Math.abs(x - expected[i]!)).toBeLessThanOrEqual(tolerance * size)
}

const geometry = fc
  .record({
    channels: fc.integer({ min: 1, max: 3 }),
    height: fc.integer({ min: 1, max: 11 }),
    width: fc.integer({ min: 1, max: 26 }),
    filters: fc.integer({ min: 1, max: 9 }),
    kernel: fc.integer({ min: 1, max: 7 }),
    stride: fc.integer({ min: 1, max: 3 }),
    padding: fc.integer({ min: 0, max: 2 }),
  })
  .filter((g) => g.height + 2 * g.padding >= g.kernel && g.width + 2 * g.padding >= g.kernel)

describe.each(['f32', 'f64'] as const)('convolutions in %s', (precision) => {
  const round = precision === 'f32' ? Math.fround : (x: number) => x
  const unit = precision === 'f32' ? 2 ** -24 : 2 ** -53
  test('conv is its plain loop to the bit; its transposes within the bound', () => {
    fc.assert(
      fc.property(geometry, fc.integer({ min: 1, max: 3 }), (g: Convolution, n) => {
        const { height: OH, width: OW } = image.outputSize(g)
        const x = t.input('x', { rows: n, cols: g.channels * g.height * g.width })
        const w = t.input('w', { rows: g.filters, cols: g.channels * g.kernel * g.kernel })
        const c = t.input('c', { rows: n, cols: g.filters * OH * OW })
        const inputs = { x: wave(x.rows * x.cols, 1), w: wave(w.rows * w.cols, 2), c: wave(c.rows * c.cols, 3) }
        const sizes = Object.fromEntries(Object.entries(inputs).map(([k, v]) => [k, v.map(Math.abs)]))
        const outputs = [image.conv(x, w, g), image.convInput(c, w, g), image.convWeight(x, c, g)]
        const [exact, bound] = [interpret(outputs, inputs), interpret(outputs, sizes)]
        const K = [w.cols, g.filters * g.kernel * g.kernel, n * OH * OW]
        for (const [o, got] of run(outputs, inputs, precision).entries()) {
          for (const [i, v] of got.entries()) {
            expect(Math.abs(v - exact[o]![i]!)).toBeLessThanOrEqual(4 * unit * Math.sqrt(K[o]!) * bound[o]![i]!)
          }
        }
        if (g.padding === 0)
          expect(run([outputs[0]!], inputs, precision)[0]).toEqual(interpret([outputs[0]!], inputs, { round })[0])
      }),
      { numRuns: 80 },
    )
  })

  test('conv + bias + relu is one call, with the bits of three', () => {
    fc.assert(
      fc.property(geometry, (g: Convolution) => {
        const x = t.input('x', { rows: 2, cols: g.channels * g.height * g.width })
        const w = t.input('w', { rows: g.filters, cols: g.channels * g.kernel * g.kernel })
        const b = t.input('b', { rows: 1, cols: g.filters })
        const inputs = { x: wave(x.rows * x.cols, 1), w: wave(w.rows * w.cols, 2), b: wave(g.filters, 3) }
        inputs.x[0] = 0
        const z = image.conv(x, w, g)
        const sum = image.addChannelBias(z, b)
        const { calls } = compile({ outputs: [t.relu(sum)], precision })
        if (z.cols > g.filters) expect(calls).toEqual(['conv+bias+relu']) // otherwise the bias is added as a row
        const [apart] = run([t.relu(sum), z, sum], inputs, precision) // each is read: nothing is fused
        expect(run([t.relu(sum)], inputs, precision)[0]).toEqual(apart)
      }),
      { numRuns: 60 },
    )
  })

  const pooled = fc.record({
    channels: fc.integer({ min: 1, max: 9 }),
    height: fc.integer({ min: 2, max: 9 }),
    width: fc.integer({ min: 2, max: 13 }),
    filters: fc.integer({ min: 1, max: 4 }),
    kernel: fc.integer({ min: 1, max: 6 }),
    stride: fc.constant(1),
    padding: fc.constant(0),
  })
  test('the transposes applied to the winners of a pool: within the bound', () => {
    const fits = (g: Convolution) => g.height > g.kernel && g.width > g.kernel
    fc.assert(
      fc.property(pooled.filter(fits), fc.integer({ min: 1, max: 3 }), (g: Convolution, n) => {
        const out = image.outputSize(g)
        const x = t.input('x', { rows: n, cols: g.channels * g.height * g.width })
        const w = t.input('w', { rows: g.filters, cols: g.channels * g.kernel * g.kernel })
        const z = t.input('z', { rows: n, cols: g.filters * out.height * out.width })
        const index = image.maxPool(z, { channels: g.filters, ...out, size: 2, stride: 2 }).inputs[1]!
        const v = t.input('v', index)
        const c = image.place(v, index, z.cols)
        const inputs = { x: wave(x.rows * x.cols, 1), w: wave(w.rows * w.cols, 2), z: wave(z.rows * z.cols, 3) }
        const values = wave(v.rows * v.cols, 4).map((value) => (value < -0.3 ? 0 : value)) // some closed by a relu
        const outputs = [image.convWeight(x, c, g), image.convInput(c, w, g)]
        const { calls } = compile({ outputs, precision })
        expect(calls.filter((call) => call.endsWith('+winners'))).toHaveLength(2)
        const sizes = { x: inputs.x.map(Math.abs), w: inputs.w.map(Math.abs), z: inputs.z, v: values.map(Math.abs) }
        const [exact, bound] = [interpret(outputs, { ...inputs, v: values }), interpret(outputs, sizes)]
        for (const [o, got] of run(outputs, { ...inputs, v: values }, precision).entries()) {
          for (const [i, y] of got.entries()) {
            expect(Math.abs(y - exact[o]![i]!)).toBeLessThanOrEqual(4 * unit * Math.sqrt(n * z.cols) * bound[o]![i]!)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  test('pools, picks, places, repeats and group sums', () => {
    const pool = { channels: 2, height: 7, width: 6, size: 3, stride: 2 }
    const x = t.input('x', { rows: 3, cols: 84 })
    const inputs = { x: wave(252, 5) }
    inputs.x[4] = NaN // wins its windows, as in PyTorch
    const max = image.maxPool(x, pool)
    const outputs = [
      max,
      image.averagePool(x, pool),
      image.place(max, max.inputs[1]!, 84),
      image.repeatCols(x, 3),
      image.sumGroups(x, 4),
    ]
    const [fast, slow] = [run(outputs, inputs, precision), interpret(outputs, inputs, { round })]
    for (const o of [0, 2, 3]) expect(fast[o]).toEqual(slow[o])
    inputs.x[4] = 1
    const again = run(outputs, inputs, precision)
    for (const [o, exact] of interpret(outputs, inputs).entries()) expectNear(again[o]!, exact, 8 * unit)
  })
})

/** A random network of convolutions, pools and a dense end. */
const architecture = fc.record({
  side: fc.integer({ min: 6, max: 9 }),
  channels: fc.integer({ min: 1, max: 2 }),
  filters: fc.integer({ min: 1, max: 3 }),
  kernel: fc.integer({ min: 2, max: 3 }),
  stride: fc.integer({ min: 1, max: 2 }),
  padding: fc.integer({ min: 0, max: 1 }),
  pool: fc.constantFrom('max', 'relu then max', 'average', 'none'),
  act: fc.constantFrom(t.tanh, t.sigmoid, t.relu),
  seed: fc.integer({ min: 1, max: 1000 }),
})

function build(a: typeof architecture extends fc.Arbitrary<infer A> ? A : never) {
  const { side, channels, filters, kernel, stride, padding } = a
  const g1 = { channels, height: side, width: side, filters, kernel, stride, padding }
  const X = t.input('X', { rows: 2, cols: channels * side * side })
  const out1 = image.outputSize(g1)
  const w1 = filters * channels * kernel * kernel
  const pooling = { channels: filters, ...out1, size: 2, stride: 2 }
  const pooled = a.pool === 'none' ? out1 : image.poolSize(pooling)
  const g2 = { channels: filters, ...pooled, filters: 2, kernel: 1, stride: 1, padding: 0 }
  const last = 2 * pooled.height * pooled.width
  const sizes = [w1, filters, 2 * filters, 2, 3 * last, 3]
  const theta = t.input('theta', { rows: 1, cols: sizes.reduce((x, y) => x + y, 0) })
  let at = 0
  const take = (rows: number, cols: number): Node => {
    at += rows * cols
    return t.slice(theta, at - rows * cols, { rows, cols })
  }
  let z = image.addChannelBias(image.conv(X, take(filters, channels * kernel * kernel), g1), take(1, filters))
  if (a.pool === 'max') z = a.act(image.maxPool(z, pooling))
  else if (a.pool === 'relu then max') z = image.maxPool(t.relu(z), pooling)
  else if (a.pool === 'average') z = image.averagePool(a.act(z), pooling)
  else z = a.act(z)
  z = t.tanh(image.addChannelBias(image.conv(z, take(2, filters), g2), take(1, 2)))
  const logit = t.add(t.matmul(z, take(3, last), 'nt'), take(1, 3))
  const value = t.sub(t.mean(t.logSumExp(logit)), t.scale(t.sumAll(t.gatherCols(logit, [1])), 0.5))
  return {
    X,
    theta,
    value,
    inputs: { X: wave(X.rows * X.cols, a.seed), theta: wave(theta.cols, a.seed + 0.5), target: wave(theta.cols, 9) },
  }
}

/** Central differences on sampled coordinates; a coordinate counts when two step sizes agree (no kink between). */
function checkGradient(y: Node, name: 'X' | 'theta', grad: Values, inputs: Record<string, Values>): number {
  const program = compile({ outputs: [y], precision: 'f64' })
  const at = (x: Values): number => {
    for (const input of program.inputNames) program.set(input, input === name ? x : inputs[input]!)
    program.run()
    return program.readScalar(0)
  }
  const size = Math.max(1e-6, ...grad.map(Math.abs))
  let checked = 0
  for (let s = 0; s < 10; s++) {
    const j = (s * 7919) % grad.length
    const slope = (h: number): number => {
      const [up, down] = [inputs[name]!.slice(), inputs[name]!.slice()]
      up[j]! += h
      down[j]! -= h
      return (at(up) - at(down)) / (2 * h)
    }
    const [wide, narrow] = [slope(2e-5), slope(1e-5)]
    const noise = (5e-15 * Math.max(1, Math.abs(at(inputs[name]!)))) / 1e-5 // rounding of the value, over the step
    if (Math.abs(wide - narrow) > 1e-7 * Math.max(size, Math.abs(narrow)) + noise) continue
    expect(Math.abs(narrow - grad[j]!)).toBeLessThanOrEqual(1e-6 * Math.max(size, Math.abs(narrow)) + noise)
    checked++
  }
  return checked
}

test('random convolutional architectures: first and second order against central differences', () => {
  let checked = 0
  fc.assert(
    fc.property(architecture, (a) => {
      const { X, theta, value, inputs } = build(a)
      const [g, gx] = run(gradient(value, [theta, X]), inputs)
      checked += checkGradient(value, 'theta', g!, inputs) + checkGradient(value, 'X', gx!, inputs)
      const inner = gradient(value, [theta])[0]!
      const alike = t.add(t.dot(inner, t.input('target', theta)), t.dot(inner, inner))
      const [h, hx] = run(gradient(alike, [theta, X]), inputs)
      checked += checkGradient(alike, 'theta', h!, inputs) + checkGradient(alike, 'X', hx!, inputs)
    }),
    { numRuns: 40 },
  )
  expect(checked).toBeGreaterThan(1000)
})

test("a pool's cotangent stays sparse: convolutions read the winners, nothing is placed", () => {
  for (const pool of ['max', 'relu then max'] as const) {
    const a = { side: 8, channels: 2, filters: 3, kernel: 3, stride: 1, padding: 0, pool, act: t.relu, seed: 3 }
    const { X, theta, value, inputs } = build(a)
    const outputs = gradient(value, [theta, X])
    const { calls } = compile({ outputs, precision: 'f64' })
    expect(calls).toContain('convWeight+winners')
    expect(calls).toContain('convInput+winners')
    expect(calls).toContain('conv+bias')
    expect(calls).not.toContain('place')
    const exact = interpret(outputs, inputs)
    for (const [o, got] of run(outputs, inputs).entries()) expectNear(got, exact[o]!, 1e-13)
  }
})

test('sums of what a pool placed: by channel read off the winners, by anything else off the placed values', () => {
  const pool = { channels: 2, height: 6, width: 4, size: 2, stride: 2 }
  const x = t.input('x', { rows: 3, cols: 48 })
  const max = image.maxPool(x, pool)
  const placed = image.place(max, max.inputs[1]!, 48)
  const inputs = { x: wave(144, 5) }
  const values = run([placed], inputs)[0]!
  const plain = t.input('placed', { rows: 3, cols: 48 })
  for (const size of [24, 12, 4, 48]) {
    for (const rows of [(a: Node) => a, t.sumRows]) {
      const [got] = run([image.sumGroups(rows(placed), size)], inputs)
      const [expected] = run([image.sumGroups(rows(plain), size)], { placed: values })
      expectNear(got!, expected!, 1e-14)
    }
  }
})

test('sizes that do not fit are said', () => {
  const g = { channels: 1, height: 4, width: 4, filters: 2, kernel: 5, stride: 1, padding: 0 }
  const x = t.input('x', { rows: 1, cols: 16 })
  expect(() => image.conv(x, t.input('w', { rows: 2, cols: 25 }), g)).toThrow(
    'has no output; the kernel must fit the padded image',
  )
  expect(() => image.conv(x, t.input('w', { rows: 2, cols: 8 }), { ...g, kernel: 3 })).toThrow(
    'filter is [2 x 8]; it needs 9 columns',
  )
  expect(() => image.maxPool(x, { channels: 1, height: 4, width: 4, size: 5, stride: 1 })).toThrow(
    'windows must fit the image',
  )
})
