import { describe, expect, test } from 'vitest'
import { smallRecords } from '../../test/small-federation.js'
import { toyLeastSquares } from '../data/toy-least-squares.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { heldPopulation, type PopulationSpec, population } from './population.js'

const whole = {
  features: matrix(
    5,
    2,
    Float64Array.from({ length: 10 }, (_, i) => i),
  ),
  labels: rng(1).normals(5),
}
const sliced: PopulationSpec = {
  kind: 'sliced',
  records: whole,
  clients: [
    { id: 'north', rows: Int32Array.of(4, 0) },
    { id: 'south', rows: Int32Array.of(2) },
  ],
}
const generated: PopulationSpec = {
  kind: 'generated',
  clients: 4,
  seed: 9,
  generator: { name: 'toy-least-squares', recordsPerClient: 6, heterogeneity: 0.2 },
}

describe.each([
  ['held', heldPopulation(smallRecords), ['0', '1', '2'], [7, 12, 5]],
  ['sliced', population(sliced), ['north', 'south'], [2, 1]],
  ['generated', population(generated), ['0', '1', '2', '3'], [6, 6, 6, 6]],
] as const)('population contract: %s', (_, people, ids, samples) => {
  test('has its clients by number and by id', () => {
    expect(people.count).toBe(ids.length)
    expect(ids.map((_, k) => people.id(k))).toEqual(ids)
    expect(ids.map((id) => people.indexOf(id))).toEqual(ids.map((_, k) => k))
    for (const id of ['', 'nobody', '-1', '01', '1.5', '4e0', '99']) expect(people.indexOf(id)).toBeUndefined()
  })
  test('counts their records, and gives the same ones whenever asked', () => {
    expect(ids.map((_, k) => people.samples(k))).toEqual(samples)
    for (const k of [0, 1, 0]) {
      const { features, labels } = people.records(k)
      expect([features.rows, features.cols, labels.length]).toEqual([samples[k], people.inputs, samples[k]])
      expect(people.records(k)).toEqual({ features, labels })
    }
    expect(people.samplesEach).toBe(new Set(samples).size === 1 ? samples[0] : undefined)
  })
  test('is made again from its description, as a worker thread does', () => {
    expect(population(structuredClone(people.spec)).records(1)).toEqual(people.records(1))
  })
})

test('slices are rows in the order of the list, several labels per record too', () => {
  expect([...population(sliced).records(0).features.data]).toEqual([8, 9, 0, 1])
  expect([...population(sliced).records(0).labels]).toEqual([whole.labels[4], whole.labels[0]])
  const two = { ...sliced, records: { ...whole, labels: Float64Array.from({ length: 10 }, (_, i) => i) } }
  expect([...population(two).records(0).labels]).toEqual([8, 9, 0, 1])
})

test('generated clients are those of the dataset, and a million of them cost nothing', () => {
  const options = { clients: 4, recordsPerClient: 6, heterogeneity: 0.2 }
  expect(population(generated).records(3)).toEqual(toyLeastSquares(rng(9), options)[3])
  const crowd = population({ ...generated, clients: 1_000_000 })
  expect(crowd.records(3)).toEqual(population(generated).records(3))
  expect(crowd.records(999_999).features.rows).toBe(6)
  expect(crowd.indexOf('1000000')).toBeUndefined()
})

test('what cannot be a population is said', () => {
  const held = (...clients: { id: string; records: (typeof smallRecords)[number] }[]) =>
    population({ kind: 'held', clients })
  const records = smallRecords[0]!
  expect(() => held()).toThrow('a population of 0 clients')
  expect(() => held({ id: 'a b', records })).toThrow('the population has a client "a b"')
  expect(() => held({ id: 'a', records }, { id: 'a', records })).toThrow('clients holds "a" twice')
  expect(() => held({ id: 'a', records }, { id: 'b', records: whole })).toThrow(
    'client "b" holds 5 records of 2 columns',
  )
  const empty = { features: matrix(0, 4), labels: new Float64Array(0) }
  expect(() => held({ id: 'a', records: empty })).toThrow('client "a" holds 0 records')
  expect(() => population({ ...sliced, clients: [{ id: 'x', rows: Int32Array.of(5) }] })).toThrow(
    'client "x" has row 5; rows are 0 to 4',
  )
  expect(() => population({ ...generated, clients: 0 })).toThrow('a population of 0 clients')
  expect(() => population({ ...generated, generator: { name: 'toy' as 'toy-least-squares' } })).toThrow(
    'unknown generator: "toy"',
  )
})
