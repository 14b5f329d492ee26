import type { Claim } from '../src/attacks/claim.js'
import { auxiliaryModel } from '../src/metrics/cells/auxiliary-model.js'
import { inClaimedGroups, requireColumn } from '../src/metrics/cells/claimed-clusters.js'
import { contributionGradable, propertyGradable } from '../src/metrics/cells/client-cells.js'
import type { Gradable } from '../src/metrics/cells/gradable.js'
import { guessesFor } from '../src/metrics/cells/guesses.js'
import { gradable } from '../src/metrics/cells/index.js'
import { determinationOn } from '../src/metrics/cells/number-cell.js'
import { rankTest } from '../src/metrics/cells/rank-test.js'
import type { Asked, Known } from '../src/metrics/grading.js'
import { functionsOf } from '../src/models/functions.js'
import { createModel, type ModelSpec } from '../src/models/index.js'
import { rng } from '../src/numeric/random/rng.js'
import type { Table } from '../src/transcript/encoded-table.js'
import type { Sensitive } from '../src/transcript/knowledge-file.js'
import { tableOf } from './hand-truth.js'
import { pinResults } from './pinned-results.js'

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const sex: Sensitive = { name: 's', columns: ['s'], kind: 'binary', values: [[0], [1]] }
const plain: Sensitive = { name: 'p', columns: ['s'], kind: 'binary', values: [[-0.5], [2]] }
const age: Sensitive = { name: 'age', columns: ['age'], kind: 'continuous', range: [0, 100] }

interface Drawn {
  readonly seed: number
  readonly n: number
  /** Labels are classes, numbers, or two numbers a record. */
  readonly labels?: 'classes' | 'numbers' | 'pairs' | 'none'
}
function world({ seed, n, labels = 'numbers' }: Drawn): Table {
  const draws = rng('cells').fork(seed)
  const x = draws.fork('x').normals(n)
  const noise = draws.fork('noise').normals(2 * n)
  const s = upTo(n).map((i) => Number(x[i]! + 0.5 * noise[i]! > 0))
  const rows = upTo(n).map((i) => [x[i]!, s[i]!, 3 * x[i]! + noise[n + i]!])
  const classes = upTo(n).map((i) => (i * 7 + s[i]!) % 3)
  const found = {
    classes,
    numbers: upTo(n).map((i) => x[i]! + s[i]!),
    pairs: upTo(2 * n).map((i) => x[i >> 1]! + (i % 2)),
    none: undefined,
  }[labels]
  const metaclasses = upTo(n).map((i) => Number(x[i]! > 0.3))
  return tableOf(['x', 's', 'age'], rows, { ...(found && { labels: found }), metaclasses })
}
const hidden = (table: Table, labelled: boolean): Table => {
  const rows = upTo(table.features.rows).map((i) => [table.features.data[3 * i]!, Number.NaN, Number.NaN])
  return { columns: table.columns, features: tableOf(['x', 's', 'age'], rows).features, ...(labelled && table.labels && { labels: table.labels }) } // biome-ignore format: a line
}
const functionsFor = (spec: ModelSpec) => functionsOf(createModel(spec))
const line = functionsFor({ kind: 'linear', inputs: 3, outputs: 1 })
const lines = functionsFor({ kind: 'linear', inputs: 3, outputs: 2 })
const classes = functionsFor({ kind: 'softmax', inputs: 3, outputs: 3 })
const coin = functionsFor({ kind: 'logistic', inputs: 3 })
const network = functionsFor({ kind: 'mlp', inputs: 3, hidden: [4], outputs: 1 })
const pairNetwork = functionsFor({ kind: 'mlp', inputs: 3, hidden: [3, 2], outputs: 2 })
const n = 12
const sets = [upTo(n), [3, 1], [2], [], [4, 0, 2, 4, 11], [7, 8, 9]]

/** Everything that a cell says of some sets of rows. */
const figures = (cell: Gradable | { readonly missing: readonly string[] }) =>
  'missing' in cell
    ? cell
    : { ...cell, on: sets.map((rows) => cell.on(rows)), also: sets.map((rows) => (cell.of === 'batch' && rows.length === 0 ? null : cell.also?.(rows))), others: cell.of === 'members' ? [cell.on([1, 5], [2, 3, 7]), cell.also?.([1, 5], [2, 3, 7]), cell.also?.([1], [])] : [] } // biome-ignore format: a line
const table = world({ seed: 1, n })
const classed = world({ seed: 1, n, labels: 'classes' })
const paired = world({ seed: 1, n, labels: 'pairs' })
const at = { client: 'c', round: 0 } as const
const values = rng('claimed').normals(n)
const theta = (size: number) => rng('theta').normals(size)
const groups = { metaclasses: ['a', 'b'] }
const many = { clusters: { centres: [[0, 0, 0], [1, 1, 3]], scales: [1, 2, 0.5] } } // biome-ignore format: a line
const asked = (of: Table, known: Known = {}): Asked => ({
  table: of,
  known: { sensitive: [sex, plain, age], ...known },
})
const cases: readonly (readonly [Record<string, unknown>, Asked])[] = [
  [{ kind: 'model', client: 'c', theta: theta(4) }, asked(table, { functions: line })],
  [{ kind: 'model', client: 'c', theta: theta(4).map((x) => 1e200 * x) }, asked(table, { functions: line })],
  [{ kind: 'model', client: 'c', theta: theta(8) }, asked(paired, { functions: lines })],
  [{ kind: 'model', client: 'c', theta: theta(12) }, asked(classed, { functions: classes, classes: 3 })],
  [{ kind: 'model', client: 'c', theta: theta(4) }, asked({ ...classed, labels: classed.labels!.map((y) => Number(y > 1)) }, { functions: coin, classes: 2 })],
  [{ kind: 'model', client: 'c', theta: new Float64Array(4) }, asked({ ...classed, labels: classed.labels!.map((y) => Number(y > 1)) }, { functions: coin, classes: 2 })],
  [{ kind: 'model', client: 'c', theta: theta(4) }, asked(world({ seed: 1, n: 0 }), { functions: line })],
  [{ kind: 'model', client: 'c', theta: theta(3) }, asked(table, { functions: line })],
  [{ kind: 'model', client: 'c', theta: theta(4) }, asked(table)],
  [{ kind: 'attribute', client: 'c', name: 's', values: values.map((x) => Number(x > 0)), confidence: values.map((x) => Math.min(1, Math.abs(x))) }, asked(table)],
  [{ kind: 'attribute', client: 'c', name: 's', values: values.map((x) => Number(x > 0)) }, asked(table)],
  [{ kind: 'attribute', client: 'c', name: 'age', values }, asked(table)],
  [{ kind: 'attribute', client: 'c', name: 'nobody', values }, asked(table)],
  [{ kind: 'label', ...at, value: 0.7 }, asked(table)],
  [{ kind: 'label-mean', ...at, value: 0.7 }, asked(paired)],
  [{ kind: 'label-mean', ...at, value: Number.NaN }, asked(table)],
  [{ kind: 'metaclass-means', ...at, values: [1, 2] }, asked(table, groups)],
  [{ kind: 'metaclass-means', ...at, values: [Number.NaN, 2] }, asked(table)],
  [{ kind: 'metaclass-means', ...at, values: [1, 2, 3] }, asked(table, groups)],
  [{ kind: 'metaclass-means', ...at, values: [Number.POSITIVE_INFINITY, 2] }, asked(table)],
  [{ kind: 'metaclass-means', ...at, values: [1, 2], ...many }, asked(table, groups)],
  [{ kind: 'metaclass-counts', ...at, values: [5, 7] }, asked(table, groups)],
  [{ kind: 'metaclass-counts', ...at, values: [1, 3] }, asked(table)],
  [{ kind: 'metaclass-counts', ...at, values: [0, 0] }, asked(table)],
  [{ kind: 'metaclass-counts', ...at, values: [1, 3], ...many }, asked(table)],
  [{ kind: 'labels', client: 'c', labels: values }, asked(table)],
  [{ kind: 'labels', client: 'c', labels: classed.labels!.map((y, i) => (i % 3 === 0 ? 2 : y)) }, asked(classed, { classes: 3 })],
  [{ kind: 'labels', ...at, labels: [1, 1, 0] }, asked(classed)],
  [{ kind: 'labels', ...at, labels: [1, 5] }, asked(classed)],
  [{ kind: 'labels', ...at, labels: [1, 2], once: true }, asked(classed, { classes: 4 })],
  [{ kind: 'labels', ...at, labels: [] }, asked(classed, { auxiliary: { ...classed, labels: Float64Array.of(6) } })],
  [{ kind: 'labels', ...at, labels: [1] }, asked(world({ seed: 1, n, labels: 'none' }))],
  [{ kind: 'label-counts', ...at, counts: [2, 3, 1] }, asked(classed, { classes: 3 })],
  [{ kind: 'label-counts', ...at, counts: [2, 3] }, asked(classed)],
  [{ kind: 'records', ...at, features: [[0, 1, 2], [4, -1, 0]], labels: [] }, asked(table)],
  [{ kind: 'members', client: 'c', rows: [1, 2, 5] }, asked(table)],
  [{ kind: 'members', client: 'c', rows: [], scores: values }, asked(table)],
  [{ kind: 'property', scores: {} }, asked(table)],
  [{ kind: 'protocol', settings: [] }, asked(table)],
] // biome-ignore format: a table

const labelled = (labels: Drawn['labels'], more: Known = {}) => {
  const of = world({ seed: 2, n, labels: labels! })
  const auxiliary = world({ seed: 3, n: 40, labels: labels! })
  return { of, auxiliary, known: { auxiliary, records: hidden(of, true), ...more } as Known }
}
const numbers = labelled('numbers')
const three = labelled('classes', { classes: 3 })
const pairs = labelled('pairs')
const guessed: readonly (readonly [string, string | null, Asked, number?])[] = [
  ...[numbers, three].flatMap(({ of, known }) => ['s', 'p', 'age'].map((name) => ['attribute', name, asked(of, known)] as const)),
  ['attribute', null, asked(numbers.of, numbers.known)],
  ['attribute', 's', asked(numbers.of, { ...numbers.known, records: hidden(numbers.of, false) })],
  ['attribute', 's', asked(numbers.of, { auxiliary: numbers.auxiliary })],
  ['attribute', 's', asked(numbers.of, { records: hidden(numbers.of, true) })],
  ['attribute', 's', asked(numbers.of, { auxiliary: world({ seed: 3, n: 0 }) })],
  ['attribute', 's', asked(numbers.of, { auxiliary: world({ seed: 3, n: 1 }), records: hidden(numbers.of, true) })],
  ['attribute', 'age', asked(numbers.of)],
  ['attribute', 'p', asked(numbers.of)],
  ['attribute', 's', asked(numbers.of, { auxiliary: tableOf(['x'], [[1], [2]]), records: hidden(numbers.of, true) })],
  ...[numbers, three, pairs].map(({ of, known }) => ['labels', null, asked(of, known)] as const),
  ['labels', null, asked(three.of, { classes: 3 })],
  ['labels', null, asked(numbers.of, { auxiliary: pairs.auxiliary })],
  ['labels', null, asked(numbers.of, { auxiliary: numbers.auxiliary })],
  ['labels', null, asked(three.of, three.known), 4],
  ['labels', null, asked(three.of), 5],
  ['model', null, asked(numbers.of, { ...numbers.known, functions: line })],
  ['model', null, asked(numbers.of, { functions: line })],
  ['model', null, asked(numbers.of, numbers.known)],
  ['model', null, asked(numbers.of, { auxiliary: world({ seed: 3, n: 9, labels: 'none' }), functions: line })],
  ...['label', 'label-mean', 'metaclass-means', 'metaclass-counts', 'label-counts', 'records', 'members'].flatMap((kind) => [
    [kind, null, asked(three.of, { ...three.known, ...groups })] as const,
    [kind, null, asked(three.of, three.known)] as const,
    [kind, null, asked(three.of)] as const,
    [kind, null, asked(three.of, { ...groups, auxiliary: { ...three.auxiliary, labels: new Float64Array(0) } })] as const,
    [kind, null, asked(three.of, { ...groups, auxiliary: { ...three.auxiliary, labels: Float64Array.of(2) } })] as const,
  ]),
] // biome-ignore format: a table

const fits = (functions: typeof line, drawn: Drawn) => () => {
  const auxiliary = world(drawn)
  const first = auxiliaryModel(functions, auxiliary)
  return [first, first === auxiliaryModel(functions, auxiliary)]
}
const scores = (count: number, ties = false) => rng('ranks').normals(count).map((x) => (ties ? Math.round(x) : x)) // biome-ignore format: a line
const having = (count: number, every: number) => upTo(count).map((i) => i % every === 0)

const stated = [{ id: 'a', probability: 0.9, positive: true }, { id: 'b', probability: 0.1, positive: false }, { id: 'c', probability: 0.1, positive: false }] // biome-ignore format: a line
const helping = [{ id: 'a', score: 1 }, { id: 'b', score: 3 }, { id: 'c', score: 2 }] // biome-ignore format: a line

pinResults('cells', {
  'claims on any rows': cases.map(
    ([claim, of]) =>
      () =>
        figures(gradable(claim as unknown as Claim, of)),
  ),
  'guesses on any rows': guessed.map(([kind, name, of, batchSize]) => () => guessesFor({ kind, name, batchSize }, of).map(({ words, gradable: cell }) => [words.split(' ').join('-'), figures(cell)])), // biome-ignore format: a line
  'models fitted to auxiliary data': [
    fits(line, { seed: 5, n: 30 }),
    fits(line, { seed: 5, n: 1 }),
    fits(line, { seed: 5, n: 0 }),
    fits(line, { seed: 5, n: 4, labels: 'none' }),
    fits(lines, { seed: 5, n: 30, labels: 'pairs' }),
    fits(classes, { seed: 5, n: 30, labels: 'classes' }),
    ...[1, 4, 5, 9, 10, 30].map((count) => fits(network, { seed: 6, n: count })),
    fits(pairNetwork, { seed: 7, n: 23, labels: 'pairs' }),
    () => auxiliaryModel(line, tableOf(['x'], [[1]], { labels: [1] })),
    () => auxiliaryModel(line, tableOf(['x', 's', 'age'], [[1, 2, Number.NaN]], { labels: [1] })),
    () => auxiliaryModel(line, tableOf(['x', 's', 'age'], [[1, 2, 3]], { labels: [Number.NaN] })),
  ],
  'exact tests of ranks': [
    ...[2, 3, 5, 8, 13].flatMap((count) => [2, 3].flatMap((every) => [false, true].map((ties) => () => rankTest(scores(count, ties), having(count, every))))), // biome-ignore format: a line
    () => rankTest([1, 2, 3], [true, true, true]),
    () => rankTest([1, 2, 3], [0, 0, 0]),
    () => rankTest([1, 2, 3], [0, 0, 1]),
    () => rankTest([Number.NaN, 2], [0, 1]),
    () => rankTest([1, Number.POSITIVE_INFINITY], [0, 1]),
    () => rankTest(new Float64Array(101), having(101, 2)),
    () => rankTest(scores(100), upTo(100).map((i) => i === 7)), // biome-ignore format: a line
  ],
  'shares of a spread': [
    () => determinationOn(Float64Array.of(0.5, 1, 2), Float64Array.of(1, 2, 4), [0, 1, 2]),
    () => determinationOn(Float64Array.of(0.5, 1, 2), Float64Array.of(1, 2, 4), [2, 2]) ?? 'none',
    () => determinationOn(Float64Array.of(0.5, 1, 2), Float64Array.of(1, 2, 2), [1, 2]) ?? 'none',
    () => determinationOn(Float64Array.of(0.5, 1, 2), Float64Array.of(1, 2, 2), []) ?? 'none',
  ],
  'groups that were claimed': [
    () => inClaimedGroups(many, asked(table, { ...groups, auxiliary: classed })),
    () => inClaimedGroups(many, asked(table, groups)),
    () => inClaimedGroups({}, asked(table, groups)).table === table,
    () => inClaimedGroups({ clusters: { centres: [[1, 1, 1], [1, 1, 1]], scales: [1, 1, 1] } }, asked(table)).table.metaclasses, // biome-ignore format: a line
    () => requireColumn({}) ?? 'fits',
  ],
  'claims about clients': [
    ...[['a', 'c'], [], ['a', 'b', 'c', 'd'], ['d']].map((has) => () => propertyGradable({ clients: stated }, ['a', 'b', 'c', 'd'])(new Set(has))), // biome-ignore format: a line
    () => propertyGradable({ clients: [...stated, ...stated] }, ['a'])(new Set()),
    () => contributionGradable({ clients: helping })(new Map([['a', 2], ['b', 1], ['c', 5]])), // biome-ignore format: a line
    () => contributionGradable({ clients: helping })(new Map([['a', 2], ['b', 2], ['c', 2]])), // biome-ignore format: a line
    () => contributionGradable({ clients: helping })(new Map([['a', 2]])),
  ],
})
