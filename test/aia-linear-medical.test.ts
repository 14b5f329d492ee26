import { expect, test } from 'vitest'
import { roundedStep } from '../studies/aia-linear-rounded.mjs'
import { describeWithShared } from './shared.js'

describeWithShared('one step on all records of Medical, in single precision', () => {
  test('at a rate of 1e-4 almost all are told sex, and whoever could be another is not called sure', async () => {
    const found = await roundedStep({ learningRate: 1e-4, attribute: 'sex', seed: 1, client: 0 })
    expect(found).toMatchObject({ records: 446, verified: false, sureWrong: 0, certain: 0 })
    expect(found.wrong).toBeLessThanOrEqual(4)
    expect(found.sure).toBeGreaterThan(430)
  })
})
