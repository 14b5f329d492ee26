import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { papers } from '../papers.js'
import { drawnFeatures } from './beyond/drawn-features.js'
import { cellsOf, secondsFor } from './cells.js'
import { centralTraining, epochPart } from './central-training.js'
import { always, measured, rising, together } from './claims.js'
import { studies } from './index.js'
import { firstTellingMessage } from './lmra/hard-instance.js'
import { recordedRun } from './recorded-run.js'
import { defineStudy, type Figures, type Study } from './study.js'
import { summaryOf } from './summary.js'

const all = Object.values<Study>(studies)
const versions = { overhear: '0', kernels: '0' }
const ports = { dataset: () => ({ table: fc.stringify as never, bytes: fc.stringify as never }) }

describe.each(all.map((study) => [study.id, study] as const))('%s', (_, study) => {
  test('says what it is, what it costs and where it departs', () => {
    expect(Object.keys(papers)).toContain(study.paper)
    expect(study.where).toMatch(/^(Tables?|Figs?\.|Section|Obs\.|Eq\.|App\.|beyond) /)
    expect(study.departs.length).toBeGreaterThan(0)
    expect(study.claims.length).toBeGreaterThan(0)
    expect(study.seconds.quick).toBeLessThan(study.seconds.full)
    const places = study.published.map(({ panel, series, x }) => JSON.stringify([panel, series, x]))
    expect(new Set(places).size).toBe(places.length)
  })

  test('its claims decide nothing where nothing was measured', () => {
    const nothing: Figures = () => undefined
    for (const { holds } of study.claims) expect(holds(nothing)).toBeNull()
  })

  test('some figures make each claim hold, and others do not', () => {
    // Every place that the study can name has a figure of its own; over many draws both answers come up.
    for (const { text, holds } of study.claims) {
      const said = new Set<boolean | null>()
      for (let draw = 0; draw < 4000 && said.size < 2; draw++) {
        const drawn = new Map<string, number>()
        let state = draw * 7919 + 1
        const figures: Figures = (...place) => {
          // In half of the draws a curve is flat: what is said of every place of it must be reached, too.
          const key = JSON.stringify(draw % 2 === 0 ? place : place.slice(0, 2))
          state = (state * 48_271) % 2_147_483_647
          const spread = [3, 60, 110][draw % 3]!
          if (!drawn.has(key)) drawn.set(key, (state / 2_147_483_647) * spread)
          const mean = drawn.get(key)!
          return { mean, std: 0, median: mean, n: 100 }
        }
        said.add(holds(figures))
      }
      expect({ text, said: [...said].sort() }).toEqual({ text, said: [false, true] })
    }
  })

  test('its cells are told apart, and are the same whenever they are asked for', async () => {
    for (const quick of [true, false]) {
      const cells = await cellsOf(study, { quick, seed: 3, versions })
      expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length)
      expect(await cellsOf(study, { quick, seed: 3, versions })).toEqual(cells)
      expect(secondsFor(study, { quick, cells })).toBeCloseTo(study.seconds[quick ? 'quick' : 'full'], 6)
      expect(secondsFor(study, { quick, cells: [] })).toBe(0)
      expect(structuredClone(cells)).toEqual(cells)
    }
  })
})

test('--quick of all studies is declared to end within 20 minutes on two cores', () => {
  expect(all.reduce((sum, { seconds }) => sum + seconds.quick, 0)).toBeLessThanOrEqual(20 * 60 * 2)
})

test('a cell is another one with another seed, extent, version, kernel, code or revision', async () => {
  const [study] = all as [Study]
  const idOf = async (more: object, one: Study = study) =>
    (await cellsOf(one, { quick: true, seed: 1, versions, ...more }))[0]!.id
  const ids = [
    await idOf({}),
    await idOf({ seed: 2 }),
    await idOf({ quick: false }),
    await idOf({ versions: { overhear: '1', kernels: '0' } }),
    await idOf({ versions: { overhear: '0', kernels: '1' } }),
    await idOf({}, { ...study, measure: async () => [] }),
    await idOf({}, { ...study, revision: 2 }),
  ]
  expect(new Set(ids).size).toBe(ids.length)
  expect(await cellsOf(study, { quick: true, seed: 1, seeds: 2, versions })).toHaveLength(
    2 * study.points({ quick: true }).length,
  )
})

const small = defineStudy({
  id: 'small',
  title: 'small',
  paper: 'lmra',
  where: 'Table 1',
  data: [],
  unit: 'numbers',
  axis: 'round',
  seconds: { quick: 1, full: 2 },
  seeds: { quick: 1, full: 1 },
  points: () => [],
  measure: async () => [],
  published: [{ panel: 'p', series: 'a', x: 2, mean: 5, std: 1 }],
  notes: { b: 'of ours' },
  departs: [],
  claims: [{ text: 'a is above b', holds: (at) => (at('p', 'a', 2)?.mean ?? 0) > (at('p', 'b')?.median ?? 0) }],
})

test('a summary has ours beside the paper, in the order in which they came', () => {
  const at = (series: string, value: number, x?: number) => ({
    panel: 'p',
    series,
    value,
    ...(x !== undefined && { x }),
  })
  const { rows, claims } = summaryOf(small, [at('b', 4), at('a', 1, 2), at('b', 1), at('a', 3, 2), at('b', 1)])
  expect(rows).toEqual([
    {
      name: 'p, b',
      panel: 'p',
      series: 'b',
      ours: { mean: 2, std: Math.sqrt(3), median: 1, n: 3 },
      paper: null,
      note: 'of ours',
    },
    {
      name: 'p, a, round 2',
      panel: 'p',
      series: 'a',
      x: 2,
      ours: { mean: 2, std: Math.sqrt(2), median: 2, n: 2 },
      paper: { mean: 5, std: 1 },
      note: '',
    },
  ])
  expect(claims).toEqual([{ text: 'a is above b', holds: true }])
})

test('whatever is measured, every value counts once', () => {
  const value = fc.double({ min: -1e6, max: 1e6, noNaN: true })
  const measure = fc.record({ panel: fc.constantFrom('p', 'q'), series: fc.constantFrom('a', 'b'), value })
  fc.assert(
    fc.property(fc.array(measure, { maxLength: 20 }), (measures) => {
      const { rows } = summaryOf(small, measures)
      expect(rows.reduce((sum, { ours }) => sum + ours.n, 0)).toBe(measures.length)
      for (const { panel, series, ours } of rows) {
        const own = measures.filter((one) => one.panel === panel && one.series === series).map((one) => one.value)
        expect(ours.median).toBeGreaterThanOrEqual(Math.min(...own))
        expect(ours.mean).toBeLessThanOrEqual(Math.max(...own) + 1e-6)
        expect(ours.std >= 0).toBe(true)
      }
    }),
  )
})

const base = {
  seed: 1,
  heldBack: 0,
  data: { name: 'metaclass-synthetic', params: { records: 300, inputs: 6 }, validation: 0, auxiliary: 0.3 },
  models: [{ kind: 'mlp', hidden: [8] }],
} as const

test('a run of a scenario is attacked and graded, and what cannot be is an error that says why', async () => {
  const scenario = {
    ...base,
    partition: { name: 'iid', params: { clients: 2 } },
    training: { rounds: 2, learningRate: 0.01 },
    knowledge: { targets: 'all', sensitive: [] },
  } as const
  const [run, again] = [await recordedRun(scenario, ports), await recordedRun(scenario, ports)]
  expect(run.targets).toEqual(['0', '1'])
  const scores = await Promise.all(run.targets.map((target) => run.score('last-returned', { target })))
  expect(scores[0]!.metric).toBe('loss')
  expect(scores[0]!.value).not.toBe(scores[1]!.value)
  expect(await again.score('last-returned', { target: '0' })).toEqual(scores[0])
  // An active attack has a line into the federation.
  const echo = await run.score('lmra-active-echo', { target: '0', params: { rounds: 1 } })
  expect(echo.value).not.toBe(scores[0]!.value)
  // Whoever hears the first of two rounds alone has the model that came back in it, and may begin to send after it.
  const early = await run.score('last-returned', { target: '0', heard: [0] })
  expect(early.value).not.toBe(scores[0]!.value)
  expect(await run.score('last-returned', { target: '0', heard: [0, 1] })).toEqual(scores[0])
  const sent = await run.score('lmra-active-echo', { target: '0', params: { rounds: 1 }, activeFrom: 1 })
  expect(sent.value).not.toBe(echo.value)
  expect((await run.sources('1')).knowledge?.target).toBe('1')
  expect(await run.scoreIfAny('aia-model', { target: '0' })).toBeUndefined()
  expect(await run.scoreIfAny('last-returned', { target: '0' })).toEqual(scores[0])
  await expect(run.score('aia-model', { target: '0' })).rejects.toThrow(/aia-model has no score on .*sensitive/)
})

test('central training may spoil what the attacker has beside the messages, and nothing else', async () => {
  const central = { epochs: [0], learningRate: 0.01, batchSize: 16 }
  const scenario = {
    ...base,
    partition: { name: 'sizes', params: { sizes: [20, 100] } },
    training: { algorithm: 'fedsgd', share: 'gradient', rounds: 1, learningRate: 1e-3 },
    knowledge: { targets: ['0'], sensitive: [] },
  } as const
  const ask = async (spoil?: Parameters<typeof centralTraining>[0]['spoil']) => {
    const run = await recordedRun(scenario, ports, centralTraining({ ...central, ...(spoil && { spoil }) }, ports))
    return run.score('label-mean', { target: '0', params: { estimate: 'zero' }, part: epochPart(0) })
  }
  const [plain, spoilt] = [
    await ask(),
    await ask(({ labels, ...rest }) => ({ ...rest, labels: labels.map((y) => 2 * y) })),
  ]
  expect(spoilt.value).toBe(plain.value)
  expect(spoilt.also.auxiliaryMean).not.toBe(plain.also.auxiliaryMean)
})

test.each([
  [5, 1, 5],
  [11, 1, 11],
  [11, 5, 3],
])('of %i coordinates and %i local steps, message %i is the first that tells two clients apart', (d, steps, first) => {
  expect(firstTellingMessage(d, steps)).toBe(first)
})

test('drawn features: as many clients, guilty ones and rounds as asked for, and the guilty lift the sums', () => {
  const { features, truth } = drawnFeatures({ overlap: 0.01, rounds: 200, clients: 20, guilty: 4, seed: 1 })
  const [{ A, G, shapes }] = features as [(typeof features)[0]]
  expect([A.rows, A.cols, G.length, shapes.length, truth.filter(Boolean).length]).toEqual([200, 20, 200, 200, 4])
  const [with4, without] = [4, 0].map((count) => {
    const drawn = drawnFeatures({ overlap: 0.01, rounds: 200, clients: 20, guilty: count, seed: 1 }).features[0]!.G
    return drawn.reduce((sum, g) => sum + g, 0)
  })
  expect(with4).toBeGreaterThan(without!)
})

test('claims: what was measured is compared, what was not decides nothing', () => {
  const known: Figures = (panel, series, x) => {
    const mean = { a: 1, b: 2, c: 3 }[series]
    return panel !== 'p' || mean === undefined || x === 9 ? undefined : { mean, std: 0, median: -mean, n: 1 }
  }
  const pair = (a: string, b: string, x = 0) => [['p', a, x] as const, ['p', b, x] as const] as const
  expect(always([pair('a', 'b'), pair('a', 'd')], (a, b) => a < b)(known)).toBe(true)
  expect(always([pair('a', 'b'), pair('c', 'b')], (a, b) => a < b)(known)).toBe(false)
  expect(always([pair('a', 'b')], (a, b) => a < b, 'median')(known)).toBe(false)
  expect(always([pair('a', 'b', 9)], () => true)(known)).toBeNull()
  expect(
    together(
      [
        ['p', 'a'],
        ['q', 'a'],
      ],
      () => true,
    )(known),
  ).toBeNull()
  expect(
    measured(
      [
        ['p', 'a'],
        ['q', 'a'],
      ],
      ([one]) => one === 1,
    )(known),
  ).toBe(true)
  expect(
    measured(
      [
        ['p', 'a'],
        ['q', 'a'],
      ],
      () => true,
      { least: 2 },
    )(known),
  ).toBeNull()
  expect([rising([1, 2, 2]), rising([2, 1]), rising([2, 1.5], 0.5)]).toEqual([true, false, true])
})

test('central training: one recording an epoch, graded against the model of that epoch', async () => {
  const scenario = {
    ...base,
    partition: { name: 'sizes', params: { sizes: [20, 100] } },
    training: { algorithm: 'fedsgd', share: 'gradient', rounds: 1, learningRate: 1e-3 },
    knowledge: { targets: ['0'], sensitive: [], metaclassCounts: true },
  } as const
  const central = { epochs: [0, 3], learningRate: 0.01, batchSize: 16 }
  const run = await recordedRun(scenario, ports, centralTraining(central, ports))
  const at = (epoch: number) =>
    run.score('metaclass-means', { target: '0', params: { solver: 'pinv' }, part: epochPart(epoch) })
  const [before, after] = [await at(0), await at(3)]
  expect(before.metric).toBe('MAE')
  // What the model says of auxiliary records is another thing after it was trained; their labels are not.
  expect(after.also.auxiliaryPrediction).not.toBe(before.also.auxiliaryPrediction)
  expect(after.also.auxiliaryMean).toBe(before.also.auxiliaryMean)
})
