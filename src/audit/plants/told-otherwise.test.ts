import { expect, test } from 'vitest'
import { matrix } from '../../numeric/linalg/matrix.js'
import type { Sources } from '../../threat/grant.js'
import type { ClaimJson } from '../attack-result.js'
import { toldOfFewer, toldOtherLabels, toldReordered, toldWithout } from './told-otherwise.js'

const table = {
  columns: ['a', 'b', 'c'],
  features: matrix(
    4,
    3,
    Float64Array.from({ length: 12 }, (_, i) => i),
  ),
  labels: Float64Array.of(10, 11, 12, 13),
  metaclasses: Float64Array.of(0, 1, 0, 1),
  ids: ['p', 'q', 'r', 's'],
}
const theta = Float64Array.of(1, 2, 3, 9)
const message = {
  global: theta,
  aggregate: theta,
  clients: new Map([
    ['0', { kind: 'parameters', theta }],
    ['1', { kind: 'delta', dTheta: theta }],
    ['2', { kind: 'gradient', grad: theta }],
  ]),
  sent: new Map([['0', theta]]),
}
const rounds = [0, 1, 2, 3, 4].map((round) => ({ round, participants: round === 1 ? ['1'] : ['0', '1'] }))
const sourcesOf = (inputs: number) =>
  ({
    transcript: {
      manifest: { model: { kind: 'linear', inputs, outputs: 1 } },
      rounds: () => rounds,
      readRound: async () => message,
    },
    knowledge: {
      target: '0',
      records: async () => table,
      candidates: async () => undefined,
      auxiliary: async () => table,
    },
  }) as unknown as Sources
const sources = sourcesOf(3)
const list = (values: ArrayLike<number> | undefined) => Array.from(values ?? [])

test('in another order: records backwards, columns and the weights on them one place on', async () => {
  const { sources: told } = await toldReordered(sources)
  const records = (await told.knowledge!.records())!
  expect(records.columns).toEqual(['c', 'a', 'b'])
  expect(list(records.features.data.slice(0, 3))).toEqual([11, 9, 10])
  expect([list(records.labels), list(records.metaclasses), records.ids]).toEqual([[13, 12, 11, 10], [1, 0, 1, 0], ['s', 'r', 'q', 'p']]) // biome-ignore format: a line
  const auxiliary = (await told.knowledge!.auxiliary())!
  expect(auxiliary.columns).toEqual(['c', 'a', 'b'])
  expect([list(auxiliary.labels), list(auxiliary.features.data.slice(0, 3))]).toEqual([list(table.labels), [2, 0, 1]])
  const { global, aggregate, clients, sent } = await told.transcript.readRound(0)
  const turned = [3, 1, 2, 9]
  const all = [global, aggregate, sent.get('0'), ...[...clients.values()].map((one) => Object.values(one)[1])]
  expect(all.map((one) => list(one as Float64Array))).toEqual(all.map(() => turned))
  expect([...clients.values()].map(({ kind }) => kind)).toEqual(['parameters', 'delta', 'gradient'])
  expect(list(theta)).toEqual([1, 2, 3, 9])
})

test('columns stay where the first layer does not take them', async () => {
  const { sources: told, expected } = await toldReordered(sourcesOf(5))
  expect((await told.knowledge!.records())!.columns).toEqual(table.columns)
  expect((await told.transcript.readRound(0)).global).toBe(theta)
  expect(expected({ kind: 'model', client: '0', theta: [1, 2, 3, 4, 5, 6] })).toBeUndefined()
})

test('claims as they must be then', async () => {
  const { expected } = await toldReordered(sources)
  const of = (claim: object) => expected(claim as ClaimJson)
  expect(of({ kind: 'attribute', values: [0, 1, 1, 2] })).toMatchObject({ values: [2, 1, 1, 0] })
  expect(of({ kind: 'labels', labels: [0, 1, 1, 2] })).toMatchObject({ labels: [2, 1, 1, 0] })
  expect(of({ kind: 'labels', labels: [0, 1], round: 0 })).toBeUndefined()
  expect(of({ kind: 'members', rows: [0], scores: [1, 2, 3] })).toMatchObject({ scores: [3, 2, 1] })
  expect(of({ kind: 'members', rows: [0] })).toBeUndefined()
  expect(of({ kind: 'model', theta: [1, 2, 3, 9] })).toMatchObject({ theta: [3, 1, 2, 9] })
  expect(of({ kind: 'label-mean', value: 2 })).toBeUndefined()
})

test('of every other record, with nothing else changed', async () => {
  const { sources: told, expected } = await toldOfFewer(sources)
  const records = (await told.knowledge!.records())!
  expect([records.columns, list(records.labels), records.ids]).toEqual([table.columns, [10, 12], ['p', 'r']])
  expect((await told.knowledge!.auxiliary())!.features.rows).toBe(4)
  expect(await told.knowledge!.candidates()).toBeUndefined()
  expect(expected({ kind: 'attribute', client: '0', name: 'x', values: [5, 6, 7] })).toMatchObject({ values: [5, 7] })
})

test('with the labels of others, where there are others', async () => {
  const told = await toldOtherLabels(sources)
  const records = (await told!.knowledge!.records())!
  expect([list(records.labels), records.features]).toEqual([[13, 10, 11, 12], table.features])
  const alike = { ...table, labels: Float64Array.of(7, 7, 7, 7) }
  const same = { ...sources, knowledge: { ...sources.knowledge!, records: async () => alike } }
  expect(await toldOtherLabels(same)).toBeUndefined()
  expect(await toldOtherLabels({ transcript: sources.transcript })).toBeUndefined()
})

test('without the first or the last turn of the target, where it has four', () => {
  const left = (which: 'first' | 'last', target = '0') =>
    toldWithout(sources, target, which)?.transcript.rounds().map(({ round }) => round) // biome-ignore format: a line
  expect([left('first'), left('last')]).toEqual([[1, 2, 3, 4], [0, 1, 2, 3]]) // biome-ignore format: a line
  expect(left('first', '1')).toEqual([1, 2, 3, 4])
  expect(left('first', 'nobody')).toBeUndefined()
})
