import { functionsOf, lenetMnist } from 'overhear/models'
import { matrix } from 'overhear/numeric'
import { expect, test } from 'vitest'
import { describeWithShared, vector } from './shared.js'

interface Packed {
  shape: number[]
  f32: string
}
interface VectorJ {
  n_params: number
  params: Record<string, Packed>
  images: Packed
  labels: number[]
  logits: number[][]
  loss: number
  grad: Record<string, { norm: number; sum: number; first20: number[] }>
}

/** Little-endian float32 in base64. */
function unpack({ f32 }: Packed): Float64Array {
  const bytes = Uint8Array.from(Buffer.from(f32, 'base64'))
  return Float64Array.from(new Float32Array(bytes.buffer))
}

describeWithShared('vector j: loss, predictions and gradient of LeNet on two images', () => {
  const j = vector<VectorJ>('j')
  const model = lenetMnist()
  const f = functionsOf(model)
  const theta = Float64Array.from(model.parameters.flatMap(({ name }) => [...unpack(j.params[name]!)]))
  const batch = { features: matrix(2, 784, unpack(j.images)), labels: Float64Array.from(j.labels) }

  test('has the stated number of parameters, named and shaped alike', () => {
    expect(f.size).toBe(j.n_params)
    expect(model.parameters.map(({ name, shape }) => [name, shape])).toEqual(
      Object.entries(j.params).map(([n, p]) => [n, p.shape]),
    )
  })

  test('predictions are the softmax of the logits', () => {
    const P = f.predict(theta, batch.features)
    for (const [i, row] of j.logits.entries()) {
      const total = row.reduce((s, z) => s + Math.exp(z), 0)
      for (const [c, z] of row.entries()) expect(P.data[10 * i + c]).toBeCloseTo(Math.exp(z) / total, 12)
    }
  })

  test('loss and gradient', () => {
    const { loss, grad } = f.gradient(theta, batch)
    expect(loss).toBeCloseTo(j.loss, 12)
    let at = 0
    for (const { name, shape } of model.parameters) {
      const size = shape.reduce((a, b) => a * b, 1)
      const part = grad.subarray(at, at + size)
      at += size
      const { norm, sum, first20 } = j.grad[name]!
      expect(Math.sqrt(part.reduce((s, x) => s + x * x, 0))).toBeCloseTo(norm, 12)
      expect(part.reduce((s, x) => s + x, 0)).toBeCloseTo(sum, 11)
      for (const [i, x] of first20.entries()) expect(part[i]).toBeCloseTo(x, 13)
    }
  })
})
