import { describe, expect, test } from 'vitest'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import type { Policy } from '../checked-aggregation/terms.js'
import { type SumProtocol, trySums } from './try-sums.js'

const policy: Policy = {
  ...{ variant: 'pairs', least: 3, directory: 'given' },
  ...{ corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10 },
}
const tried = async (change: Partial<SumProtocol>, n = 21) => {
  const rows = await trySums(n, { server: 'malicious', neighbours: 8, policy, ...change }, nativePrimitives())
  return rows.map(({ attack, colluders, opened }) => [attack, colluders, opened])
}

describe('what a malicious server gets', () => {
  test('of clients who check: nothing but the difference of two cohorts', async () => {
    expect(await tried({})).toEqual([
      ['equivocation', 0, null],
      ['equivocation', 8, null],
      ['sybils', 11, null],
      ['cohort-differencing', 0, 1],
      ['round-asked-twice', 0, null],
    ])
    const graph = await tried({ policy: { ...policy, variant: 'graph' } }, 60)
    expect(graph.slice(0, 2)).toEqual([
      ['equivocation', 0, null],
      ['equivocation', 3, null],
    ])
  })

  test('of clients who trust on first use: sybils come in, and leave one update', async () => {
    const rows = await tried({ policy: { ...policy, directory: 'first-use' } })
    expect(rows[2]).toEqual(['sybils', 11, 1])
  })

  test('of the honest-but-curious protocol: everything', async () => {
    expect(await tried({ server: 'honest-but-curious' })).toEqual([
      ['equivocation', 0, 2],
      ['equivocation', 1, 1],
      ['sybils', 11, 1],
      ['cohort-differencing', 0, 1],
      ['round-asked-twice', 0, 1],
    ])
    const graph = await tried({ server: 'honest-but-curious', policy: { ...policy, variant: 'graph' } })
    expect(graph[0]).toEqual(['equivocation', 0, 1])
    expect(graph.slice(2)).toEqual([
      ['sybils', 11, 1],
      ['cohort-differencing', 0, 1],
      ['round-asked-twice', 0, 1],
    ])
  })
})
