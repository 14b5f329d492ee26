import { describe, expect, test } from 'vitest'
import { tableOf } from '../../../test/hand-truth.js'
import { type Attack, claimed, defineAttack, type Outcome } from '../../attacks/attack.js'
import type { Claim } from '../../attacks/claim.js'
import { OverhearError } from '../../errors.js'
import { rng } from '../../numeric/random/rng.js'
import type { Sources } from '../../threat/grant.js'
import type { Channel } from '../../threat/granted-keys.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { Answer } from './answer.js'
import { askAttack } from './ask-attack.js'
import type { Asking } from './asking.js'
import { globalModel } from './global-model.js'

const sensitive = [{ name: 's', columns: ['s'], kind: 'binary', values: [[0], [1]] }]
/** x counts from `from`; the secret is whether it is odd, the label ten times as much and one. */
const people = (from: number, n = 6): Table => {
  const xs = Array.from({ length: n }, (_, i) => from + i)
  return tableOf(['x', 's'], xs.map((x) => [x, x % 2]), { labels: xs.map((x) => 10 * x + 1) }) // biome-ignore format: a line
}
const [trained, held] = [people(0), people(10)]

/** What an attack sees: the records, on whose line, in which federation. */
interface Seen {
  readonly table: Table
  readonly line: string
  readonly without: boolean
  readonly view: Readonly<Record<string, unknown>>
}
interface World {
  readonly needs?: readonly string[]
  readonly uses?: readonly string[]
  readonly perRecord?: boolean
  readonly target?: string
  readonly attack?: Attack
  readonly ask?: Partial<Asking['ask']>
  readonly truth?: object
  readonly without?: boolean
  readonly knowledge?: object
  readonly known?: object
  readonly channelTo?: Asking['channelTo']
}

async function asked(claims: (seen: Seen) => Claim | Outcome, world: World = {}) {
  const { needs = ['records'], uses = [], perRecord = true, target = 'attribute', ask = {}, truth = {}, knowledge = {} } = world // biome-ignore format: a line
  const seen: Seen[] = []
  const own = defineAttack({
    ...{ id: 'own', title: '', paper: 'lmra', where: '', target, params: {}, perRecord, uses },
    ...{ needs: [...needs, 'target', 'loss'], plant: { none: '' }, shuffle: { none: '' } },
    run: async (view: Record<string, unknown>) => {
      const one = { table: (view.records ?? view.candidates) as Table, line: String(view.target), without: view.loss === 'without', view } // biome-ignore format: a line
      seen.push(one)
      const found = claims(one)
      return 'status' in found ? found : claimed(found)
    },
  } as unknown as Parameters<typeof defineAttack>[0])
  const sources = (loss: string): Sources =>
    ({
      transcript: { manifest: { recordedFor: { kind: 'server' }, protocol: {}, clients: [], loss }, rounds: () => [] },
      knowledge: { target: 'a', sensitive, records: async () => people(50, 1), auxiliary: async () => undefined, candidates: async () => undefined, metaclassCounts: [1], ...knowledge }, // biome-ignore format: a line
    }) as unknown as Sources
  const answers = await askAttack({
    attack: world.attack ?? own,
    params: {},
    ask: { repeat: 0, client: 'a', candidates: 20, otherLine: 'b', diluted: false, seats: [], ...ask },
    sources: sources('own'),
    ...(world.without !== false && { without: sources('without') }),
    truth: {
      ...{ client: async () => trained, heldBack: async () => held, batch: () => undefined },
      ...{ ids: async () => undefined, heldBackIds: async () => undefined, ...truth },
    },
    ...{
      known: { sensitive, ...world.known },
      around: { observer: 'malicious-server', rng: rng(2) },
      rng: rng(2),
      guesses: new Map(),
    },
    ...(world.channelTo && { channelTo: world.channelTo }),
  } as unknown as Asking)
  return { answers, seen, first: (typeof answers === 'string' ? undefined : answers[0]) as Answer }
}
const xsOf = ({ features }: Table): number[] => Array.from({ length: features.rows }, (_, i) => features.data[2 * i]!)

/** Right about whoever was trained on and wrong about the others; right about all without the client, blind on another line. */
const attribute = ({ table, line, without }: Seen): Claim =>
  ({
    ...{ kind: 'attribute', client: line, name: 's' },
    values: xsOf(table).map((x) => (without ? x % 2 : line === 'b' ? 0 : x < 10 ? x % 2 : 1 - (x % 2))),
  }) as Claim

describe('an attack on each record by itself', () => {
  test('is asked once about both halves, and graded on either and on relabellings', async () => {
    const { first, seen } = await asked(attribute)
    expect(first).toMatchObject({
      kind: 'attribute',
      name: 's',
      metric: 'AUC',
      better: 'higher',
      best: 1,
      how: 'relabel',
    })
    expect([first.trained.length, first.held.length, first.contrast.length]).toEqual([21, 21, 21])
    expect([first.trained[0], first.held[0], first.contrast[0]]).toEqual([1, 0, 1])
    expect([first.everybody, first.federation]).toEqual([0.5, 1])
    expect(first.also!.trained).toMatchObject({ accuracy: 1 })
    expect(first.also!.held).toMatchObject({ accuracy: 0 })
    expect(first.guess).toMatchObject({ trained: 0.5, held: 0.5 })
    expect(first.sureness).toEqual([[14, 6, 6]])
    expect(first).not.toHaveProperty('rehearsals')
    expect(first).not.toHaveProperty('seats')
    // Whose line, in which federation; all records of both halves in one order, their secrets hidden, no labels.
    expect(seen.map(({ line, without }) => [line, without])).toEqual([['a', false], ['b', false], ['b', true]]) // biome-ignore format: cells
    for (const { table } of seen) {
      expect(xsOf(table).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15])
      expect(xsOf(table)).toEqual(xsOf(seen[0]!.table))
      expect(Array.from(table.features.data).filter(Number.isNaN)).toHaveLength(12)
    }
    expect(xsOf(seen[0]!.table)).not.toEqual([0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15])
  })

  test('tells of people in the first training alone, by the names that files have for them', async () => {
    const { people: told } = (await asked(attribute)).first
    expect(told!.trained.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5])
    expect(told!.held.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual([6, 7, 8, 9, 10, 11])
    expect(told!.trained.every(({ right, sure }) => right && sure === 1)).toBe(true)
    expect(told!.held.some(({ right }) => right)).toBe(false)
    const ids = { ids: async () => [...'abcdef'], heldBackIds: async () => [...'uvwxyz'] }
    const named = (await asked(attribute, { truth: ids })).first.people!
    expect([named.trained, named.held].map((all) => all.map(({ id }) => id).sort().join(''))).toEqual(['abcdef', 'uvwxyz']) // biome-ignore format: a line
    expect((await asked(attribute, { ask: { repeat: 1 } })).first).not.toHaveProperty('people')
  })

  test('has no rung of others where there is no other line, and none of a federation that is the same', async () => {
    const { first, seen } = await asked(attribute, { ask: { otherLine: null } })
    expect(first).not.toHaveProperty('everybody')
    expect(first).not.toHaveProperty('federation')
    expect(seen).toHaveLength(1)
    // Without another federation, the other line is heard in this one.
    const same = await asked(attribute, { without: false })
    expect([same.first.federation, same.seen.length]).toEqual([0.5, 3])
  })

  test('that refuses gives no answer; where it is only shown, no rung', async () => {
    const refused: Outcome = { status: 'not-applicable', missing: ['x'] }
    await expect(asked(() => refused)).rejects.toMatchObject({ result: refused })
    const { first } = await asked((seen) => (seen.line === 'b' || seen.without ? refused : attribute(seen)))
    expect(first.trained[0]).toBe(1)
    expect(first).not.toHaveProperty('everybody')
    expect(first).not.toHaveProperty('federation')
  })

  test('gives no answer about what the truth does not hold, and none from a claim about something else', async () => {
    const label = (): Claim => ({ kind: 'metaclass-counts', client: 'a', round: 0, values: [1] }) as unknown as Claim
    expect((await asked(label)).answers).toEqual([])
    const other = await asked((seen) =>
      seen.line === 'b' ? ({ ...attribute(seen), name: 'z' } as Claim) : attribute(seen),
    )
    expect(other.first).not.toHaveProperty('everybody')
  })

  test('that sends has a line of its own in each cell, and is not asked of the federation without the client', async () => {
    const lines: string[] = []
    const line: Channel = async (_, theta) => theta
    const channelTo = async (client: string) => {
      lines.push(client)
      return line
    }
    const { first, seen } = await asked(attribute, { uses: ['channel'], channelTo })
    expect(lines).toEqual(['a', 'b'])
    expect(seen.map(({ view }) => 'channel' in view)).toEqual([true, true])
    expect(first).not.toHaveProperty('federation')
    expect(first.everybody).toBe(0.5)
  })
})

test('labels are shown where the adversary has them', async () => {
  const labelled = { records: async () => people(50, 1) }
  const bare = { records: async () => ({ ...people(50, 1), labels: undefined }) }
  const labels = async (knowledge: object) => {
    const { seen } = await asked(attribute, { knowledge, needs: ['records'], uses: ['records.label'] })
    return seen[0]!.view['records.label'] as Float64Array | undefined
  }
  expect((await labels(labelled))!.length).toBe(12)
  expect(await labels(bare)).toBeUndefined()
  await expect(asked(attribute, { knowledge: { records: async () => undefined } })).rejects.toMatchObject({ result: { missing: ['records'] } }) // biome-ignore format: a line
})

describe('what is not asked', () => {
  test('of a client without held-back or trained records', async () => {
    const none = 'no held-back records of client a'
    for (const truth of [{ heldBack: async () => undefined }, { client: async () => undefined }, { heldBack: async () => people(0, 0) }, { client: async () => people(0, 0) }]) // biome-ignore format: worlds
      expect((await asked(attribute, { truth })).answers).toBe(none)
    expect((await asked(attribute, { truth: { heldBack: async () => people(10, 1) } })).first.trained[0]).toBeDefined()
  })

  test('of an attack on models that is given the records', async () => {
    expect((await asked(attribute, { target: 'model' })).answers).toMatch(/^own is given the records on which/)
  })
})

test('members are told from held-back records, by their scores', async () => {
  const members = ({ table, line }: Seen): Claim =>
    ({ kind: 'members', client: line, rows: [], scores: xsOf(table).map((x) => (line === 'b' ? x : -x)) }) as Claim
  const { first, seen } = await asked(members, { needs: ['candidates'], target: 'members' })
  expect(first).toMatchObject({ kind: 'members', how: 'relabel', metric: 'AUC', federation: 0.5, everybody: 0 })
  expect([first.trained[0], first.held[0], first.contrast[0]]).toEqual([1, 0.5, 1])
  expect(new Set(first.held)).toEqual(new Set([0.5]))
  expect(first.also).toEqual({ trained: expect.objectContaining({ finest: 1 / 6, tpr0: 1 }), held: {} })
  expect(seen.map(({ line, table }) => [line, table.features.data.some(Number.isNaN)])).toEqual([['b', false], ['a', false]]) // biome-ignore format: cells
  const alone = await asked(members, { needs: ['candidates'], target: 'members', ask: { otherLine: null } })
  expect(alone.first).not.toHaveProperty('everybody')
})

describe('claims from messages alone', () => {
  const mean = (value: number, round?: number) => (): Claim =>
    ({ kind: 'label-mean', client: 'a', value, ...(round !== undefined && { round }) }) as Claim

  test('are graded on the batch of their round, and on as many held-back records', async () => {
    const truth = { batch: ({ round }: { round: number }) => (round === 3 ? [4, 5] : undefined) }
    // Labels are 10 x + 1: those of the batch 41 and 51.
    const { first } = await asked(mean(46, 3), { needs: [], target: 'label-mean', truth })
    expect(first.trained[0]).toBe(0)
    expect([105, 145].includes(first.held[0]!) || first.held[0]! > 0).toBe(true)
    const all = await asked(mean(26, 4), { needs: [], target: 'label-mean', truth })
    expect([all.first.trained[0], all.first.held[0]]).toEqual([0, 100])
    const whole = await asked(mean(26), { needs: [], target: 'label-mean', truth })
    expect([whole.first.trained[0], whole.first.held[0]]).toEqual([0, 100])
  })

  test('are not asked where a batch is larger than what was held back', async () => {
    const truth = { heldBack: async () => people(10, 3), batch: () => [0, 1, 2, 3] }
    const { answers } = await asked(mean(26, 0), { needs: [], target: 'label-mean', truth })
    expect(answers).toBe('a batch has more records than the 3 that were held back; heldBack 0.5 would do')
  })

  test('of a model as it was sent fill rungs, and are no attack', async () => {
    const { answers } = await asked(attribute, { attack: { ...globalModel, needs: ['target'], run: async () => claimed(mean(26)()) } as unknown as Attack }) // biome-ignore format: a line
    expect(answers).toMatchObject([{ how: 'none', trained: [], held: [], contrast: [], everybody: 0, federation: 100 }])
    expect(Object.keys((answers as Answer[])[0]!)).not.toContain('guess')
  })
})

describe('an attack on lists as a whole', () => {
  const lists = { perRecord: false }
  const refused: Outcome = { status: 'not-applicable', missing: ['x'] }
  const onHeld = ({ table }: Seen) => xsOf(table).every((x) => x >= 10)

  test('is asked about each half, and the candidates swap them', async () => {
    const { first, seen } = await asked(attribute, lists)
    expect(first).toMatchObject({
      how: 'swap',
      trained: [1, 0],
      held: [0, 1],
      contrast: [1, -1],
      everybody: 0.5,
      federation: 1,
    })
    expect(first.also).toMatchObject({ trained: { accuracy: 1 }, held: { accuracy: 0 } })
    expect(first.sureness).toEqual([[14, 6, 6]])
    expect(first.people!.trained.every(({ right }) => right)).toBe(true)
    expect(first.people!.held).toHaveLength(6)
    expect(first.guess).toMatchObject({ trained: 0.5, held: 0.5 })
    expect(seen.map((one) => [one.line, one.without, onHeld(one)])).toEqual([['a', false, false], ['a', false, true], ['b', false, false], ['b', true, true]]) // biome-ignore format: cells
    expect((await asked(attribute, { ...lists, ask: { repeat: 2 } })).first).not.toHaveProperty('people')
  })

  test('that refuses a half is worth a guess there; that refuses both gave no answer', async () => {
    const { first } = await asked((seen) => (onHeld(seen) ? refused : attribute(seen)), lists)
    expect(first).toMatchObject({ trained: [1, 0.5], held: [0.5, 1], people: { held: [] }, sureness: [[14, 6, 6]] })
    expect([first.also, first.federation]).toEqual([undefined, undefined])
    const other = await asked((seen) => (onHeld(seen) ? attribute(seen) : refused), lists)
    expect(other.first).toMatchObject({ trained: [0.5, 0], held: [0, 0.5] })
    expect([other.first.people, other.first.sureness, other.first.everybody]).toEqual([undefined, undefined, undefined])
    await expect(asked(() => refused, lists)).rejects.toMatchObject({ result: refused })
    const failing = (seen: Seen): Claim => {
      if (onHeld(seen)) throw new OverhearError('E_VALUE', 'cannot')
      return attribute(seen)
    }
    await expect(asked(failing, lists)).rejects.toMatchObject({ result: { status: 'failed' } })
  })

  test('that refuses a half of which nobody can guess is worth a coin there', async () => {
    const classed = (table: Table): Table => ({ ...table, labels: Float64Array.from(xsOf(table), (x) => x % 2) })
    const labels = ({ table, line }: Seen): Claim => ({ kind: 'labels', client: line, labels: xsOf(table).map((x) => x % 2) }) as unknown as Claim // biome-ignore format: a line
    const truth = { client: async () => classed(trained), heldBack: async () => classed(held) }
    // One record with two labels: nothing can be learned of that.
    const auxiliary = { ...people(50, 1), labels: Float64Array.of(0, 1) }
    const world = { ...lists, target: 'labels', truth, known: { classes: 2, auxiliary } }
    const { first } = await asked((seen) => (onHeld(seen) ? refused : labels(seen)), world)
    expect(first).toMatchObject({ kind: 'labels', metric: 'AUC', trained: [1, 0.5], held: [0.5, 1] })
    expect(first).not.toHaveProperty('guess')
    // No coin says how far a number is off.
    const numbers = await asked((seen) => (onHeld(seen) ? refused : labels(seen)), { ...world, known: { auxiliary } })
    expect(numbers.answers).toEqual([])
  })

  test('is asked about one list with a fifth of others where there is one training alone', async () => {
    const unlabelled = { client: async () => ({ ...trained, labels: undefined }), heldBack: async () => ({ ...held, labels: undefined }) } // biome-ignore format: a line
    const diluted = { ...lists, ask: { diluted: true }, truth: unlabelled }
    const { first, seen } = await asked(attribute, diluted)
    expect(first.how).toBe('relabel')
    for (const { table } of seen) {
      expect(xsOf(table)).toHaveLength(6)
      expect(xsOf(table).filter((x) => x >= 10)).toHaveLength(1)
    }
    expect(first.people!.trained).toHaveLength(5)
    expect(first.people!.held).toHaveLength(1)
    expect(first.people!.trained.every(({ right }) => right)).toBe(true)
    expect(first.people!.held.some(({ right }) => right)).toBe(false)
    const two = { client: async () => ({ ...people(0, 2), labels: undefined }), heldBack: async () => ({ ...people(10, 2), labels: undefined }) } // biome-ignore format: a line
    const small = await asked(attribute, { ...diluted, truth: two })
    expect([small.first.people!.trained.length, small.first.people!.held.length]).toEqual([1, 1])
    const most = { client: async () => ({ ...people(0, 8), labels: undefined }), heldBack: async () => ({ ...people(10, 8), labels: undefined }) } // biome-ignore format: a line
    expect((await asked(attribute, { ...diluted, truth: most })).first.people!.held).toHaveLength(2)
  })
})
