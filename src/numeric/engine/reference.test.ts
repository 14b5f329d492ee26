import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Node } from './graph.js'
import { compile } from './program.js'
import { interpret, type Values } from './reference.js'
import * as t from './trace.js'

const unit = { f32: 2 ** -24, f64: 2 ** -53 } as const
const precisions = ['f32', 'f64'] as const
type Precision = (typeof precisions)[number]
const rounding = { f32: Math.fround, f64: (x: number) => x }

/** Runs one output on the kernels and by definition, from the same values. */
function both(output: Node, inputs: Record<string, Values>, precision: Precision): { fast: Values; slow: Values } {
  const program = compile({ outputs: [output], precision })
  for (const name of program.inputNames) program.set(name, inputs[name]!)
  program.run()
  return { fast: program.read(0), slow: interpret([output], inputs, { round: rounding[precision] })[0]! }
}

function expectUlps(fast: Values, slow: Values, precision: Precision, ulps: number): void {
  expect(fast.length).toBe(slow.length)
  for (const [i, x] of fast.entries()) {
    const y = slow[i]!
    if (Object.is(x, y) || x === y || (Number.isNaN(x) && Number.isNaN(y))) continue
    const step = Math.max(
      2 * unit[precision] * 2 ** Math.floor(Math.log2(Math.abs(y))),
      precision === 'f32' ? 2 ** -149 : 5e-324,
    )
    if (!(Math.abs(x - y) <= ulps * step)) throw new Error(`at ${i}: kernel ${x}, definition ${y}`)
  }
}

// Values with the edges in: zeros of both signs, infinities, NaN, subnormals, and ordinary ones.
const special = [0, -0, 1, -1, Infinity, -Infinity, NaN, 1e-310, 1e-42, 1e30, -1e30, 88, -88, 709, -745]
const ordinary = fc.double({ min: -50, max: 50, noNaN: true }).map(Math.fround)
const any = fc.oneof({ weight: 4, arbitrary: ordinary }, { weight: 1, arbitrary: fc.constantFrom(...special) })
const values = (n: number, value: fc.Arbitrary<number> = any) =>
  fc.array(value, { minLength: n, maxLength: n }).map((a) => Float64Array.from(a))
const size = fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33), fc.integer({ min: 0, max: 70 }))

describe.each(precisions)('kernels in %s agree with their definitions', (precision) => {
  const one = {
    relu: t.relu,
    abs: t.abs,
    sqrt: t.sqrt,
    scale: (a: Node) => t.scale(a, 0.3),
    offset: (a: Node) => t.offset(a, -0.7),
  }
  const functions = { exp: t.exp, log: t.log, sigmoid: t.sigmoid, tanh: t.tanh, softplus: t.softplus }
  // exp, sigmoid and tanh of floats have kernels of their own; everything else does what its definition does.
  const own = precision === 'f32' ? ['exp', 'sigmoid', 'tanh'] : []
  test.each(Object.entries({ ...one, ...functions }))(
    '%s, to the bit (4 ulp where floats have their own)',
    (name, op) => {
      fc.assert(
        fc.property(
          size.chain((n) => values(n)),
          (a) => {
            const { fast, slow } = both(op(t.input('a', { rows: 1, cols: a.length })), { a }, precision)
            expectUlps(fast, slow, precision, own.includes(name) ? 4 : 0)
          },
        ),
        { numRuns: own.includes(name) ? 2000 : 100 },
      )
    },
  )

  const two = { add: t.add, sub: t.sub, mul: t.mul, div: t.div }
  const kinds = ['full', 'row', 'column', 'scalar'] as const
  const shaped = (kind: (typeof kinds)[number], rows: number, cols: number) => ({
    rows: kind === 'row' || kind === 'scalar' ? 1 : rows,
    cols: kind === 'column' || kind === 'scalar' ? 1 : cols,
  })
  test.each(Object.entries(two))('%s with every broadcast, to the bit', (_, op) => {
    const arbitrary = fc
      .tuple(size, size, fc.constantFrom(...kinds), fc.constantFrom(...kinds))
      .chain(([rows, cols, ka, kb]) => {
        const [sa, sb] = [shaped(ka, rows, cols), shaped(kb, rows, cols)]
        return fc.tuple(fc.constant([sa, sb] as const), values(sa.rows * sa.cols), values(sb.rows * sb.cols))
      })
    fc.assert(
      fc.property(arbitrary, ([[sa, sb], a, b]) => {
        const { fast, slow } = both(op(t.input('a', sa), t.input('b', sb)), { a, b }, precision)
        expectUlps(fast, slow, precision, 0)
      }),
    )
  })

  test.each([['gate', t.gate] as const, ['signed', t.signed] as const])('%s, to the bit', (_, op) => {
    fc.assert(
      fc.property(
        size.chain((n) => fc.tuple(values(n), values(n))),
        ([a, b]) => {
          const shape = { rows: a.length, cols: 1 }
          const { fast, slow } = both(op(t.input('a', shape), t.input('b', shape)), { a, b }, precision)
          expectUlps(fast, slow, precision, 0)
        },
      ),
    )
  })

  const finite = fc.double({ min: -3, max: 3, noNaN: true }).map(Math.fround)
  const grid = fc
    .tuple(size, size)
    .chain(([rows, cols]) => fc.tuple(fc.constant({ rows, cols }), values(rows * cols, finite)))
  const sums = { sumAll: t.sumAll, sumRows: t.sumRows, sumCols: t.sumCols, rowDot: (a: Node) => t.rowDot(a, a) }
  test.each(Object.entries(sums))('%s within 4 u sqrt(K) sum |a|', (name, op) => {
    fc.assert(
      fc.property(grid, ([shape, a]) => {
        const { fast } = both(op(t.input('a', shape)), { a }, precision)
        const node = t.input('a', shape)
        const exact = interpret([op(node)], { a })[0]!
        const bound = interpret([op(node)], { a: a.map(Math.abs) })[0]!
        const K = name === 'sumRows' ? shape.rows : name === 'sumCols' || name === 'rowDot' ? shape.cols : a.length
        expect(fast.length).toBe(exact.length)
        for (const [i, x] of fast.entries())
          expect(Math.abs(x - exact[i]!)).toBeLessThanOrEqual(
            4 * unit[precision] * Math.sqrt(K) * bound[i]! + K * 2 ** -149,
          )
      }),
    )
  })

  const matmulSize = fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 5, 8, 9, 16, 17), fc.integer({ min: 1, max: 40 }))
  const inner = fc.oneof(matmulSize, fc.constantFrom(511, 512, 513, 1100))
  test.each(['nn', 'nt', 'tn'] as const)('matmul %s: the triple loop to the bit, row sums within the bound', (form) => {
    const arbitrary = fc.tuple(matmulSize, matmulSize, inner).chain(([m, n, k]) => {
      const a = form === 'tn' ? { rows: k, cols: m } : { rows: m, cols: k }
      const b = form === 'nt' ? { rows: n, cols: k } : { rows: k, cols: n }
      return fc.tuple(fc.constant({ a, b, m, n, k }), fc.integer({ min: 1, max: 1e6 }))
    })
    fc.assert(
      fc.property(arbitrary, ([{ a, b, m, n, k }, seed]) => {
        const draw = (count: number, salt: number) =>
          Float64Array.from({ length: count }, (_, i) =>
            Math.fround(((((i + 1) * 7919 + seed * salt) % 2003) - 1001) / 500),
          )
        const inputs = { a: draw(m * k, 13), b: draw(k * n, 31) }
        const { fast, slow } = both(t.matmul(t.input('a', a), t.input('b', b), form), inputs, precision)
        const summedByRow = (form !== 'tn' && n === 1) || (form === 'nt' && m === 1)
        if (!summedByRow) return expectUlps(fast, slow, precision, 0)
        const sizes = { a: inputs.a.map(Math.abs), b: inputs.b.map(Math.abs) }
        const product = t.matmul(t.input('a', a), t.input('b', b), form)
        const [exact, bound] = [interpret([product], inputs)[0]!, interpret([product], sizes)[0]!]
        for (const [i, x] of fast.entries())
          expect(Math.abs(x - exact[i]!)).toBeLessThanOrEqual(4 * unit[precision] * Math.sqrt(k) * bound[i]!)
      }),
      { numRuns: 120 },
    )
  })

  test('dot within the bound, large too', () => {
    for (const n of [0, 1, 3, 16, 17, 1000, 100_003]) {
      const a = Float64Array.from({ length: n }, (_, i) => Math.fround(Math.sin(i)))
      const b = Float64Array.from({ length: n }, (_, i) => Math.fround(Math.cos(3 * i) + 0.5))
      const shape = { rows: 1, cols: n }
      const { fast } = both(t.dot(t.input('a', shape), t.input('b', shape)), { a, b }, precision)
      const exact = a.reduce((s, x, i) => s + x * b[i]!, 0)
      const bound = a.reduce((s, x, i) => s + Math.abs(x * b[i]!), 0)
      expect(Math.abs(fast[0]! - exact)).toBeLessThanOrEqual(4 * unit[precision] * Math.sqrt(n) * bound)
    }
  })

  test.each([['softmax', t.softmax] as const, ['logSumExp', t.logSumExp] as const])('%s to 4 ulp', (_, op) => {
    const wide = fc.double({ min: -800, max: 800, noNaN: true }).map(Math.fround)
    const rows = fc
      .tuple(size, fc.integer({ min: 1, max: 20 }))
      .chain(([rows, cols]) => fc.tuple(fc.constant({ rows, cols }), values(rows * cols, wide)))
    fc.assert(
      fc.property(rows, ([shape, a]) => {
        const { fast, slow } = both(op(t.input('a', shape)), { a }, precision)
        expectUlps(fast, slow, precision, 4)
      }),
    )
  })

  test('gather, scatter, slice, concat and broadcast move values untouched', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.infiniteStream(fc.nat(1000)),
        (rows, cols, stream) => {
          const draw = (n: number) => Float64Array.from({ length: n }, () => stream.next().value as number)
          const index = Array.from(
            { length: 1 + ((stream.next().value as number) % 12) },
            () => (stream.next().value as number) % cols,
          )
          const a = t.input('a', { rows, cols })
          const b = t.input('b', { rows, cols: index.length })
          const inputs = { a: draw(rows * cols), b: draw(rows * index.length) }
          const outputs = [
            t.gatherCols(a, index),
            t.scatterCols(b, index, cols),
            t.concat([t.offset(a, 1), b, t.fill(7, { rows: 1, cols: 3 }), t.offset(a, 1), t.relu(b)]),
            t.matmul(
              t.broadcast(t.slice(t.concat([a, t.fill(2)]), rows * cols, { rows: 1, cols: 1 }), { rows, cols }),
              a,
              'tn',
            ),
          ]
          for (const output of outputs) {
            const { fast, slow } = both(output, inputs, precision)
            expectUlps(fast, slow, precision, 0)
          }
        },
      ),
    )
  })
})
