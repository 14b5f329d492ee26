import { expect, test } from 'vitest'
import { tableOf } from '../../../test/hand-truth.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { AttackResult } from '../attack-result.js'
import { type RecordedEvidence, recordingFacts, separableIn } from './recording-facts.js'

interface Recorded {
  readonly participants?: readonly (readonly string[] | null)[]
  /** By round: whose messages are in it, and whether there is a sum. */
  readonly contents?: readonly { clients: readonly string[]; aggregate?: boolean }[]
  readonly tampered?: readonly string[]
  readonly secureAggregation?: boolean
  readonly kind?: string
  readonly shapes?: readonly (readonly number[])[]
  readonly paths?: object
  readonly held?: Readonly<Record<string, Table | undefined>>
}
const facts = (of: Recorded = {}) => {
  const { participants = [['a', 'b']], contents = [], tampered = [], secureAggregation = false, kind = 'linear', shapes = [[3, 2], [2]], paths = {}, held } = of // biome-ignore format: a line
  const manifest = {
    ...{ clients: ['a', 'b', 'c'].map((id) => ({ id, samples: 50 })), loss: 'mse', model: { kind } },
    parameters: shapes.map((shape) => ({ shape })),
    protocol: { differentialPrivacy: null, secureAggregation, batchSize: 10, localEpochs: 1, localSteps: null, share: 'parameters' }, // biome-ignore format: a line
  }
  const transcript = {
    manifest,
    rounds: () =>
      participants.map((ids, round) => ({ round, participants: ids, tampered: round === 0 ? tampered : [] })),
    contents: async (round: number) => {
      const { clients = [], aggregate = false } = contents[round] ?? {}
      return { clients: new Set(clients), aggregate }
    },
  }
  const truth = held && { heldBack: async (id: string) => held[id] }
  const evidence = { transcript, paths, targets: ['a', 'b'], notes: ['a note'], ...(truth && { truth }) }
  const results = [{ attack: 'sends', status: 'not-applicable', missing: ['channel'], findings: [] }]
  return recordingFacts(evidence as unknown as RecordedEvidence, results as unknown as AttackResult[], [])
}

test('the figures of a recording', async () => {
  const found = await facts({ participants: [['a', 'b'], ['b'], ['b']] })
  expect(found).toMatchObject({ clients: 3, rounds: 3, parameters: 8, attacked: ['a', 'b'], notes: ['a note'], opaque: false, turns: [0, 1, 3] }) // biome-ignore format: a line
  expect((await facts({ participants: [['a'], null] })).turns).toBeNull()
  expect((await facts({ shapes: [] })).parameters).toBe(0)
  expect((await facts({ shapes: [[]] })).parameters).toBe(1)
  expect((await facts({ kind: 'opaque' })).opaque).toBe(true)
})

test('what was heard is what the last round holds: messages of clients, sums, or models alone', async () => {
  const heard = async (...contents: { clients: readonly string[]; aggregate?: boolean }[]) =>
    (await facts({ participants: contents.map(() => ['a']), contents })).heard
  expect(await heard({ clients: ['a'] })).toBe('updates')
  expect(await heard({ clients: ['a'], aggregate: true })).toBe('updates')
  expect(await heard({ clients: [], aggregate: true })).toBe('sums')
  expect(await heard({ clients: [] })).toBe('models')
  expect(await heard({ clients: ['a'] }, { clients: [], aggregate: true })).toBe('sums')
  expect(await heard({ clients: [] }, { clients: [], aggregate: true }, { clients: ['b', 'c'] })).toBe('updates')
  expect(await heard()).toBe('models')
})

test('whom sums isolate is asked of secure sums alone, where rounds say who was in them', async () => {
  const of = async (secureAggregation: boolean, participants: Recorded['participants']) =>
    (await facts({ secureAggregation, participants: participants! })).separable
  const sets = [['a', 'b'], ['a']]
  expect(await of(true, sets)).toEqual({ clients: 2, roundsMissing: 0 })
  expect(await of(false, sets)).toBeNull()
  expect(await of(true, [['a'], null])).toBeNull()
  expect(separableIn([['a', 'b', 'c']])).toEqual({ clients: 0, roundsMissing: 2 })
})

test('knowledge and truth were given, or not', async () => {
  const given = async (paths: object) => {
    const { knowledge, truth } = await facts({ paths })
    return [knowledge, truth]
  }
  expect(await given({})).toEqual([false, false])
  expect(await given({ knowledge: 'k' })).toEqual([true, false])
  expect(await given({ knowledgeOf: { a: 'k' } })).toEqual([true, false])
  expect(await given({ truth: 't' })).toEqual([false, true])
})

test('which questions are never decided follows from who has no held-back records, and whether anybody was sent a model of its own', async () => {
  const never = async (of: Recorded) => (await facts(of)).questions.never
  const [one, none] = [tableOf(['x'], [[1]]), tableOf(['x'], [])]
  const both = await never({ held: { a: one, b: one } })
  const lacking = await never({ held: { a: one, b: none } })
  expect(lacking).not.toEqual(both)
  expect(lacking.join()).toMatch(/\bb\b/)
  expect(await never({ held: { a: one } })).toEqual(lacking)
  expect(await never({})).toEqual(both) // without a truth nobody knows
  const sending = expect.stringMatching(/models of its own making \(sends\): everybody was sent the same/)
  expect(both).toContainEqual(sending)
  expect(await never({ tampered: ['a'] })).not.toContainEqual(sending)
})
