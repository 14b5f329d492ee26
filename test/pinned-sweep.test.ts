/** What crosses doors, as JSON Schemas with every bound and default; and sweeps: what is read, varied, scored and tabled. */
import { z } from 'zod'
import * as explore from '../src/api/explore.js'
import * as requests from '../src/api/requests.js'
import * as sweeps from '../src/api/sweeps.js'
import * as results from '../src/audit/folder/result-schema.js'
import * as measures from '../src/node/studies/measure-schema.js'
import { axesOf, withValue } from '../src/sweep/axes.js'
import { gridPoints, pointSource } from '../src/sweep/points.js'
import * as file from '../src/sweep/sweep-schema.js'
import { csvLine } from '../src/sweep/sweep-tables.js'
import { columnsOf, reserved, tableNames } from '../src/sweep/table-columns.js'
import { effortOf } from '../src/sweep/trial-effort.js'
import * as line from '../src/sweep/trial-line.js'
import * as trial from '../src/sweep/trial-result.js'
import * as map from '../src/transcript/imports/recording-map.js'
import * as transcript from '../src/transcript/schema.js'
import { pinResults } from './pinned-results.js'

const modules = { explore, requests, sweeps, results, measures, file, line, trial, map, transcript }
const schemas = Object.values(modules).flatMap((module) =>
  Object.values(module).filter((one): one is z.ZodType => one instanceof z.ZodType),
)

const scenario = { name: 'a' }
const read = (axes: object, more: object = {}) => file.readSweep({ scenario, axes, ...more })
const axes =
  (own: object, more: object = {}) =>
  () =>
    axesOf(read(own, more), 'sweep')
const range = (from: number, to: number, more: object = {}) => ({ from, to, ...more })
const several = {
  'training.rounds': [1, 2, 3],
  'training.learningRate': range(0.001, 1, { steps: 4, scale: 'log' }),
  'training.batchSize': range(1, 100, { steps: 5, scale: 'log', whole: true }),
  how: { variants: { plain: { 'training.localEpochs': 1 }, 'twice as long': { 'training.localEpochs': 2, seed: 3 } } },
}
/** All points that come, where the k-th of a batch scores k and the last fails. */
const points =
  (more: object, own: object = several, seed = 1) =>
  () => {
    const asked = read(own, more)
    const source = pointSource(axesOf(asked, 'sweep'), { search: asked.search, seed })
    const batches: unknown[] = []
    for (let batch = source.next(); batch !== undefined && batches.length < 50; batch = source.next()) {
      batches.push(batch)
      source.tell(batch.map((_, k) => (k === batch.length - 1 && k > 0 ? null : (k * 7) % 5)))
    }
    return [source.total, batches]
  }
const searched = (method: string, more: object = {}) => ({ search: { method, points: 14, ...more } })

pinResults('sweep', {
  schemas: schemas.map((schema) => () => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })),
  'sweeps that are read': [
    ...[{}, { scenario: 'a.yaml' }, { scenario, seeds: 0 }, { scenario, seeds: 10_001 }, { scenario, attempts: 11 }, { scenario, name: 'a b' }, { scenario, more: 1 }, { scenario, axes: { x: [] } }, { scenario, axes: { x: range(0, 1, { steps: 1 }) } }, null, []].map((json) => () => file.readSweep(json)), // biome-ignore format: a list
    ...[{ scenario }, { scenario, secondsPerTrial: 0 }, { scenario, megabytesPerWorker: 63 }].map((json) => () => file.readSweep(json, 'there')), // biome-ignore format: a list
  ],
  axes: [
    axes(several),
    axes({}),
    axes({ x: range(0, 1) }),
    axes({ x: range(0, 1) }, { search: { method: 'random', points: 3 } }),
    axes({ x: range(1, 0, { steps: 3 }) }),
    axes({ x: range(1, 1, { steps: 3 }) }),
    axes({ x: range(0, 1, { steps: 3, scale: 'log' }) }),
    axes({ x: range(-1, 1, { steps: 3, scale: 'log' }) }),
    axes({ x: range(0, 9, { steps: 4, whole: true }) }),
    axes({ x: range(0, 2, { steps: 9, whole: true }) }),
    axes({ x: range(0.5, 2, { steps: 2, whole: true }) }),
    axes({ x: [1, 1] }),
    axes({ x: [1, '1', true, null, { a: 1 }] }),
    axes({ seed: [1, 2] }),
    axes({ trial: [1, 2] }),
    axes({ 'a..b': [1] }),
    axes({ how: { variants: {} } }),
    axes({ how: { variants: { a: {} } } }),
  ],
  points: [
    () => gridPoints(axesOf(read(several), 'sweep')),
    () => gridPoints([]),
    points({}),
    points({}, {}),
    points({}, { a: range(0, 1, { steps: 10_000 }), b: range(0, 1, { steps: 10_000 }) }),
    points(searched('random')),
    points(searched('random'), several, 2),
    points(searched('random'), {}),
    points(searched('tpe', { score: 'utility.value' })),
    points(searched('tpe', { score: 'utility.value', better: 'lower', together: 1 })),
    points(searched('tpe', { score: 'utility.value', together: 5 }), { x: range(0, 10) }, 3),
    points(searched('tpe')),
  ],
  'values put into scenarios': [
    ...['a', 'a.b', 'a.b.c', 'list.0', 'list.1.x', 'list.9', 'list.x', 'word.x', ''].map((path) => () => withValue({ a: { b: 1 }, list: [1, { x: 2 }], word: 'w' }, path, 7)), // biome-ignore format: a list
    () => withValue(null, 'a', 1),
    () => withValue([], '0', 1),
  ],
  efforts: [
    {},
    { training: { rounds: 10 } },
    { training: { rounds: 10, localEpochs: 5, localSteps: 3 } },
    { repeats: 4 },
    { partition: { name: 'iid', params: { clients: 50 } } },
    { models: [{ kind: 'linear' }, { kind: 'mlp', hidden: [64] }] },
    { attacks: ['last-returned'] },
    { attacks: 'all', knowledge: { targets: ['0', '1'] } },
    { knowledge: { targets: 'all' }, partition: { name: 'iid', params: { clients: 5 } } },
  ].map((one) => () => effortOf(one as never)),
  tables: [
    ...tableNames.map((name) => () => columnsOf(name, ['rounds', 'rate'])),
    () => reserved,
    ...[[], ['a', 1, true, null], ['a,b', 'c"d', 'e\nf', ' g '], ['=1', '+1', '-1', '@x', -1]].map((cells) => () => csvLine(cells)), // biome-ignore format: a list
    ...['', '{', '{}', '{"format":"overhear-trial/2"}', 'null'].map((text) => () => line.readLine(text, 'there')),
  ],
})
