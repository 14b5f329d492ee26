import { describe, expect, test } from 'vitest'
import { contextFor, only } from '../../../test/attack-context.js'
import { deriveAs, handParams, keptDetector, sumsView } from '../../../test/hand-features.js'
import { rng } from '../../numeric/random/rng.js'
import type { Claimed, Outcome } from '../attack.js'
import { bestForF1 } from './f1-decision.js'
import { fewInnocent } from './false-accusations.js'
import { freeRider } from './free-rider.js'

describe('free riders of any kind', () => {
  /** Honest clients have features about 1; riders of one kind -1, of which the detectors of each kind know more or less. */
  const took = Array.from({ length: 24 }, (_, r) =>
    [...'abcdef'].filter((_, i) => i === r % 6 || rng(2).fork(r, i).uniform() < 0.4).join(''),
  )
  const noise = rng(4).normals(24, { std: 0.3 })
  const sum = (r: number) => [...took[r]!].reduce((all, id) => all + (id === 'c' ? -1 : 1), noise[r]!)
  const view = sumsView({ took, sum })
  const own = { plusMean: -1, plusStd: 0.1, minusMean: 1, minusStd: 0.15, measured: 9, v: 0.9 }
  /** Riders of other kinds: those of noise look much the same, stale ones explain the sums the worse the further off. */
  const shapesOf = (off: number): Record<string, typeof own> => ({
    zero: own,
    noise: { ...own, plusStd: 0.4, v: 0.8 },
    stale: { ...own, plusMean: -1 + off, minusMean: 1 + off },
  })
  const { property: _, ...plain } = handParams
  const contextOf = (
    off: number,
    riding: string,
    {
      stream = rng(1),
      decision = 'fdr',
      onShare = () => {},
    }: { stream?: ReturnType<typeof rng>; decision?: string; onShare?: (share: number) => void } = {},
  ) => ({
    ...contextFor({ onShare }),
    rng: stream,
    params: { ...plain, acting: 1, riding, decision, share: 0.1, chains: 2, sweeps: 40, maxSweeps: 80 },
    derive: deriveAs((_, settings) => keptDetector(1, shapesOf(off)[settings.riding as string]!)),
  })
  const run = (...asked: Parameters<typeof contextOf>) => freeRider.run(view, contextOf(...asked)) as Promise<Outcome>
  const kinds = ['zero', 'noise', 'stale']

  test.each([0.05, 0.15, 0.3, 0.5, 0.8, 1.2, 2])(
    'of each the kind it is likeliest guilty of, among those that explain the sums: %d',
    async (off) => {
      const single = (await Promise.all(
        kinds.map((kind) => run(off, kind, { stream: rng(1).fork(kind) })),
      )) as Claimed[]
      const unlike = single.map(({ details }) => (details.extra as number) + Math.max(0, (details.rho as number) - 1))
      const fitting = single.filter((_, k) => unlike[k]! <= 2 * Math.min(...unlike) + 0.5)
      const any = (await run(off, 'any')) as Claimed
      expect(any.details.fitting).toEqual(kinds.filter((_, k) => fitting.includes(single[k]!)))
      const { clients } = only(any, 'property')
      for (const [i, { probability }] of clients.entries()) {
        const third = fitting.map((one) => {
          const p = only(one, 'property').clients[i]!.probability!
          return p / (p + 3 * (1 - p))
        })
        expect(probability).toBe(Math.max(...third))
      }
      expect(any.warnings).toEqual([...new Set(fitting.flatMap(({ warnings }) => warnings))])
      for (const [k, kind] of kinds.entries()) expect(any.details[kind]).toEqual(single[k]!.details)
      expect(any.workings).toEqual(fitting[0]!.workings)
      const chances = Float64Array.from(clients, ({ probability }) => probability!)
      expect(clients.map(({ positive }) => positive)).toEqual(fewInnocent(chances))
      const f1 = only(await run(off, 'any', { decision: 'f1' }), 'property').clients
      expect(f1.map(({ positive }) => positive)).toEqual(bestForF1(chances))
    },
  )

  test('clients who ride are accused, and each kind takes a third of the time', async () => {
    const shares: number[] = []
    const any = await run(2, 'any', { onShare: (share) => shares.push(share) })
    expect(only(any, 'property').clients.flatMap(({ id, positive }) => (positive ? [id] : []))).toEqual(['c'])
    for (const [k, share] of shares.entries()) if (k > 0) expect(share).toBeGreaterThanOrEqual(shares[k - 1]! - 1e-12)
    expect(shares[0]).toBe(0)
    for (const k of [1, 2]) expect(shares.some((share) => Math.abs(share - k / 3) < 1e-12)).toBe(true)
  })

  test('what is planted is riding by returning nothing, unless told otherwise', async () => {
    const asked: unknown[] = []
    const derive = deriveAs((_, settings) => {
      asked.push(settings.riding)
      return [Float64Array.of(0), Float64Array.of(1)]
    })
    if ('none' in freeRider.plant) throw new Error('no control')
    const truth = { property: () => ['c'] } as never
    for (const riding of ['any', 'noise', 'stale'])
      await freeRider.plant({ view, params: { riding }, truth, rng: rng(1), derive } as never)
    expect([...new Set(asked)]).toEqual(['zero', 'noise', 'stale'])
  })
})
