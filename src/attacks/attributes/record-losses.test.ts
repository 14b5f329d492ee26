import { expect, test } from 'vitest'
import { functionsOf } from '../../models/functions.js'
import { createModel } from '../../models/index.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { energiesOf } from './record-losses.js'

const counted = (n: number, cols: number) => matrix(n, cols, Float64Array.from({ length: n * cols }, (_, i) => (i % 7) - 3)) // biome-ignore format: a line

test('a square counts every output, over more records than one pass takes', () => {
  const functions = functionsOf(createModel({ kind: 'linear', inputs: 2, outputs: 2, bias: false }))
  let derived = 0
  const counting = { ...functions, derive: (...given: Parameters<typeof functions.derive>) => { derived++; return functions.derive(...given) } } // biome-ignore format: a line
  const energies = energiesOf(counting, 'mse', Float64Array.of(1, 2, -1, 0.5))
  const n = 2 * 4096 + 3
  const X = counted(n, 2)
  const labels = counted(n, 2).data.map((v) => 2 * v + 1)
  const plain = Float64Array.from({ length: n }, (_, i) => {
    const [a, b] = [X.data[2 * i]!, X.data[2 * i + 1]!]
    const [p, q] = [functions.predict(Float64Array.of(1, 2, -1, 0.5), matrix(1, 2, Float64Array.of(a, b))).data].flatMap((one) => [one[0]!, one[1]!]) as [number, number] // biome-ignore format: a line
    return (p - labels[2 * i]!) * (p - labels[2 * i]!) + (q - labels[2 * i + 1]!) * (q - labels[2 * i + 1]!)
  })
  expect(energies({ features: X, labels })).toEqual(plain)
  expect(derived).toBe(2) // 4096 rows twice, and the 3 that are left
  energies({ features: counted(3, 2), labels: counted(3, 2).data })
  expect(derived).toBe(2)
})

test('as many records as one pass takes need one, one more needs two', () => {
  const functions = functionsOf(createModel({ kind: 'linear', inputs: 1, outputs: 1 }))
  for (const [n, passes] of [
    [4096, [4096]],
    [4097, [4096, 1]],
  ] as const) {
    // biome-ignore format: a line
    const rows: number[] = []
    const counting = { ...functions, derive: (r: number, build: Parameters<typeof functions.derive>[1]) => { rows.push(r); return functions.derive(r, build) } } // biome-ignore format: a line
    energiesOf(counting, 'mse', new Float64Array(2))({ features: counted(n, 1), labels: new Float64Array(n) })
    expect(rows).toEqual(passes)
  }
})

test('a model that does not fit is refused before any record is priced', () => {
  const functions = functionsOf(createModel({ kind: 'linear', inputs: 2, outputs: 1 }))
  expect(() => energiesOf(functions, 'mse', new Float64Array(7))).toThrow('7')
})

test.each([
  ['cross-entropy', 3, Float64Array.of(2, 0)],
  ['binary-cross-entropy', 1, Float64Array.of(1, 0)],
] as const)('%s is the loss of each record', (loss, outputs, labels) => {
  const functions = functionsOf(createModel({ kind: outputs === 1 ? 'logistic' : 'softmax', inputs: 2, outputs }), {
    loss,
  })
  const theta = Float64Array.from({ length: functions.size }, (_, j) => (j % 4) / 2 - 0.6)
  const batch = { features: matrix(2, 2, Float64Array.of(1, -2, 0.5, 3)), labels }
  const found = energiesOf(functions, loss, theta)(batch)
  expect([...found].map((e) => e.toFixed(9))).toEqual([...functions.lossPerExample(theta, batch)].map((e) => e.toFixed(9))) // biome-ignore format: a line
})
