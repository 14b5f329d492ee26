import { describe, expect, test } from 'vitest'
import { dealPool } from './dealt-halves.js'
import { gradeOf, grades, plantRepeat, plants, plantsAgain } from './plants/grades.js'
import { withCulprit } from './plants/planted-culprit.js'
import { repeatsOf, seedOf } from './repeats.js'
import { modelName, readWorld } from './scenario-schema.js'
import { poolsOf, type SimulatePorts } from './simulate.js'
import { bytesOfMessages } from './size-of-messages.js'
import { smallWorld } from './small-world.js'
import { guiltyIn, seatsOf, withHolders } from './targets.js'
import { trainingFolder } from './training-folder.js'

const scenarioWith = (more: object = {}) =>
  readWorld({ data: { name: 'cps-wages' }, partition: { name: 'iid', params: { clients: 4 } }, models: [{ kind: 'linear' }], ...more }) // biome-ignore format: a line
const clients = ['0', '1', '2', '3'].map((id, k) => ({ id, rows: Int32Array.of(10 * k, 10 * k + 1, 10 * k + 2) }))
const acting = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, { name: 'inversion', params: {} }]))

describe('which rows are held back', () => {
  const rows = Int32Array.of(9, 3, 7, 1, 5)
  test('none, a rounded share, and never all; both parts keep their order', () => {
    const deal = (heldBack: number, own = rows) => dealPool({ heldBack, seed: 1 }, { id: 'a', rows: own, repeat: 0 })
    expect(deal(0)).toEqual({ rows, heldBack: new Int32Array(0) })
    const half = deal(0.5)
    expect([half.rows.length, half.heldBack.length]).toEqual([2, 3])
    const inOrder = (some: Int32Array) => [...rows].filter((row) => some.includes(row))
    expect([[...half.rows], [...half.heldBack]]).toEqual([inOrder(half.rows), inOrder(half.heldBack)])
    expect([...half.rows, ...half.heldBack].sort()).toEqual([1, 3, 5, 7, 9])
    expect(deal(0.99, Int32Array.of(4))).toEqual({ rows: Int32Array.of(4), heldBack: new Int32Array(0) })
  })
  test('by the seed, the repeat and the client', () => {
    const many = Int32Array.from({ length: 40 }, (_, i) => i)
    const deal = (seed: number, repeat: number, id: string) => dealPool({ heldBack: 0.5, seed }, { id, rows: many, repeat }).rows.join() // biome-ignore format: a line
    expect(deal(1, 0, 'a')).toBe(deal(1, 0, 'a'))
    expect(new Set([deal(1, 0, 'a'), deal(2, 0, 'a'), deal(1, 1, 'a'), deal(1, 0, 'b')]).size).toBe(4)
  })
})

test('plants: three grades, the last the strongest, with repeats that no verdict has', () => {
  expect([grades, plants, plantsAgain(0), plantsAgain(2)]).toEqual([
    [0.3, 0.6, 0.98],
    [0, 1, 2],
    [0, 1, 2],
    [6, 7, 8],
  ])
  expect([0, 1, 2, 3, 8].map(gradeOf)).toEqual([0.3, 0.6, 0.98, 0.3, 0.98])
  expect([plantRepeat(0), plantRepeat(5)]).toEqual([2 ** 20, 2 ** 20 + 5])
})

test('a plant has one client that does what is looked for, where nobody does', () => {
  const misbehaving = (more: object) => withCulprit(scenarioWith(more), clients).training.misbehaving
  const asks = { knowledge: { property: 'inversion', targets: ['0'] } }
  expect(misbehaving(asks)).toEqual({ 1: { name: 'inversion', params: {} } })
  expect(misbehaving({ ...asks, training: { misbehaving: acting('2') } })).toEqual(acting('2'))
  const other = { 1: { name: 'free-rider', params: {} } }
  expect(misbehaving({ ...asks, training: { misbehaving: other } })).toEqual({ ...other, ...acting('2') })
  for (const property of [null, 'membership', 'nothing-of-ours']) expect(misbehaving({ knowledge: { property } })).toEqual({}) // biome-ignore format: a line
  const all = { knowledge: { property: 'inversion', targets: 'all' } }
  expect(misbehaving(all)).toEqual({})
})

describe('seats', () => {
  test('are those of clients that are not attacked, but where one of these is guilty or membership is asked about', () => {
    const seats = (more: object) => seatsOf(scenarioWith(more), clients)
    expect(seats({ knowledge: { targets: ['1'] } })).toEqual(['0', '2', '3'])
    expect(seats({ knowledge: { targets: 'all' } })).toEqual([])
    expect(seats({ knowledge: { targets: ['1'] }, training: { misbehaving: acting('2') } })).toEqual(['0', '2', '3'])
    expect(seats({ knowledge: { targets: ['1'] }, training: { misbehaving: acting('2', '1') } })).toHaveLength(4)
    expect(seats({ knowledge: { targets: 'all' }, training: { misbehaving: acting('2') } })).toHaveLength(4)
    expect(seats({ knowledge: { targets: ['1'], property: 'membership' } })).toHaveLength(4)
  })

  test('of a repeat: as many are guilty, drawn among the seats', () => {
    const scenario = scenarioWith({ knowledge: { targets: ['0'] }, training: { misbehaving: acting('2', '3') } })
    const drawn = Array.from({ length: 30 }, (_, repeat) => Object.keys(guiltyIn(scenario, { clients, repeat }).misbehaving)) // biome-ignore format: a line
    for (const ids of drawn) expect([ids.length, ids.includes('0')]).toEqual([2, false])
    expect(new Set(drawn.map((ids) => ids.sort().join())).size).toBe(3)
    const plain = guiltyIn(scenario, { clients, repeat: undefined })
    expect(plain).toEqual({ misbehaving: acting('2', '3'), holders: [] })
    expect(guiltyIn(scenario, { clients, repeat: 3 })).not.toHaveProperty('owner')
    const strange = scenarioWith({ training: { misbehaving: acting('7') } })
    expect(() => guiltyIn(strange, { clients, repeat: 0 })).toThrow(
      'training.misbehaving holds "7"; clients: 0, 1, 2, 3',
    )
  })

  test('of membership: owner and holders move together, and twenty clients are named at most', () => {
    const scenario = scenarioWith({ knowledge: { targets: ['1'], property: 'membership', holders: ['2', '3', '2'] } })
    expect(guiltyIn(scenario, { clients, repeat: undefined })).toEqual({ misbehaving: {}, holders: ['2', '3'], owner: '1' }) // biome-ignore format: a line
    for (let repeat = 0; repeat < 9; repeat++) {
      const { holders, owner } = guiltyIn(scenario, { clients, repeat })
      expect(new Set([...holders, owner]).size).toBe(3)
    }
    const many = Array.from({ length: 25 }, (_, i) => ({ id: `c${i}`, rows: new Int32Array(1) }))
    expect(() => guiltyIn(scenario, { clients: many, repeat: undefined })).toThrow(/clients: c0, .*, c19$/)
  })

  test('the record is one of its owner; holders without records get none, and who has it keeps it', () => {
    const scenario = scenarioWith({ knowledge: { targets: ['1'], property: 'membership', holders: ['2', '3'] } })
    const guilty = { misbehaving: {}, holders: ['2', '3'], owner: '1' }
    const share = (own = clients, repeat = 0) => withHolders(own, { scenario, guilty, repeat })
    const { clients: shared, record } = share()
    expect(clients[1]!.rows).toContain(record)
    for (const k of [2, 3]) expect(shared[k]!.rows.filter((row) => !clients[k]!.rows.includes(row))).toEqual(Int32Array.of(record!)) // biome-ignore format: a line
    expect([shared[0], shared[1]]).toEqual([clients[0], clients[1]])
    const empty = clients.map((one) => (one.id === '2' ? { ...one, rows: new Int32Array(0) } : one))
    expect(share(empty).clients[2]!.rows).toHaveLength(0)
    const having = clients.map((one) => (one.id === '2' ? { ...one, rows: Int32Array.of(5, record!) } : one))
    expect(share(having).clients[2]).toBe(having[2])
    const records = new Set(Array.from({ length: 20 }, (_, repeat) => share(clients, repeat).record))
    expect(records.size).toBe(3)
    const none = clients.map((one) => (one.id === '1' ? { ...one, rows: new Int32Array(0) } : one))
    expect(() => share(none)).toThrow('client "1" holds no record; membership asks about one of the target')
  })
})

test('repeats by the size of the messages: ten up to 64 MiB, five up to 256, one above', () => {
  const mebibytes = [0, 64, 64 + 1e-6, 256, 256 + 1e-6].map((size) => repeatsOf({ repeats: null }, size * 1024 * 1024))
  expect(mebibytes).toEqual([10, 10, 5, 5, 1])
  expect(repeatsOf({ repeats: 3 }, 1e12)).toBe(3)
  expect(seedOf(7, 0)).toBe(7)
  const seeds = [1, 2, 3].map((repeat) => seedOf(7, repeat))
  expect(new Set([...seeds, seedOf(8, 1)]).size).toBe(4)
  for (const seed of seeds) expect([Number.isSafeInteger(seed), seed >= 2 ** 52, seed < 2 ** 53]).toEqual([true, true, true]) // biome-ignore format: a line
})

test('folders of trainings: by the repeat or the plant, the model, and who stays away', () => {
  const [one, two] = [{ models: [{ kind: 'linear' }] }, { models: [{ kind: 'linear' }, { kind: 'mlp', hidden: [4] }, { kind: 'linear' }] }] // biome-ignore format: a line
  expect([trainingFolder(one), trainingFolder(one, { repeat: 2 }), trainingFolder(one, { plant: 0, repeat: 2 })]).toEqual(['', 'repeat-2', 'plant-1']) // biome-ignore format: a line
  expect([trainingFolder(two), trainingFolder(two, { model: 1, without: 'a' })]).toEqual([
    '0-linear',
    '1-mlp-4/without-a',
  ])
  expect([trainingFolder(two, { model: 2, repeat: 1 }), modelName(two, 2), modelName(two, 0)]).toEqual(['repeat-1/2-linear', 'linear#2', 'linear']) // biome-ignore format: a line
  expect(trainingFolder(one, { repeat: 1, without: '3' })).toBe('repeat-1/without-3')
})

test('federations that are hardly one say so', () => {
  expect(smallWorld({ clients: 2, rounds: 2 })).toEqual([])
  expect(smallWorld({ clients: 1, rounds: 2 })).toEqual([expect.stringMatching(/^there is one client/)])
  expect(smallWorld({ clients: 2, rounds: 1 })).toEqual([expect.stringMatching(/^there is one round/)])
  expect(smallWorld({ clients: 0, rounds: 0 })).toEqual([])
})

test('messages: four bytes for each parameter of the largest model, each client and each round', async () => {
  const scenario = scenarioWith({ models: [{ kind: 'linear' }, { kind: 'mlp', hidden: [2] }], training: { rounds: 5 } })
  const { fitted } = await poolsOf(scenario, {})
  const inputs = fitted.encoder.rules.reduce((sum, { outputs }) => sum + outputs.length, 0)
  // Two hidden units with their biases, and one output with its own.
  expect(await bytesOfMessages(scenario, {})).toBe((2 * (inputs + 1) + 3) * 4 * 5 * 4)
})

test('pools are loaded once for a scenario and a reader of files', () => {
  const scenario = scenarioWith()
  const dataset: SimulatePorts['dataset'] = () => undefined
  const first = poolsOf(scenario, {})
  expect(poolsOf(scenario, {})).toBe(first)
  expect(poolsOf({ ...scenario }, {})).not.toBe(first)
  const other = poolsOf(scenario, { dataset })
  expect(other).not.toBe(first)
  expect(poolsOf(scenario, { dataset })).toBe(other)
})
