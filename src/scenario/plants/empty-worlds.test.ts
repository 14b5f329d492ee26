import { expect, test } from 'vitest'
import { readWorld, type Scenario, type ScenarioInput } from '../scenario-schema.js'
import { stageOf } from '../simulate-model.js'
import { buildWorld, type World } from '../world.js'

const scenario = (empty?: Scenario['empty'], more: Partial<ScenarioInput> = {}): Scenario => ({
  ...readWorld({
    data: { name: 'cps-wages', params: { wage: 'log' }, rows: 200, auxiliary: 0.2 },
    partition: { name: 'iid', params: { clients: 4 } },
    models: [{ kind: 'linear' }],
    knowledge: { targets: ['1'], sensitive: ['union'] },
    ...more,
  }),
  ...(empty !== undefined && { empty }),
})
const dealing = { repeat: 3, redraw: true }
const unions = (world: World, rows: ArrayLike<number>): number[] => {
  const { records, columns } = world.encode(rows)
  const j = columns.findIndex(({ from }) => from === 'union')
  return Array.from(rows, (_, i) => records.features.data[i * records.features.cols + j]!)
}

test.each(['others', 'nowhere'] as const)(
  '%s: the target trains on as many records, none of which are its own',
  async (empty) => {
    const plain = await buildWorld(scenario(), undefined, dealing)
    const emptied = await buildWorld(scenario(empty), undefined, dealing)
    expect(emptied.clients).toEqual(plain.clients)
    const [before, after] = [plain.trained().places, emptied.trained().places]
    expect(after[1]).toHaveLength(before[1]!.length)
    const owners = new Set(Array.from(after[1]!, (place) => before.findIndex((own) => own.includes(place))))
    expect(owners.has(1)).toBe(false)
    expect(owners.size).toBe(empty === 'others' ? 1 : 3)
    for (const k of [0, 2, 3]) expect(after[k]).toEqual(before[k])
  },
)

test('others: where all are targets, another of them lends its records', async () => {
  const all = scenario('others', { knowledge: { targets: 'all' } })
  const plain = await buildWorld({ ...all, empty: undefined as never }, undefined, dealing)
  const places = (await buildWorld(all, undefined, dealing)).trained().places
  places.forEach((own, k) => {
    expect(Array.from(own).some((place) => plain.trained().places[k]!.includes(place))).toBe(false)
  })
})

test('redrawn: the files deal the attribute anew within each client, and the training knows nothing of it', async () => {
  const plain = await buildWorld(scenario(), undefined, dealing)
  const emptied = await buildWorld(scenario('redrawn'), undefined, dealing)
  expect(emptied.trained()).toEqual(plain.trained())
  const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b)
  for (const { rows, heldBack } of plain.clients) {
    const all = [...rows, ...heldBack]
    expect(sorted(unions(emptied, all))).toEqual(sorted(unions(plain, all)))
    expect(emptied.encode(all).records.labels).toEqual(plain.encode(all).records.labels)
  }
  const everybody = plain.clients.flatMap(({ rows, heldBack }) => [...rows, ...heldBack])
  expect(unions(emptied, everybody)).not.toEqual(unions(plain, everybody))
})

test('noise: the target, and nobody else, sends noise', async () => {
  const { spec } = await stageOf(scenario('noise'), 0, dealing)
  expect(spec.misbehaving).toEqual({ '1': { name: 'free-rider', update: 'noise', noiseStd: 0.01 } })
  expect((await stageOf(scenario(), 0, dealing)).spec.misbehaving).toEqual({})
})
