import { describe, expect, test } from 'vitest'
import { createEngine } from './engine.js'
import { type Node, sizeOf } from './graph.js'
import { lower, type Update } from './lower-graph.js'
import { plan } from './memory-plan.js'
import { compile } from './program.js'
import { interpret } from './reference.js'
import * as t from './trace.js'
import * as image from './trace-image.js'

const wave = (n: number, salt: number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => Math.sin(12.9898 * i + salt))

/** Runs a graph from made-up inputs and holds it to its definition; tells its calls and the size of its arena. */
function made(outputs: readonly Node[], updates: readonly Update[] = []) {
  const program = compile({ outputs, updates, precision: 'f64' })
  const lowered = lower(outputs, updates)
  const inputs = Object.fromEntries(
    lowered.inputs.map((n, i) => [n.attrs.name, wave(sizeOf(n), i).map((x) => x + (n.attrs.name === 'P' ? 2 : 0))]),
  )
  for (const name of program.inputNames) program.set(name, inputs[name]!)
  program.run()
  const expected = interpret(outputs, inputs)
  for (const [o, values] of expected.entries()) {
    for (const [i, x] of program.read(o).entries()) expect(x).toBeCloseTo(values[i]!, 10)
  }
  const { arenaElements, place } = plan(lowered)
  return { calls: program.calls, arena: arenaElements, at: lowered.outputs.map((o) => place(o).storage.offset) }
}

const A = t.input('A', { rows: 4, cols: 8 })
const B = t.input('B', { rows: 4, cols: 8 })
const short = t.input('short', { rows: 1, cols: 5 })
const row = t.input('row', { rows: 1, cols: 8 })

describe('values lie', () => {
  test('where their only operand lay, when nobody reads that again', () => {
    expect(made([t.exp(t.scale(t.relu(A), 2))])).toEqual({ calls: ['relu', 'scale', 'exp'], arena: 32, at: [0] })
  })

  test('apart from inputs, which stay as they are', () => {
    expect(made([t.relu(A), t.exp(A)])).toEqual({ calls: ['relu', 'exp'], arena: 64, at: [0, 32] })
  })

  test('apart from an operand that is read again', () => {
    const x = t.relu(A)
    expect(made([t.add(t.exp(x), x)]).arena).toBe(64)
    const y = t.exp(x)
    expect(made([t.mul(t.add(y, x), y)]).arena).toBe(64)
  })

  test('apart from an operand that is an output', () => {
    const x = t.relu(A)
    expect(made([x, t.exp(x)])).toEqual({ calls: ['relu', 'exp'], arena: 64, at: [0, 32] })
  })

  test('apart from a shorter operand, and from one of which another part is read in the same call', () => {
    const x = t.exp(row)
    expect(made([t.add(A, x)]).arena).toBe(32 + 8)
    const whole = t.exp(A)
    expect(made([t.mul(whole, t.slice(whole, 8, row))]).arena).toBe(64)
    expect(made([t.mul(whole, whole)]).arena).toBe(32)
  })

  test('apart from a larger value of which an operand is a part, however it begins', () => {
    const whole = t.exp(A)
    expect(made([t.relu(t.slice(whole, 0, { rows: 2, cols: 8 }))]).arena).toBe(32 + 16)
    expect(made([t.relu(t.slice(whole, 16, { rows: 2, cols: 8 }))]).arena).toBe(32 + 16)
    expect(made([t.relu(t.reshape(whole, { rows: 8, cols: 4 }))]).arena).toBe(32)
  })

  test('on whole cache lines, the largest first, each at the lowest place that is free all its life', () => {
    expect(made([t.relu(short), t.exp(short)])).toMatchObject({ arena: 16 + 5, at: [0, 16] })
    expect(made([t.relu(short), t.exp(A)])).toMatchObject({ arena: 32 + 5, at: [32, 0] })
    const shorter = t.sumCols(t.exp(A)) // 4 values, once the 32 are done with
    expect(made([t.relu(row), shorter])).toMatchObject({ arena: 32 + 16 + 4, at: [32, 48] })
  })

  test('where something lay that is done with', () => {
    const s = t.sumAll(t.exp(A))
    const u = t.sumAll(t.exp(t.add(B, s)))
    expect(made([t.add(u, s)]).arena).toBe(32 + 16 + 1)
  })
})

describe('a concatenation', () => {
  test('has its parts computed where they belong', () => {
    expect(made([t.concat([t.relu(A), t.exp(B)])])).toEqual({ calls: ['relu', 'exp'], arena: 64, at: [0] })
    const products = t.concat([t.matmul(A, B, 'nt'), t.reshape(t.relu(A), { rows: 1, cols: 32 })])
    expect(made([products])).toEqual({ calls: ['matmul', 'relu'], arena: 48, at: [0] })
  })

  test('does not keep what its parts were computed from', () => {
    const half = { rows: 2, cols: 8 }
    const whole = t.exp(A)
    const list = t.concat([t.relu(t.slice(whole, 0, half)), t.exp(t.input('H', half))])
    expect(made([list, t.relu(t.exp(B))])).toMatchObject({ arena: 64 }) // the last where `whole` lay
  })

  test('takes copies of inputs, constants, outputs, parts of others and what it holds twice', () => {
    expect(made([t.concat([A, t.exp(B)])])).toMatchObject({ calls: ['exp', 'concat'], arena: 64 })
    expect(made([t.concat([t.fill(3, row), t.exp(B)])])).toMatchObject({ calls: ['exp', 'concat'], arena: 40 })
    const x = t.exp(B)
    expect(made([t.concat([x, t.fill(0, row), x])])).toMatchObject({ calls: ['exp', 'concat', 'concat'], arena: 72 })
    expect(made([x, t.concat([x, t.relu(A)])])).toMatchObject({ calls: ['exp', 'relu', 'concat'], arena: 96 })
    expect(made([t.concat([t.slice(x, 8, row), t.relu(A)])])).toMatchObject({ calls: ['exp', 'relu', 'concat'] })
    const inner = t.concat([x, t.relu(A)])
    const sum = t.sumAll(inner)
    expect(made([t.concat([inner, sum])]).calls).toHaveLength(4)
    expect(made([t.add(sum, t.sumAll(t.concat([t.relu(A), x])))]).arena).toBe(64 + 64 + 1) // the second sum where the first list lay
  })
})

describe('what is not needed is not computed:', () => {
  test('stretched and constant values are read where they are', () => {
    expect(made([t.add(A, row)]).calls).toEqual(['add'])
    expect(made([t.mul(t.broadcast(t.sumAll(A), A), B)]).calls).toEqual(['sumAll', 'mul'])
    expect(made([t.broadcast(row, A)]).calls).toEqual(['broadcast'])
    expect(made([t.sub(t.fill(2), A)]).calls).toEqual(['sub'])
  })

  test('the same is computed once', () => {
    expect(made([t.mul(t.exp(A), t.exp(A))]).calls).toEqual(['exp', 'mul'])
  })
})

const W = t.input('W', { rows: 3, cols: 8 })
const bias = t.input('bias', { rows: 1, cols: 3 })
const G = t.input('G', { rows: 4, cols: 3 })
const product = t.matmul(A, W, 'nt')

describe('a product is finished', () => {
  test.each([
    ['with its bias', t.add(product, bias), ['matmul+bias']],
    ['with its bias, told first', t.add(bias, product), ['matmul+bias']],
    ['with bias and relu', t.relu(t.add(product, bias)), ['matmul+bias+relu']],
    ['with a gate', t.gate(product, G), ['matmul+gate']],
  ])('%s', (_, output, calls) => expect(made([output]).calls).toEqual(calls))

  const sum = t.add(product, bias)
  const narrow = t.input('narrow', { rows: 1, cols: 1 })
  const column = t.input('column', { rows: 4, cols: 1 })
  test.each([
    ['that is read elsewhere', [sum, product], ['matmul', 'add']],
    ['whose sum is read elsewhere, up to the bias', [t.relu(sum), sum], ['matmul+bias', 'relu']],
    ['beside a whole matrix', [t.add(product, G)], ['matmul', 'add']],
    ['beside one number', [t.add(product, narrow)], ['matmul', 'add']],
    ['beside a column', [t.add(product, column)], ['matmul', 'add']],
    ['under a relu alone', [t.relu(product)], ['matmul', 'relu']],
    ['under the gate of a row', [t.gate(product, t.broadcast(bias, product))], ['matmul', 'gate']],
    ['that gates', [t.gate(G, product)], ['matmul', 'gate']],
    ['of one column', [t.add(t.matmul(A, row, 'nt'), narrow)], ['matmul', 'add']],
  ])('by itself %s', (_, outputs, calls) => expect(made(outputs).calls.toSorted()).toEqual(calls.toSorted()))
})

const g = { channels: 2, height: 5, width: 6, filters: 3, kernel: 2, stride: 1, padding: 0 }
const X = t.input('X', { rows: 2, cols: 60 })
const F = t.input('F', { rows: 3, cols: 8 })
const z = image.conv(X, F, g) // [2, 3 * 4 * 5]

describe('a convolution is finished', () => {
  test.each([
    ['with its bias', [image.addChannelBias(z, bias)], ['conv+bias']],
    ['with bias and relu', [t.relu(image.addChannelBias(z, bias))], ['conv+bias+relu']],
    ['by itself under a relu', [t.relu(z)], ['conv', 'relu']],
    ['by itself where it is read elsewhere', [image.addChannelBias(z, bias), z], ['conv', 'repeatCols', 'add']],
    [
      'up to the bias where the sum is read elsewhere',
      [t.relu(image.addChannelBias(z, bias)), image.addChannelBias(z, bias)],
      ['conv+bias', 'relu'],
    ],
    [
      'by itself beside a bias of each image',
      [t.add(z, image.repeatCols(t.input('each', { rows: 2, cols: 3 }), 20))],
      ['conv', 'repeatCols', 'add'],
    ],
    [
      'by itself beside more biases than filters',
      [t.add(z, image.repeatCols(t.input('six', { rows: 1, cols: 6 }), 10))],
      ['conv', 'repeatCols', 'add'],
    ],
    ['by itself beside one number', [t.add(z, t.input('number', { rows: 1, cols: 1 }))], ['conv', 'add']],
  ])('%s', (_, outputs, calls) => expect(made(outputs).calls.toSorted()).toEqual(calls.toSorted()))

  test('for one image, too, whose bias needs no stretching', () => {
    const one = image.conv(t.input('one', { rows: 1, cols: 60 }), F, g)
    expect(made([image.addChannelBias(one, bias)]).calls).toEqual(['conv+bias'])
  })

  test.each([
    ['a plain one sends back from its winners alone', g, ['convInput+winners', 'convWeight+winners']],
    ['one with a stride does not', { ...g, stride: 2 }, ['convInput', 'convWeight', 'place']],
    ['one with a padding does not', { ...g, padding: 1 }, ['convInput', 'convWeight', 'place']],
  ])('under a pool %s', (_, of, calls) => {
    const { height, width } = image.outputSize(of)
    const y = image.conv(X, F, of)
    const index = image.maxPool(y, { channels: 3, height, width, size: 2, stride: 2 }).inputs[1]!
    const c = t.input('c', index)
    const placed = image.place(c, index, y.cols)
    const found = made([image.convInput(placed, F, of), image.convWeight(X, placed, of)]).calls
    expect(found.toSorted()).toEqual(['conv', 'poolIndex', ...calls].toSorted())
  })
})

describe('what is added to an input', () => {
  const times = t.input('times', { rows: 1, cols: 1 })
  const theta = t.input('theta', { rows: 1, cols: 12 })

  /** Runs one update and holds the input to theta + times * addend. */
  function updated(addend: Node, outputs: readonly Node[] = []): readonly string[] {
    const engine = createEngine()
    const program = compile({ outputs, updates: [{ input: theta, addend, times }], precision: 'f64', engine })
    const inputs = Object.fromEntries(
      lower([addend, theta, times]).inputs.map((n, i) => [n.attrs.name, wave(sizeOf(n), i)]),
    )
    for (const name of program.inputNames) program.set(name, inputs[name]!)
    program.run()
    const [d] = interpret([addend], inputs)
    const after = engine.view('f64', program.buffer('theta').address, 12)
    for (const [i, x] of after.entries()) {
      expect(x).toBeCloseTo(inputs.theta![i]! + inputs.times![0]! * d![i]!, 10)
    }
    return program.calls
  }
  const flat = (n: Node) => t.reshape(n, theta)
  const deep = (k: number) =>
    t.matmul(t.input('L', { rows: 3, cols: k }), t.input('R', { rows: k, cols: 4 }), 'nn') as Node

  test('is a product, added as it is formed', () => {
    expect(updated(flat(deep(5)))).toEqual(['matmul+update'])
    expect(updated(flat(t.matmul(W, A, 'nt')))).toEqual(['matmul+update'])
    const across = t.matmul(t.input('U', { rows: 7, cols: 3 }), t.input('V', { rows: 7, cols: 4 }), 'tn')
    expect(updated(flat(across))).toEqual(['matmul+update'])
    const parts = t.concat([t.matmul(bias, t.input('Q', { rows: 1, cols: 2 }), 'tn'), t.sumRows(t.input('S', { rows: 3, cols: 6 }))]) // biome-ignore format: one line
    expect(updated(parts).toSorted()).toEqual(['matmul+update', 'sumRows', 'update'])
  })

  test('is first computed where its sums are long, it is read elsewhere, or it reads the input', () => {
    expect(updated(flat(deep(512)))).toEqual(['matmul+update'])
    expect(updated(flat(deep(513)))).toEqual(['matmul', 'update'])
    const long = t.matmul(t.input('U', { rows: 513, cols: 3 }), t.input('V', { rows: 513, cols: 4 }), 'tn')
    expect(updated(flat(long))).toEqual(['matmul', 'update'])
    const product = flat(deep(5))
    expect(updated(product, [product])).toEqual(['matmul', 'update'])
    const own = t.matmul(t.input('L', { rows: 3, cols: 3 }), t.reshape(theta, { rows: 3, cols: 4 }))
    expect(updated(flat(own))).toEqual(['matmul', 'update'])
  })

  test('is not added where it is nothing', () => {
    const x = t.exp(t.input('x', { rows: 1, cols: 5 }))
    expect(updated(t.concat([t.fill(0, { rows: 1, cols: 7 }), x]))).toEqual(['exp', 'update'])
    expect(updated(t.concat([x, t.fill(2, { rows: 1, cols: 7 })]))).toEqual(['exp', 'update', 'update'])
    const list = t.concat([x, t.input('rest', { rows: 1, cols: 7 })])
    expect(updated(list, [list])).toEqual(['exp', 'concat', 'update'])
  })

  test('must be of the size of an input', () => {
    const wrong = (input: Node, addend: Node, by: Node) => () => lower([], [{ input, addend, times: by }])
    expect(wrong(theta, t.exp(theta), times)).not.toThrow()
    expect(wrong(t.exp(theta), theta, times)).toThrow('update: exp [1 x 12] += [1 x 1] * [1 x 12]')
    expect(wrong(theta, A, times)).toThrow('update')
    expect(wrong(theta, t.exp(theta), theta)).toThrow('update')
  })
})

describe('working memory', () => {
  const scratch = (n: Node) => lower([n]).instructions.at(-1)!.scratch
  const padded = { ...g, padding: 1 } // images 2 * 7 * 8 = 112, output 6 x 7
  const c = t.input('c', { rows: 2, cols: 3 * 42 })
  const many = t.input('many', { rows: 9, cols: 60 })
  test.each([
    // the patches of an image 2 * 2 * 2 * 20 = 160, or 18 * 8 + 3 filters
    ['a convolution', scratch(z), 160],
    // patches 8 * 42 + 112 = 448, or 18 * 8 + 3 + 2 * 112 = 371
    ['one with a padding', scratch(image.conv(X, F, padded)), 448],
    // 18 * 8 + 3 + 9 * 112 = 1155
    ['one of many padded images', scratch(image.conv(many, F, padded)), 1155],
    ['weights of a padded one', scratch(image.convWeight(X, c, padded)), 448],
    // turned filters 24 + 4; turned, padding 2 - 1 - 1 = 0: patches 3 * 4 * 30 = 360, or 18 * 12 + 2; then 448
    ['images of a padded one', scratch(image.convInput(c, F, padded)), 28 + 360 + 448],
    // padding 1 of 3 * 6 * 7 = 126: 3 * 4 * 30 + 126 = 486 or 18 * 12 + 2 + 2 * 126 = 470; then 160
    ['images', scratch(image.convInput(t.input('c', { rows: 2, cols: 60 }), F, g)), 28 + 486 + 160],
  ])('of %s', (_, found, expected) => expect(found).toBe(expected))
})
