import { expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange, View } from '../../threat/granted-keys.js'
import { requireLengths } from './equal-lengths.js'

const viewOf = (lengths: readonly number[], clipNorm: number | null = null) => {
  const exchanges = lengths.map((length, round): Exchange => {
    const way = rng(3).fork(round).normals(9)
    const size = Math.sqrt(way.reduce((sum, v) => sum + v * v, 0))
    const update = { kind: 'gradient', grad: way.map((v) => (v * length) / size) } as const
    return { round, received: new Float64Array(9), update, learningRate: 0.1 } as unknown as Exchange
  })
  const series = { rounds: exchanges.map(({ round }) => round), read: async (round: number) => exchanges[round]! }
  return { exchanges: series, protocol: { clipNorm } } as unknown as View<'exchanges' | 'protocol'>
}

test('updates of one length were cut to it, unless that is stated or they are too few to say', async () => {
  await expect(requireLengths(viewOf([0.3, 0.3, 0.30001]))).rejects.toThrow('3 updates are all 0.3 long')
  for (const [lengths, clipNorm] of [
    [[0.3, 0.3], null],
    [[0.3, 0.31, 0.3], null],
    [[0.3, 0.3, 0.3], 0.3],
    [[0, 0, 0], null],
  ] as const) {
    await expect(requireLengths(viewOf(lengths, clipNorm))).resolves.toBeUndefined()
  }
})
