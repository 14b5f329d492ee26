import { describe, expect, test } from 'vitest'
import { rng } from '../../../numeric/random/rng.js'
import type { TurnWindow } from '../../../transcript/knowledge-file.js'
import { participation } from './participation.js'
import { doubtsOf, type ReconstructedTurns, reconstructedTurns, strangersFit } from './reconstructed-turns.js'
import { requireTold, toldSums } from './told-turns.js'

const found: ReconstructedTurns = {
  ids: ['a', 'b', 'c'],
  rounds: [1, 2, 3, 4],
  windows: [{ from: 1, to: 4 }],
  took: [],
  misfit: [0.1, 0.1, 0.1],
  strangers: [0.5, 0.5],
  ambiguous: [],
  alike: [],
  space: { rank: 3, left: 0, levelled: false },
}
const letters = (n: number) => Array.from({ length: n }, (_, i) => String.fromCharCode(97 + i))

describe('what is doubted', () => {
  const of = (change: Partial<ReconstructedTurns>) => doubtsOf({ ...found, ...change })

  test('nothing where clients fit much better than strangers', () => {
    expect(of({})).toEqual([])
    expect(of({ misfit: [0.4, 0.4, 0.4] })).toEqual([])
  })

  test('whether anything was found, where strangers fit about as well or there are none', () => {
    const why = 'clients that do not exist fit the sums about as well: updates change too much, or rounds are too few'
    expect(of({ misfit: [0.41, 0.41, 0.41] })).toEqual([why])
    expect(of({ misfit: [0, 0.45, 0.6] })).toEqual([why])
    expect(of({ strangers: [] })).toEqual(['counts are too much alike to tell whether anything was found'])
    expect(strangersFit({ misfit: [9], strangers: [] })).toBe(false)
  })

  test('which columns are whose: the first ten names, the first five groups', () => {
    expect(of({ ambiguous: letters(10) })).toEqual(['other columns fit as well: a, b, c, d, e, f, g, h, i, j'])
    expect(of({ ambiguous: letters(11) })).toEqual(['other columns fit as well: a, b, c, d, e, f, g, h, i, j, ...'])
    const groups = letters(7).map((id) => [id, `${id}'`])
    const said = of({ alike: groups })
    expect(said).toHaveLength(5)
    expect(said[4]).toBe("took part equally often, which is which is a guess: e, e'")
  })

  test('sums that span less than the clients', () => {
    const space = { ...found.space, rank: 2 }
    expect(of({ space })).toEqual(['the 4 sums span 2 directions, 3 clients took part'])
  })
})

/** Sums of clients who return one update each; counts of windows of four rounds. */
function viewOf(took: readonly string[], width = 4, more = {}) {
  const ids = [...new Set(took.join(''))].sort()
  const own = new Map(ids.map((id) => [id, rng(1).fork(id).normals(20)]))
  const sums = took.map((all, round) => {
    const dThetaSum = new Float64Array(20)
    for (const id of all) for (const [j, x] of own.get(id)!.entries()) dThetaSum[j]! += x
    return { round, dThetaSum, derived: false }
  })
  const turnCounts = Array.from({ length: took.length / width }, (_, k): TurnWindow => {
    const part = took.slice(k * width, (k + 1) * width)
    const clients = Object.fromEntries([...ids, 'z'].map((id) => [id, part.filter((all) => all.includes(id)).length]))
    return { from: k * width, to: (k + 1) * width - 1, clients }
  })
  return { aggregates: { rounds: took.map((_, r) => r), read: async (r: number) => sums[r]! }, turnCounts, ...more }
}

const took = ['ab', 'b', 'a', 'ac', 'ac', 'b', 'bc', 'abc', 'c', 'abc', 'a', 'ac']
const options = { starts: 10, steps: 60, rng: rng(1), tick: () => {} }

describe('who took part', () => {
  test('client by client, those who never did left out, each looked for once', async () => {
    const ticks: number[][] = []
    const turns = await reconstructedTurns(viewOf(took), { ...options, tick: (...at) => void ticks.push(at) })
    expect([turns.ids, turns.rounds.length, turns.windows.length]).toEqual([['a', 'b', 'c'], 12, 3])
    for (const [i, id] of turns.ids.entries())
      expect([...turns.took[i]!]).toEqual(took.map((all) => Number(all.includes(id))))
    for (const misfit of turns.misfit) expect(misfit).toBeLessThan(1e-9)
    expect([turns.ambiguous, turns.alike, turns.space.rank, turns.space.levelled]).toEqual([[], [], 3, false])
    // Four searches a client at most: in two spaces, for itself and for a stranger.
    for (const [k, [done, total]] of ticks.entries()) {
      expect(total).toBe(12)
      if (k > 0) expect(done).toBeGreaterThanOrEqual(ticks[k - 1]![0]!)
    }
    expect(ticks[0]).toEqual([0, 12])
    expect(ticks.at(-1)![0]).toBeLessThan(6)
  })

  test('clients of equal counts are told as a group', async () => {
    const pair = ['ab', 'c', 'b', 'ac', 'a', 'bc', 'b', 'a', 'c', 'ab', 'bc', 'ac']
    const turns = await reconstructedTurns(viewOf(pair), options)
    const counts = (id: string) =>
      [0, 1, 2].map((k) => pair.slice(4 * k, 4 * k + 4).filter((all) => all.includes(id)).length).join()
    expect(counts('a')).toBe(counts('b'))
    expect(turns.alike.some((group) => group.includes('a') && group.includes('b'))).toBe(true)
    const columns = turns.ids.map((_, i) => turns.took[i]!.join(''))
    expect(columns.sort()).toEqual(turns.ids.map((id) => pair.map((all) => Number(all.includes(id))).join('')).sort())
    expect(turns.ambiguous).toEqual([])
  })

  test('windows without all of their sums are left out', async () => {
    const view = viewOf(took)
    const rounds = view.aggregates.rounds.filter((round) => round !== 3)
    const turns = await reconstructedTurns({ ...view, aggregates: { ...view.aggregates, rounds } }, options)
    expect(turns.windows).toEqual([
      { from: 4, to: 7 },
      { from: 8, to: 11 },
    ])
    expect(turns.rounds).toEqual([4, 5, 6, 7, 8, 9, 10, 11])
    const none = { ...view, aggregates: { ...view.aggregates, rounds: [0, 1, 2, 4, 8] } }
    await expect(reconstructedTurns(none, options)).rejects.toThrow('no window of rounds has all of its sums')
  })

  test('is not looked for where counts say it all, or the sums are too few', async () => {
    await expect(reconstructedTurns(viewOf(['ab', 'ab', 'ab', 'ab']), options)).rejects.toThrow(
      'their counts say it all',
    )
    const few = 'any column lies in their space'
    await expect(reconstructedTurns(viewOf(['ab', 'bc', 'c'], 3), options)).rejects.toThrow(
      `3 sums of 3 clients: ${few}`,
    )
    expect((await reconstructedTurns(viewOf(['ab', 'b', 'a'], 3), options)).ids).toEqual(['a', 'b'])
  })
})

describe('a view that somebody told, or nobody', () => {
  const told = { participation: [], protocol: { aggregateWeights: 'one' } }
  const context = { rng: rng(1), tick: () => {} }

  test('is itself where it was told', async () => {
    const view = { ...viewOf(took), ...told } as never
    expect(await toldSums(view, [], context)).toEqual({ view, warnings: [], reconstructed: null })
    expect(() => requireTold(told)).not.toThrow()
    expect(() => requireTold({})).toThrow('nobody says who took part')
  })

  test('else who took part is reconstructed, and of the rest what may be had', async () => {
    const view = viewOf(took, 4, { protocol: { aggregateWeights: 'one' }, secret: 1 }) as never
    const {
      view: found,
      warnings,
      reconstructed,
    } = await toldSums(view, ['protocol', 'aggregates', 'sampleCounts'], context)
    expect(Object.keys(found).sort()).toEqual(['aggregates', 'participation', 'protocol'])
    expect((found as { participation: unknown }).participation).toEqual(
      took.map((all, round) => ({ round, participants: [...all], dropped: [] })),
    )
    expect(warnings[0]).toBe('who took part is reconstructed from the sums, and not told')
    expect(reconstructed!.ids).toEqual(['a', 'b', 'c'])
    const { turnCounts: _, ...silent } = viewOf(took)
    await expect(toldSums(silent, [], context)).rejects.toThrow('nor how often (turnCounts)')
  })
})

test('controls: every client returns one update, or the sums change places', async () => {
  const view = viewOf(took)
  if ('none' in participation.plant || 'none' in participation.shuffle) throw new Error('no control')
  const rows = new Map(took.map((all, round) => [round, [...all]]))
  const input = { view, params: {}, rng: rng(3) }
  const planted = (await participation.plant({ ...input, truth: { participation: rows } } as never)).view.aggregates!
  const sums = await Promise.all(took.map(async (_, r) => (await planted.read(r)).dThetaSum))
  expect([planted.rounds, sums[0]!.length]).toEqual([view.aggregates.rounds, 64])
  // ab and c are abc.
  for (let j = 0; j < 64; j++) expect(sums[0]![j]! + sums[8]![j]!).toBeCloseTo(sums[9]![j]!, 12)
  expect(sums[2]).toEqual(rng(3).fork('update', 'a').normals(64))
  const shuffled = (await participation.shuffle(input as never)).view.aggregates!
  const order = rng(3).fork('order').permutation(12)
  for (let r = 0; r < 12; r++) {
    const { round, dThetaSum } = await shuffled.read(r)
    expect([round, dThetaSum]).toEqual([r, (await view.aggregates.read(order[r]!)).dThetaSum])
  }
})
