import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../test/label-views.js'
import { updateSize } from './update-size.js'

const as = (batchSize: number | null, localEpochs: number | null, localSteps: number | null) =>
  protocolOf({ batchSize, localEpochs, localSteps })

describe('a returned model', () => {
  test.each([
    [as(32, 1, null), 20, 32, 20, 1], // fewer records than a batch
    [as(32, 3, null), 20, 32, 20, 3],
    [as(10, 1, null), 25, 10, 25, 3], // all batches of an epoch, the last one short
    [as(10, 1, null), 25, 7, 7, 3], // a number that was told
    [as(null, 2, null), 25, 25, 25, 2],
    [as(10, null, 1), 25, 10, 10, 1],
    [as(10, null, 2), 25, 10, 20, 2], // two batches of an epoch hold twenty records, not all
    [as(10, null, 7), 25, 10, 25, 7],
    [as(10, null, 1), undefined, 10, 10, 1],
    [as(10, 1, null), undefined, 10, 10, undefined],
    [as(10, 2, null), undefined, 1, 1, 2], // a single record, as was told
    [as(null, 1, null), undefined, undefined, undefined, 1],
  ])('%#', (protocol, samples, batchSize, records, steps) => {
    const view = { protocol, ...(batchSize && { batchSize }), ...(samples && { samples }) }
    expect(updateSize(view, 'parameters')).toMatchObject({ records, steps })
    expect(updateSize(view, 'delta')).toMatchObject({ records, steps })
  })

  test('leaves the short batch out where the protocol says so', () => {
    const protocol = { ...as(10, 2, null), dropLast: true }
    expect(updateSize({ protocol, samples: 25 }, 'delta').steps).toBe(4)
    expect(updateSize({ protocol, samples: 7 }, 'delta').steps).toBe(2)
  })
})

describe('a shared gradient', () => {
  test.each([
    [as(40, 1, null), 200, 40, 40], // one batch, not all that the client holds
    [as(40, 3, null), 200, 40, 40],
    [as(40, 1, null), 200, 1, 1],
    [as(1, 1, null), 200, 1, 1],
    [as(40, 1, null), 12, 40, 12],
    [as(null, 1, null), 200, 200, 200],
    [as(40, 1, null), undefined, 40, 40],
  ])('is of one batch and one step: %#', (protocol, samples, batchSize, records) => {
    const view = { protocol, batchSize, ...(samples && { samples }) }
    expect(updateSize(view, 'gradient')).toEqual({ records, steps: 1, recordsPerStep: records })
  })
})

test('a batch of no records is an error', () => {
  expect(() => updateSize({ protocol: as(10, 1, null), batchSize: 0 }, 'gradient')).toThrow(/batchSize is 0/)
})
