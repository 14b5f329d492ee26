/** What is told of audits that are done, of studies and of sweeps, from documents and figures that are made up. */
import { informationNeeded } from '../src/attacks/properties/exposure-forecast.js'
import { atRandom, clientAtRandom } from '../src/audit/account/planned-exposure.js'
import { audit } from '../src/audit/audit.js'
import type { AuditDocument } from '../src/audit/document.js'
import { compareAudits } from '../src/audit/finished/compare.js'
import { redacted } from '../src/audit/finished/redacted.js'
import { threatWords } from '../src/audit/finished/threat-words.js'
import { memoryPorts } from '../src/audit/memory-ports.js'
import { spaceErrors, weightNorm } from '../src/metrics/theory/reconstruction-spaces.js'
import { fingerprintTraining } from '../src/models/fingerprint.js'
import { sparseFromTriplets, type Triplet } from '../src/numeric/linalg/sparse.js'
import { normalPair, quickNormals } from '../src/numeric/random/quick-normals.js'
import { rng } from '../src/numeric/random/rng.js'
import { auditJunit, auditSarif } from '../src/report/audit-pipeline.js'
import { compareText } from '../src/report/compare-text.js'
import { sameScale, smallPicture } from '../src/report/small-picture.js'
import { studyPage } from '../src/report/study-page.js'
import { studyMarkdown } from '../src/report/study-text.js'
import { sweepPage } from '../src/report/sweep-page.js'
import { withSettings } from '../src/settings/set-by-text.js'
import { jsonPieces } from '../src/transcript/json-pieces.js'
import { pinResults } from './pinned-results.js'
import { sums, tiny } from './stored-audits.js'

let made: Promise<readonly AuditDocument[]> | undefined
/** One after the other, so that what is traced of them comes in one order. */
const documents = () => {
  const scenarios = [tiny, { ...tiny, seed: 2 }, { ...tiny, training: { rounds: 4, learningRate: 0.01 } }, sums]
  made ??= scenarios.reduce(
    async (before: Promise<readonly AuditDocument[]>, scenario) => [
      ...(await before),
      await audit(scenario, { ports: memoryPorts({ files: new Map() }) }).result,
    ],
    Promise.resolve([]),
  )
  return made
}
const ofPairs = (use: (before: AuditDocument, after: AuditDocument) => unknown) =>
  [
    [0, 0],
    [0, 1],
    [1, 0],
    [0, 2],
    [2, 1],
    [0, 3],
    [3, 0],
  ].map(([i, j]) => async () => {
    // biome-ignore format: pairs
    const all = await documents()
    return use(all[i!]!, all[j!]!)
  })
const ofEach = (use: (document: AuditDocument) => unknown) =>
  [0, 1, 2, 3].map((i) => async () => use((await documents())[i]!))

const values = (n: number, seed: number): Float64Array => rng(seed).fork('told').normals(n)
const lists: readonly (readonly number[])[] = [[], [0], [3], [-2, -2], [1, 2, 3], [1e-9, 1], [-5, 5], [1e6, 2e6, 1]]
const spots = (n: number, words: boolean, lines: number) =>
  Array.from(values(n, n), (y, i) => ({ x: words ? `w${i % 3}` : (i % 5) ** 2, y, line: i % lines }))
const colours = ['red', 'green', 'blue']

const figures = [0, 0.001, 0.0049, 0.005, 0.5, 1, 19.99, 20, 123.456, -0.002, -30]
const row = (mean: number, i: number) => ({
  ...{ name: `row ${i}`, panel: i % 2 === 0 ? 'p' : '<q>', series: `s${i % 3}`, note: i % 4 === 0 ? 'of ours' : '' },
  ...(i % 3 > 0 && { x: i }),
  ours: { mean, std: i / 10, median: mean, n: 1 + (i % 3) },
  paper: i % 3 === 0 ? null : { mean: 2 * mean, std: i % 2 === 0 ? null : 0.1 },
})
const study = (count: number, over: object = {}) =>
  ({
    ...{
      id: 'mine',
      study: 'mine',
      title: 'of & ours',
      paper: 'lmra',
      where: 'Table 1',
      unit: 'numbers',
      axis: 'round',
    },
    departs: count > 2 ? ['in <one> thing', 'and another'] : [],
    run: { quick: count % 2 === 0, seeds: [1, 2, 3].slice(0, count), cells: count, planned: 4, seconds: 59 * count, version: '0', date: '2026-01-01', trouble: count > 3 ? ['too long'] : [] }, // biome-ignore format: a line
    rows: figures.slice(0, count).map(row),
    claims: [true, false, null].slice(0, count).map((holds) => ({ text: `it is ${holds}`, holds })),
    ...over,
  }) as never
const counts = [0, 1, 2, 3, 4, 11]

const drawn = (n: number, axes: number, kinds: number) =>
  Array.from(values(n, 3), (y, k) => ({
    at: { rounds: k % 4, rate: k % axes === 0 ? 'low' : `<${k % axes}>`, seed: 1, on: k % 2 === 0 },
    figures: Object.fromEntries(Array.from({ length: kinds }, (_, j) => [`figure ${j}`, y * (j + 1)])),
  })) as never
const sweep = (n: number, axes: number, kinds: number, failed = 0) => () =>
  sweepPage({ name: 'a <sweep>', axes: ['rounds', 'rate', 'seed', 'on'], drawn: drawn(n, axes, kinds), total: n + failed, failed }) // biome-ignore format: a line

const participation = (rows: number, cols: number) => {
  const inside = [...values(rows * cols, 5).keys()].filter((k) => values(rows * cols, 5)[k]! > 0)
  return sparseFromTriplets(
    { rows, cols },
    inside.map((k): Triplet => [Math.floor(k / cols), k % cols, 1]),
  )
}

pinResults('told', {
  'two audits beside each other': [...ofPairs(compareAudits), ...ofPairs((a, b) => compareText(compareAudits(a, b)))],
  'one audit for pipelines, and without people': [
    ...ofEach((one) => auditSarif(one, { file: 'a/b.yaml' })),
    ...ofEach((one) => auditJunit(one, { file: 'a/b.yaml' })),
    ...ofEach(redacted),
    ...ofEach(({ observers }) => observers.map(threatWords)),
  ],
  pictures: [
    ...lists.map((list) => () => sameScale(list)),
    ...[0, 1, 2, 7, 40].flatMap((n) =>
      [true, false].flatMap((words) =>
        [1, 3].map((lines) => () => {
          const own = spots(n, words, lines)
          return smallPicture(own, { scale: sameScale(own.map(({ y }) => y)), colours, joined: n !== 7, label: `${n} <a>` }) // biome-ignore format: a line
        }),
      ),
    ),
  ],
  studies: [
    ...counts.flatMap((count) => [() => studyMarkdown(study(count)), () => studyMarkdown(study(count, { axis: undefined }), 3)]), // biome-ignore format: a line
    ...counts.map((count) => () => studyPage([study(count), study(1)])),
    () => studyPage([]),
  ],
  sweeps: [sweep(0, 1, 1), sweep(1, 1, 1), sweep(8, 2, 1, 3), sweep(30, 3, 2), sweep(30, 9, 3, 1), sweep(130, 40, 1), sweep(6, 2, 70)], // biome-ignore format: a line
  forecasts: [
    ...[0.5, 1, 2, 4].flatMap((signal) =>
      [0.02, 0.1, 0.5].map((share) => () => [
        atRandom({ clients: 20, perRound: 5, rounds: 40 }, { signal, share }),
        informationNeeded(20, { signal, share }),
      ]),
    ),
    ...['0', '7', '20', '-1', '1.5', '', 'x'].map((id) => () => {
      return clientAtRandom(id, { clients: 20, perRound: 5, rounds: 60, signal: 3, share: 0.1, seed: 2 })
    }),
    () => clientAtRandom('0', { clients: 20, perRound: 5, rounds: 20_000_000, signal: 3, share: 0.1, seed: 2 }),
  ],
  'spaces of sums': [
    ...[
      [12, 4],
      [4, 4],
      [3, 5],
      [1, 1],
    ].map(([t, n]) => () => {
      const weights = [values(6, 1), values(6, 2)]
      return [spaceErrors({ A: participation(t!, n!), weights }), spaceErrors({ A: participation(t!, n!), weights, noise: { update: 2, feature: 0.5 } }), weightNorm(weights[0]!), weightNorm(weights[0]!, 3), weightNorm(weights[0]!, weights[1]!)] // biome-ignore format: a line
    }),
    () => spaceErrors({ A: participation(3, 2), weights: [] }),
    ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY].flatMap((x) => [
      () => spaceErrors({ A: participation(3, 2), weights: [values(2, 1)], noise: { feature: x } }),
      () => spaceErrors({ A: participation(3, 2), weights: [values(2, 1)], noise: { update: x } }),
    ]),
  ],
  'quick normals': [
    ...[0, 1, 2, 3, 7, 64, 1001].map((n) => () => [
      quickNormals(rng(3).fork(n), n),
      quickNormals(rng(3).fork(n), n, 2.5),
    ]),
    ...[0, 1, 2 ** 31, 2 ** 32 - 1, 12345, 77].flatMap((a) => [0, 1, 2 ** 31, 2 ** 32 - 1].map((b) => () => normalPair(a, b, 1.5))), // biome-ignore format: a line
  ],
  trainings: [
    () => fingerprintTraining({ steps: 3 } as never),
    () => fingerprintTraining({ steps: 2, seed: 5 } as never),
    () => fingerprintTraining({ network: 'lenet', steps: 1 } as never),
  ],
  settings: [
    ...[{ 'training.rounds': '3' }, { 'a.b.c': '[1,2]' }, { 'models.0.kind': 'mlp' }, { 'models.1': '{"kind":"x"}' }, { seed: 'x y' }, { 'a..b': '1' }, { '': '1' }, { 'training.rounds.x': '1' }, { 'models.x': '1' }, { 'models.9.kind': 'x' }, { name: 'null' }, { name: '"q"' }, { a: 'true', b: '1e3' }].map((given) => () => withSettings({ name: 'n', models: [{ kind: 'linear' }], training: { rounds: 2 } }, given as never)), // biome-ignore format: a list
    ...[null, 3, [], { seed: 1 }].map((json) => () => withSettings(json, { 'training.rounds': '3' })),
  ],
  'JSON in pieces': [
    ...[null, 1, 'a', [], {}, [1, [2, { a: [] }]], { a: undefined, b: { c: null } }, Array.from({ length: 3000 }, (_, i) => i), { long: 'x'.repeat(70_000), list: Array.from({ length: 200 }, (_, i) => ({ i, s: 'y'.repeat(i) })) }, [undefined, () => 1], { toJSON: () => 7 }].map((value) => () => [...jsonPieces(value)].join('|')), // biome-ignore format: a list
  ],
})
