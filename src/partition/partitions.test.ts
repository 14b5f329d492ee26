import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Source } from '../data/dataset.js'
import { columnOf, numberColumn, numbersOf, tableOf, wordAt, wordColumn } from '../data/table.js'
import { rng } from '../numeric/random/rng.js'
import { dealRows, partitions } from './index.js'
import type { Deal } from './partition-entry.js'

/** A made-up survey of n people: sex and pay are linked; every ninth is a doctor. */
function survey(n: number): Source {
  const r = rng('survey')
  const sex = Array.from({ length: n }, () => (r.uniform() < 0.5 ? 'man' : 'woman'))
  const columns = [
    wordColumn('sex', sex),
    numberColumn(
      'pay',
      sex.map((word) => r.normal() + (word === 'man' ? 0.5 : 0)),
    ),
    wordColumn(
      'education',
      sex.map((_, i) => (i % 9 === 0 ? 'Doctorate' : 'Masters')),
    ),
    numberColumn(
      'age',
      sex.map((_, i) => 20 + ((i * 7) % 60)),
    ),
    numberColumn(
      'group',
      sex.map((_, i) => i % 5),
    ),
  ]
  return {
    name: 'survey',
    task: 'regression',
    table: tableOf(columns),
    label: { column: 'pay', encode: 'number' },
    rules: [{ column: 'sex', encode: 'one-hot' }],
    sensitive: ['sex'],
  }
}

const params: Record<keyof typeof partitions, Record<string, unknown>> = {
  iid: { clients: 7 },
  contiguous: { clients: 7 },
  'by-column': { column: 'group' },
  sizes: { sizes: [100, 1, 30] },
  dirichlet: { clients: 7, column: 'group' },
  heterogeneous: {},
  'adult-phd': {},
}
const may = new Set(['sizes', 'heterogeneous']) // discard rows

const sorted = (rows: Iterable<number>) => [...rows].sort((a, b) => a - b)
const flat = (deal: Deal) => deal.clients.flatMap((own) => [...own])

describe.each(Object.entries(partitions))('partition contract: %s', (name, partition) => {
  const given = params[name as keyof typeof partitions]
  const source = survey(400)
  const deal = (seed: number, rows?: number[]) =>
    partition.deal({ source, rng: rng(seed), ...(rows === undefined ? {} : { rows }) }, given)

  test('says what it is', () => {
    expect(partition.id).toBe(name)
    for (const { doc } of Object.values(partition.params)) expect(doc.length).toBeGreaterThan(3)
  })

  test('deals every row once, or says that it was discarded', () => {
    const dealt = deal(1)
    expect(sorted([...flat(dealt), ...dealt.discarded])).toEqual([...Array(400).keys()])
    expect(dealt.ids).toHaveLength(dealt.clients.length)
    expect(new Set(dealt.ids).size).toBe(dealt.ids.length)
    expect(dealt.clients.every((own) => own.length > 0)).toBe(true)
    if (!may.has(name)) expect(dealt.discarded).toHaveLength(0)
  })

  test('deals only the rows it was given', () => {
    const odd = [...Array(400).keys()].filter((i) => i % 2 === 1)
    const dealt = deal(1, odd)
    expect(sorted([...flat(dealt), ...dealt.discarded])).toEqual(odd)
  })

  test('gives the same for the same seed, and another deal for another where it draws', () => {
    expect(deal(3)).toEqual(deal(3))
    const draws = !['contiguous', 'by-column', 'adult-phd'].includes(name)
    if (draws) expect(flat(deal(3))).not.toEqual(flat(deal(4)))
    else expect(deal(3)).toEqual(deal(4))
  })

  test('too few rows are an error that says so', () => {
    const few = { source: survey(400), rng: rng(1), rows: name === 'by-column' ? [] : [1, 2, 3] }
    expect(() => partition.deal(few, given)).toThrow(/rows|values/)
  })

  test('refuses a parameter it does not have', () => {
    expect(() => partition.deal({ source, rng: rng(1) }, { 'no such': 1 })).toThrow(/unknown parameter of partition/)
  })
})

test('an unknown partition is an error that lists the known', () => {
  expect(() => dealRows('iidd', { source: survey(9), rng: rng(1) })).toThrow(/did you mean "iid".*by-column/)
})

test('one client gets everything; as many clients as rows get one each; one more is too many', () => {
  const source = survey(11)
  for (const name of ['iid', 'contiguous']) {
    expect(dealRows(name, { source, rng: rng(1) }, { clients: 1 }).clients[0]).toHaveLength(11)
    expect(dealRows(name, { source, rng: rng(1) }, { clients: 11 }).clients.map((c) => c.length)).toEqual(
      Array(11).fill(1),
    )
    expect(() => dealRows(name, { source, rng: rng(1) }, { clients: 12 })).toThrow(
      'client "11" of 12 would get none of 11 rows; choose fewer clients',
    )
  }
  expect(dealRows('dirichlet', { source, rng: rng(1) }, { clients: 1, column: 'group' }).clients[0]).toHaveLength(11)
  expect(() => dealRows('dirichlet', { source, rng: rng(1) }, { clients: 12, column: 'group' })).toThrow(/12 clients/)
})

test('equal parts differ by one row at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (n, K) => {
      fc.pre(K <= n)
      const lengths = dealRows('iid', { source: survey(n), rng: rng(1) }, { clients: K }).clients.map((c) => c.length)
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
    }),
  )
})

test('by-column: clients in the order of their values, which the rows must hold', () => {
  const source = survey(20)
  const { ids, clients } = dealRows('by-column', { source, rng: rng(1), rows: [3, 8, 10] }, { column: 'group' })
  expect([ids, clients.map((own) => [...own])]).toEqual([
    ['0', '3'],
    [[10], [3, 8]],
  ])
  expect(() => dealRows('by-column', { source, rng: rng(1) })).toThrow(
    /"survey" has no clients of its own; set column: sex/,
  )
  const holes = { ...source, table: tableOf([wordColumn('sex', ['a', null])]) }
  expect(() => dealRows('by-column', { source: holes, rng: rng(1) }, { column: 'sex' })).toThrow(/missing in row 1/)
})

test('dirichlet: small concentrations give one-sided clients, large ones even clients', () => {
  const source = survey(2000)
  const top = (concentration: number) => {
    const { clients } = dealRows('dirichlet', { source, rng: rng(1) }, { concentration, column: 'group', clients: 5 })
    const shares = clients.map((own) => {
      const counts = [0, 1, 2, 3, 4].map((g) => own.filter((row) => row % 5 === g).length)
      return Math.max(...counts) / own.length
    })
    return shares.reduce((a, b) => a + b) / shares.length
  }
  expect(top(1e4)).toBeLessThan(0.25)
  expect(top(0.1)).toBeGreaterThan(0.5)
  expect(() => dealRows('dirichlet', { source, rng: rng(1) })).toThrow(/"survey" has no classes; set column/)
})

describe('heterogeneous', () => {
  const source = survey(3000)
  const pay = numbersOf(source.table, 'pay')
  const [below, above] = sorted(pay).slice(1499, 1501)
  const inHigh = (row: number) => {
    const man = wordAt(columnOf(source.table, 'sex'), row) === 'man'
    return man === pay[row]! > (below! + above!) / 2
  }
  const share = (rows: Int32Array) => rows.filter(inHigh).length / rows.length

  test.each([0, 0.25, 0.4, 0.5])('h = %d: the share of rich men and poor women is 0.5 - h, then 0.5 + h', (h) => {
    const { clients, discarded } = dealRows(
      'heterogeneous',
      { source, rng: rng(1) },
      { heterogeneity: h, value: 'man' },
    )
    const half = (from: number) => share(Int32Array.from(clients.slice(from, from + 5).flatMap((own) => [...own])))
    expect(clients).toHaveLength(10)
    expect(half(0)).toBeCloseTo(0.5 - h, 3)
    expect(half(5)).toBeCloseTo(0.5 + h, 3)
    // Alg. 5, line 4: both groups are cut to the smaller one.
    const inAll = [...Array(3000).keys()].filter(inHigh).length
    expect(discarded).toHaveLength(Math.abs(3000 - 2 * inAll))
  })

  test('refuses one client and attributes without two values', () => {
    const deal = (given: Record<string, unknown>) => dealRows('heterogeneous', { source, rng: rng(1) }, given)
    expect(deal({ clients: 3 }).clients).toHaveLength(3)
    expect(() => deal({ clients: 1 })).toThrow(/1 client; at least two/)
    expect(() => deal({ attribute: 'group' })).toThrow(/"group" has the values 0, 1, 2, 3, 4; it needs two/)
    expect(() => deal({ value: 'men' })).toThrow(/has the values man, woman/)
  })
})

test('adult-phd: doctors by age, the others in runs', () => {
  const source = survey(900)
  const { clients } = dealRows('adult-phd', { source, rng: rng(1) })
  const ages = clients.slice(0, 3).map((own) => [...own].map((row) => 20 + ((row * 7) % 60)))
  expect(clients.slice(0, 3).every((own) => own.every((row) => row % 9 === 0))).toBe(true)
  expect([Math.max(...ages[0]!) < 38, Math.min(...ages[1]!) >= 38, Math.max(...ages[1]!) <= 52]).toEqual([
    true,
    true,
    true,
  ])
  expect(Math.min(...ages[2]!)).toBeGreaterThan(52)
  expect(clients.slice(3).flatMap((own) => [...own])).toEqual([...Array(900).keys()].filter((i) => i % 9 !== 0))
  expect(() => dealRows('adult-phd', { source, rng: rng(1) }, { ages: [52, 38] })).toThrow(/the lower first/)
})
