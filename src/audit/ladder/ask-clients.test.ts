import { describe, expect, test } from 'vitest'
import { type Attack, claimed, defineAttack } from '../../attacks/attack.js'
import type { Claim } from '../../attacks/claim.js'
import { OverhearError } from '../../errors.js'
import { rng } from '../../numeric/random/rng.js'
import { whole } from '../../params.js'
import type { Sources } from '../../threat/grant.js'
import type { TruthFile } from '../../transcript/truth-file.js'
import type { Answer } from './answer.js'
import { type AskingClients, askClients } from './ask-clients.js'

type Said = readonly { id: string; probability: number | null; score?: number; positive?: boolean }[]

const attackOf = (run: Attack['run']): Attack =>
  defineAttack({
    ...{ id: 'ranks', title: '', paper: 'prolin', where: '', target: 'property', needs: [], run },
    ...{ params: { curve: whole({ default: 3, min: 0, doc: '' }) }, plant: { none: '' }, shuffle: { none: '' } },
  })
const property = (clients: Said, more: object = {}): Claim =>
  ({ kind: 'property', property: 'p', clients: clients.map((one) => ({ positive: false, ...one })), ...more }) as Claim

interface World {
  readonly having?: readonly string[]
  readonly contribution?: ReadonlyMap<string, number>
  readonly clients?: readonly string[] | number
  readonly ranked?: readonly string[] | null
  readonly candidates?: number
  readonly run?: Attack['run']
}
function asked(
  claims: readonly Claim[],
  { having, contribution, clients = ['a', 'b', 'c', 'd'], ranked = null, candidates = 20, run }: World,
): Promise<readonly Answer[] | string> {
  const named = typeof clients === 'number' ? { count: clients } : clients.map((id) => ({ id }))
  const sources = { transcript: { manifest: { clients: named, recordedFor: { kind: 'server' } } }, knowledge: {} }
  return askClients({
    ...{ attack: attackOf(run ?? (async () => claimed(claims))), params: {}, ranked, candidates, rng: rng(5) },
    sources: sources as unknown as Sources,
    truth: { property: (name: string) => (name === 'p' ? having : undefined), contribution } as unknown as TruthFile,
    around: { observer: 'server', rng: rng(5) } as AskingClients['around'],
  })
}
async function answerOf(claim: Claim, world: World): Promise<Answer> {
  const found = await asked([claim], world)
  if (typeof found === 'string') throw new Error(found)
  return found[0]!
}
const said = (...probabilities: number[]): Said =>
  probabilities.map((probability, i) => ({ id: 'abcdefghijklmnop'[i]!, probability }))

describe('who has a property', () => {
  test('is held against all other sets of as many clients', async () => {
    const found = await answerOf(property(said(0.9, 0.8, 0.3, 0.1)), { having: ['a', 'c'] })
    expect(found).toMatchObject({
      ...{ kind: 'property', name: 'p', metric: 'AUC', better: 'higher', best: 1, how: 'clients' },
      held: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    })
    // Pairs of {a, c} against {b, d}: a above both, c above d alone. The others: ab, ad, bc, bd, cd.
    expect(found.trained).toEqual([3 / 4, 1, 1 / 2, 1 / 2, 1 / 4, 0])
    expect(found.contrast).toEqual([1, 0, 0, 0, -1, 0])
  })

  test('is drawn anew where there are more than a thousand sets', async () => {
    const clients = (n: number) => Array.from({ length: n }, (_, i) => `c${i}`)
    const of = (n: number, g: number, candidates = 7) =>
      answerOf(property(clients(n).map((id, i) => ({ id, probability: i / n }))), {
        clients: clients(n),
        having: clients(g),
        candidates,
      })
    // 1000 single ones, 990 pairs of 45, 1001 fours of 14, 286 tens of 13.
    for (const [
      n,
      g,
      sets,
    ] of [[1000, 1, 1000], [1001, 1, 8], [45, 2, 990], [46, 2, 8], [14, 4, 8], [14, 10, 8], [13, 10, 286]] as const) // biome-ignore format: sizes
      expect((await of(n, g)).trained).toHaveLength(sets)
    const drawn = await of(40, 20, 30)
    expect(drawn.contrast[0]).toBe(1)
    expect(new Set(drawn.trained).size).toBeGreaterThan(20)
    // Each set has 20 of 40: what it keeps of the true one is k of 20, and the contrast k / 20 - (20 - k) / 20.
    for (const one of drawn.contrast) expect(Math.round(one * 10)).toBeCloseTo(one * 10, 9)
    expect((await of(40, 20, 30)).trained).toEqual(drawn.trained)
  })

  test('is asked of the clients of the recording, of the claim and of the truth, or of those it was drawn among', async () => {
    const sets = async (world: World) =>
      (await answerOf(property(said(0.9, 0.8)), { having: ['z'], ...world })).trained.length
    expect(await sets({ clients: ['a', 'c', 'd'] })).toBe(5)
    expect(await sets({ clients: 100 })).toBe(3)
    expect(await sets({ ranked: ['c', 'd', 'e'] })).toBe(4)
    expect(await sets({ ranked: ['c', 'd', 'z'] })).toBe(3)
  })

  test('is not asked where the truth does not say it, or where all or none have it', async () => {
    const one = property(said(0.9, 0.8, 0.3, 0.1))
    expect(await asked([one], {})).toBe('the truth does not say who has the property p')
    expect(await asked([one], { having: [] })).toBe('no client has the property p')
    expect(await asked([one], { having: ['a', 'b', 'c', 'd'] })).toBe('every client has the property p')
    const label: Claim = { kind: 'label', client: 'a', round: 0, value: 1 }
    expect(await asked([label], {})).toBe('nothing says how a claim of label about all clients is graded')
    // One that can be graded is enough.
    expect(await asked([label, one], { having: ['a'] })).toHaveLength(1)
    expect(await asked([], {})).toEqual([])
  })

  test('says whom it accuses, how surely, and how that and the rest came out', async () => {
    const clients: Said = [
      { id: 'a', probability: 0.9, positive: true },
      { id: 'b', probability: null, positive: true },
      { id: 'c', probability: 0.2 },
      { id: 'd', probability: 0.6 },
      { id: 'e', probability: null },
      { id: 'f', probability: 0.5 },
    ]
    const found = await answerOf(property(clients), { having: ['a', 'd', 'e'], clients: 6 })
    expect(found.accused).toEqual({ ids: ['a', 'b'], of: 6, sure: [0.9, 1] })
    // Log odds to a twentieth: 0.5 -> 0, 0.6 -> 0.4, 0.8 -> 1.4, 0.9 -> 2.2, 1 -> 14. c is rightly let off, d rightly
    // suspected, b wrongly accused, f let off at even odds; of e nothing is said.
    expect(found.sureness).toEqual([
      [0, 1, 1],
      [0.4, 1, 1],
      [1.4, 1, 1],
      [2.2, 1, 1],
      [14, 0, 1],
    ])
    expect(found.accusing).toEqual([
      [2.2, 1, 1],
      [14, 0, 1],
    ])
    const ranks = await answerOf(property(clients, { ranksOnly: true }), { having: ['a', 'd', 'e'], clients: 6 })
    expect(ranks.trained).toEqual(found.trained)
    expect([ranks.accused, ranks.sureness, ranks.accusing]).toEqual([undefined, undefined, undefined])
  })
})

describe('who contributes how much', () => {
  const claim = (...scores: number[]): Claim =>
    ({ kind: 'contribution', clients: scores.map((score, i) => ({ id: 'abcdef'[i]!, score })) }) as Claim
  const contribution = new Map([...'abcdef'].map((id, i) => [id, i * i]))

  test('is held against the same contributions dealt to other clients', async () => {
    const found = await answerOf(claim(1, 2, 3, 4, 5, 6), { contribution, candidates: 50 })
    expect(found).toMatchObject({
      kind: 'contribution',
      name: null,
      metric: 'rank correlation',
      better: 'higher',
      best: 1,
      how: 'clients',
    })
    expect([found.trained.length, found.held.length, found.contrast.length]).toEqual([51, 51, 51])
    expect([found.trained[0], found.contrast[0]]).toEqual([1, 1])
    expect(new Set(found.held)).toEqual(new Set([0]))
    expect(new Set(found.trained).size).toBeGreaterThan(10)
    // A share of six clients who keep their own; whoever keeps all of them has the true figure.
    for (const [k, kept] of found.contrast.entries()) {
      expect(Math.round(kept * 6)).toBeCloseTo(kept * 6, 12)
      if (found.trained[k] === 1) expect(kept).toBe(1)
    }
    expect((await answerOf(claim(6, 5, 4, 3, 2, 1), { contribution })).trained[0]).toBe(-1)
    // Contributions move, not claims: with one that stands out, the figure says who has it.
    const one = new Map([...'abcdef'].map((id) => [id, id === 'a' ? 1 : 0]))
    const { trained } = await answerOf(claim(1, 0, 0, 0, 0, 0), { contribution: one, candidates: 50 })
    expect(trained[0]).toBe(1)
    expect(new Set(trained.map((x) => x.toFixed(3)))).toEqual(new Set(['1.000', '-0.200']))
  })

  test('is not asked where the truth does not say it of every client of the claim', async () => {
    const lacking = 'the truth does not say what each client contributes'
    expect(await asked([claim(1, 2)], {})).toBe(lacking)
    expect(await asked([claim(1, 2)], { contribution: new Map([['a', 1]]) })).toBe(lacking)
  })
})

test('an attack that claims nothing gives no answer, and none is asked for its curve', async () => {
  const failing: Attack['run'] = () => {
    throw new OverhearError('E_VALUE', 'cannot')
  }
  await expect(asked([], { run: failing })).rejects.toMatchObject({ result: { status: 'failed' } })
  let curve: unknown
  const looking: Attack['run'] = async (_, { params }) => {
    curve = params.curve
    return claimed([])
  }
  await asked([], { run: looking })
  expect(curve).toBe(0)
})
