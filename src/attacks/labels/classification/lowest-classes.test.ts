import { describe, expect, test } from 'vitest'
import { only } from '../../../../test/attack-context.js'
import { headView } from '../../../../test/label-views.js'
import { classHead } from './class-head.js'
import { claimClasses, lowestClasses } from './lowest-classes.js'

const evidence = Float64Array.of(0.5, -1, 0, -2)
const lowest = (recordCount: number, take: 'auto' | 'smallest' | 'negative') =>
  lowestClasses(evidence, { recordCount, take })

test('the smallest: as many as records, in rising order', () => {
  expect(lowest(1, 'smallest')).toEqual([3])
  expect(lowest(3, 'smallest')).toEqual([3, 1, 2])
  expect(lowest(9, 'smallest')).toEqual([3, 1, 2, 0])
})

test('the negative: none at zero or above, and no more than records', () => {
  expect(lowest(9, 'negative')).toEqual([3, 1])
  expect(lowest(3, 'negative')).toEqual([3, 1])
  expect(lowest(1, 'negative')).toEqual([3])
})

test('of oneself: the smallest until they would be all, then the negative', () => {
  expect(lowest(3, 'auto')).toEqual([3, 1, 2])
  expect(lowest(4, 'auto')).toEqual([3, 1])
  expect(lowest(5, 'auto')).toEqual([3, 1])
})

describe('the claim', () => {
  const gradW = [[2, 4], [-3, 1]] // biome-ignore format: one line
  const claimOf = async (labels: readonly number[], K: number) => {
    const view = headView({ gradW, gradB: [0.5, -0.5], W: [[0, 0], [0, 0]], b: [0, 0], K }) // biome-ignore format: one line
    const head = await classHead(view, { size: 'known' })
    const outcome = await claimClasses(view, head, { labels, from: 'rows', warnings: ['unsure'] })
    return { claim: only(outcome, 'labels'), ...outcome }
  }

  test('of two records says that each class is claimed once, and compares nothing', async () => {
    for (const labels of [[1], [1, 0]]) {
      const { claim, warnings, details } = await claimOf(labels, 2)
      expect(claim).toEqual({ kind: 'labels', client: 'a', round: 3, labels, once: true })
      const once = `${labels.length} classes are claimed for 2 records, each once: how often one occurs is not known`
      expect(warnings).toEqual(['unsure', once])
      expect(details).toEqual({ recordCount: 2, classes: 2, evidence: 'rows' })
    }
  })

  test('of one record is refused where no record of its class explains the message', async () => {
    await expect(claimOf([1], 1)).rejects.toThrow('a single record')
    const { claim, warnings } = await claimOf([], 1)
    expect(claim).toEqual({ kind: 'labels', client: 'a', round: 3, labels: [] })
    expect(warnings).toEqual(['unsure'])
  })
})
