import { describe, expect, test } from 'vitest'
import { headView, protocolOf } from '../../../../test/label-views.js'
import { matrixOf } from '../../../numeric/linalg/matrix.js'
import type { ClassHead } from './class-head.js'
import { singleClassFit } from './single-class-fit.js'

// p = (2/3, 1/3) whatever the record: of class 1 with embedding (2, -4), rows are (2/3, -2/3) times it.
const b = Float64Array.of(Math.log(2), 0)
const layer = { W: matrixOf([[0, 0], [0, 0]]), b } // biome-ignore format: one line
const rows = [[4 / 3, -8 / 3], [-4 / 3, 8 / 3]] // biome-ignore format: one line
const biases = [2 / 3, -2 / 3]

function asked(
  change: Partial<Omit<ClassHead, 'update'>> & { update?: object } = {},
  { gradW = rows, gradB = biases, label = 1 } = {},
) {
  const view = headView({ gradW, gradB, W: [[0, 0], [0, 0]], b: [...b], K: 1 }) // biome-ignore format: one line
  const grad = Float64Array.from([...gradW.flat(), ...gradB])
  const update = { localSteps: 1, unit: 1, round: 3, grad, theta: new Float64Array(6), ...change.update }
  const head = { gradW: matrixOf(gradW), gradB: Float64Array.from(gradB), layer, ...change, update }
  return singleClassFit(view, head as unknown as ClassHead, label)
}

describe('the gradient of one record', () => {
  test('is found again for its own class', async () => {
    const found = (await asked())!
    expect(found.misfit).toBeLessThan(1e-14)
    expect(found).toMatchObject({ expected: 1e-10, p: 1 })
  })

  test('is another for another class: two entries of d are off by 1', async () => {
    const found = (await asked({}, { label: 0 }))!
    // d = (-1/3, 1/3) for (2/3, -2/3): all entries are half as large and of the other sign.
    expect(found.misfit).toBeCloseTo(1.5, 12)
    expect(found.p).toBe(0)
  })

  test('may be off by 16 roundings', async () => {
    // A rise of the bias gradient alone by a share e, its direction kept: a falls by e, and the rows do not follow.
    const off = async (e: number) => (await asked({}, { gradB: biases.map((v) => v * (1 + e)) }))!
    const slope = (await off(1e-5)).misfit / 1e-5
    expect(await off(15e-10 / slope)).toMatchObject({ expected: 1e-10, p: 1 })
    expect(await off(16.5e-10 / slope)).toMatchObject({ expected: 1e-10, p: 0 })
  })

  test('that was sent in 24 bits is expected to be off by a hundred of their roundings', async () => {
    const single = (values: readonly number[]) => [...Float32Array.from(values)]
    const found = (await asked({}, { gradW: rows.map(single), gradB: single(biases) }))!
    expect(found.expected).toBe(100 / 16777216)
    expect(found.p).toBe(1)
  })
})

test('nothing is compared where something else stands between the record and the message', async () => {
  expect(await asked({ update: { localSteps: 2 } })).toBeUndefined()
  expect(await asked({ update: { unit: null } })).toBeUndefined()
  expect(await asked({ gradB: undefined })).toBeUndefined()
  expect(await asked({ layer: undefined })).toBeUndefined()
  expect(await asked({}, { gradB: [0, 0] })).toBeUndefined()
  const view = headView({ gradW: rows, gradB: biases, K: 1 })
  const head = { gradW: matrixOf(rows), gradB: Float64Array.from(biases), layer }
  const update = { localSteps: 1, unit: 1, round: 3, grad: new Float64Array(6) }
  const noisy = { ...view, protocol: protocolOf({ differentialPrivacy: {} as never }) }
  expect(await singleClassFit(noisy, { ...head, update } as unknown as ClassHead, 1)).toBeUndefined()
})
