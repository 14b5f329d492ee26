import { describe, expect, test } from 'vitest'
import { tableOf } from '../../../test/hand-truth.js'
import { functionsOf } from '../../models/functions.js'
import { linear } from '../../models/linear.js'
import { mlp } from '../../models/mlp.js'
import { rng } from '../../numeric/random/rng.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { Sensitive } from '../../transcript/knowledge-file.js'
import type { Asked, Known } from '../grading.js'
import { auxiliaryModel } from './auxiliary-model.js'
import { guessesFor } from './guesses.js'

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const smoker: Sensitive = { name: 's', columns: ['s'], kind: 'binary', values: [[0], [1]] }
const age: Sensitive = { name: 'age', columns: ['age'], kind: 'continuous', range: [0, 100] }

/** s is 1 where x + noise > 0; the label is x + s; age is 3 x and noise. */
function world(seed: number, n: number): Table {
  const draw = rng(seed).fork('world')
  const people = upTo(n).map(() => {
    const x = draw.normal()
    const s = Number(x + 0.5 * draw.normal() > 0)
    return { row: [x, s, 3 * x + draw.normal()], label: x + s, metaclass: Number(x > 0.5) }
  })
  return tableOf(
    ['x', 's', 'age'],
    people.map(({ row }) => row),
    { labels: people.map(({ label }) => label), metaclasses: people.map(({ metaclass }) => metaclass) },
  )
}
const hide = (table: Table, labelled: boolean): Table => {
  const rows = upTo(table.features.rows).map((i) => [table.features.data[3 * i]!, Number.NaN, Number.NaN])
  return {
    columns: table.columns,
    features: tableOf(['x', 's', 'age'], rows).features,
    ...(labelled && { labels: table.labels! }),
  }
}
const [auxiliary, table] = [world(1, 200), world(2, 300)]
const all = upTo(300)
const asked = (known: Known): Asked => ({ table, known: { sensitive: [smoker, age], ...known } })
const words = (kind: string, name: string | null, of: Asked) => guessesFor({ kind, name }, of).map((one) => one.words)

describe('guesses of an attribute', () => {
  const known: Known = { auxiliary, records: hide(table, true) }
  test('are probabilities learned from public columns, and constants', () => {
    const [learned, constant] = guessesFor({ kind: 'attribute', name: 's' }, asked(known))
    expect(learned!.words).toBe('softmax regression on the public columns and the label, trained on auxiliary data')
    // The label less x is s itself.
    expect(learned!.gradable.on(all)).toBeGreaterThan(0.99)
    expect(new Set(learned!.gradable.sure).size).toBeGreaterThan(100)
    expect(constant!.gradable.on(all)).toBe(0.5)
    const share = constant!.gradable.also!(all).accuracy!
    expect(share).toBeCloseTo([...constant!.gradable.right!].reduce((a, b) => a + b, 0) / 300, 12)
  })
  test('use the label only where it is known', () => {
    const [learned] = guessesFor({ kind: 'attribute', name: 's' }, asked({ auxiliary, records: hide(table, false) }))
    expect(learned!.words).toContain('on the public columns,')
    expect(learned!.gradable.on(all)).toBeGreaterThan(0.85)
    expect(learned!.gradable.on(all)).toBeLessThan(0.98)
  })
  test('never look at another sensitive column', () => {
    const leaky = { ...table, features: { ...table.features, data: table.features.data.slice() } }
    for (let i = 0; i < 300; i++) leaky.features.data[3 * i + 2] = 100 * leaky.features.data[3 * i + 1]!
    const on = (of: Table) =>
      guessesFor({ kind: 'attribute', name: 's' }, { ...asked(known), table: of })[0]!.gradable.on(all)
    expect(on(leaky)).toBe(on(table))
  })
  test('are constants where the records are not known, or nothing is', () => {
    expect(words('attribute', 's', asked({ auxiliary }))).toEqual(['the majority class of the auxiliary data'])
    const [last] = guessesFor({ kind: 'attribute', name: 's' }, asked({}))
    expect(last!.words).toContain('nothing to guess from')
    expect(last!.gradable.on(all)).toBe(0.5)
  })
  test('read frequencies from a standardised encoding', () => {
    const [low, high] = [-0.5, 2] // mean 0 and variance 1 with shares 0.8 and 0.2
    const standardised: Sensitive = { ...smoker, values: [[low], [high]] }
    const own = tableOf(['s'], [[high], [low], [low]])
    const [guess] = guessesFor({ kind: 'attribute', name: 's' }, { table: own, known: { sensitive: [standardised] } })
    expect(guess!.words).toContain('standardised encoding')
    expect([...guess!.gradable.right!]).toEqual([0, 1, 1])
    expect(guess!.gradable.sure![0]).toBeCloseTo(0.8, 12)
  })
  test('of a continuous one are a ridge regression and the median', () => {
    const [learned, constant] = guessesFor({ kind: 'attribute', name: 'age' }, asked(known))
    expect(learned!.gradable.metric).toBe('MAE')
    expect(learned!.gradable.on(all)).toBeLessThan(1)
    expect(constant!.gradable.on(all)).toBeGreaterThan(2)
    expect(words('attribute', 'age', asked({}))).toEqual([])
  })
  test('of an attribute that is not there are none', () => {
    expect(words('attribute', 'other', asked(known))).toEqual([])
    expect(words('attribute', null, asked(known))).toEqual([])
  })
  test('do not depend on which rows are asked about', () => {
    const half = all.slice(0, 150)
    const [whole] = guessesFor({ kind: 'attribute', name: 's' }, asked(known))
    const part: Table = {
      columns: table.columns,
      features: { rows: 150, cols: 3, data: table.features.data.slice(0, 450) },
      labels: table.labels!.slice(0, 150),
    }
    const [own] = guessesFor({ kind: 'attribute', name: 's' }, { ...asked(known), table: part })
    expect(own!.gradable.on(half)).toBe(whole!.gradable.on(half))
  })
})

describe('guesses of labels', () => {
  const classes = { ...table, labels: table.metaclasses! }
  const known: Known = {
    auxiliary: { ...auxiliary, labels: auxiliary.metaclasses! },
    records: hide(table, false),
    classes: 2,
    metaclasses: ['low', 'high'],
  }
  test('per record are learned from public columns', () => {
    const [learned, constant] = guessesFor({ kind: 'labels', name: null }, { table: classes, known })
    expect(learned!.gradable.on(all)).toBeGreaterThan(0.99)
    expect(constant!.gradable.on(all)).toBe(0.5)
    const [ridge] = guessesFor({ kind: 'labels', name: null }, asked({ auxiliary, records: hide(table, false) }))
    expect(ridge!.gradable.metric).toBe('MAE')
    expect(ridge!.gradable.on(all)).toBeLessThan(0.4)
  })
  test('of a batch are the best multiset, for either figure', () => {
    const guesses = guessesFor({ kind: 'labels', name: null, batchSize: 4 }, { table: classes, known })
    expect(guesses.map(({ gradable }) => gradable.metric)).toEqual(['iAcc', 'cAcc'])
    const zeros = all.filter((i) => table.metaclasses![i] === 0).slice(0, 4)
    // About seven in ten are 0: three zeros and a one are named.
    expect(guesses[0]!.gradable.on(zeros)).toBe(0.75)
    expect(guesses[1]!.gradable.on(zeros)).toBe(1)
  })
  test('means and counts are those of the auxiliary data', () => {
    const own = asked({ auxiliary, metaclasses: ['low', 'high'] })
    const mean = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0) / values.length
    const [guess] = guessesFor({ kind: 'label-mean', name: null }, own)
    expect(guess!.gradable.on(all)).toBeCloseTo(Math.abs(mean(auxiliary.labels!) - mean(table.labels!)), 12)
    expect(guessesFor({ kind: 'metaclass-means', name: null }, own)[0]!.gradable.on(all)).toBeLessThan(0.3)
    const share = mean(auxiliary.metaclasses!)
    const [counts] = guessesFor({ kind: 'metaclass-counts', name: null }, own)
    const ones = 300 * mean(table.metaclasses!)
    expect(counts!.gradable.on(all)).toBeCloseTo(Math.abs(300 * share - ones), 9)
    const [labelCounts] = guessesFor({ kind: 'label-counts', name: null }, { table: classes, known })
    expect(labelCounts!.gradable.on(all)).toBeCloseTo(Math.abs(300 * share - ones), 9)
  })
  test('without auxiliary data proportions are alike, and means are not guessed', () => {
    const own = asked({ metaclasses: ['low', 'high'] })
    for (const kind of ['label', 'label-mean', 'metaclass-means', 'records', 'model', 'members', 'property']) {
      expect(words(kind, null, own)).toEqual([])
    }
    expect(words('metaclass-counts', null, own)).toEqual([
      'K times uniform proportions, as there are no auxiliary ones',
    ])
  })
  test('of records is the mean record', () => {
    const [guess] = guessesFor({ kind: 'records', name: null }, asked({ auxiliary }))
    expect(guess!.gradable.metric).toBe('normalised error')
    expect(guess!.gradable.on(all)).toBeGreaterThan(0.8)
    expect(guess!.gradable.on(all)).toBeLessThan(1)
  })
})

describe('a model fitted to auxiliary data', () => {
  const inputs = (of: Table): Table => ({
    columns: ['x'],
    features: tableOf(
      ['x'],
      upTo(of.features.rows).map((i) => [of.features.data[3 * i]!]),
    ).features,
    labels: of.labels!,
  })
  test('is the penalised optimum where there is one layer', () => {
    const functions = functionsOf(linear({ inputs: 1, outputs: 1 }))
    const theta = auxiliaryModel(functions, inputs(auxiliary))!
    const [guess] = guessesFor(
      { kind: 'model', name: null },
      { table: inputs(table), known: { functions, auxiliary: inputs(auxiliary) } },
    )
    expect(guess!.words).toBe('a linear model fitted to auxiliary data')
    expect(guess!.gradable.on(all)).toBeLessThan(0.15)
    const { grad } = functions.gradient(theta, { features: inputs(auxiliary).features, labels: auxiliary.labels! })
    expect(grad[0]! + theta[0]! / 200).toBeCloseTo(0, 6)
    expect(grad[1]).toBeCloseTo(0, 6)
  })
  test('is stopped early where there are several, and the same every time', () => {
    const functions = functionsOf(mlp({ inputs: 1, outputs: 1, hidden: [30], activation: 'tanh' }))
    // Noise alone: whoever fits it to the end does worse than the mean.
    const draw = rng(3).fork('noise')
    const noise = (n: number): Table =>
      tableOf(
        ['x'],
        upTo(n).map(() => [draw.normal()]),
        { labels: upTo(n).map(() => draw.normal()) },
      )
    const [own, fresh] = [noise(40), noise(400)]
    const theta = auxiliaryModel(functions, own)!
    const loss = functions.loss(theta, { features: fresh.features, labels: fresh.labels! })
    expect(loss).toBeLessThan(1.25)
    expect(auxiliaryModel(functionsOf(functions.model), { ...own })).toEqual(theta)
    expect(auxiliaryModel(functions, own)).toBe(theta)
  })
  test('is not had without labels, or with other columns', () => {
    const functions = functionsOf(linear({ inputs: 2, outputs: 1 }))
    expect(auxiliaryModel(functions, inputs(auxiliary))).toBeUndefined()
    expect(auxiliaryModel(functions, tableOf(['a', 'b'], [[1, 2]]))).toBeUndefined()
    expect(auxiliaryModel(functions, tableOf(['a', 'b'], [[1, Number.NaN]], { labels: [1] }))).toBeUndefined()
  })
})
