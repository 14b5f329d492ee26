import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OverhearError } from '../errors.js'
import { parametersOf } from '../models/index.js'
import { fileStore } from '../node/files/file-store.js'
import { recordingPorts } from '../node/recording-ports.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { writeKnowledge } from '../transcript/write-knowledge.js'
import { openWriter } from '../transcript/write-transcript.js'
import { writeTruth } from '../transcript/write-truth.js'
import { openRecording, type RecordingPaths } from './open-recording.js'

// Brackets: DuckDB would take them for a pattern.
const folder = mkdtempSync(join(tmpdir(), 'overhear-run-[a]'))
const at = (...names: string[]) => join(folder, ...names)
afterAll(() => rmSync(folder, { recursive: true }))

async function openRun(paths: RecordingPaths) {
  const { sources, truth } = await openRecording(paths, recordingPorts)
  return { ...sources, ...(truth !== undefined && { truth }) }
}

async function parquet(path: string, select: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (${select}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet)`)
  connection.closeSync()
  instance.closeSync()
}
const json = (path: string, value: object) => writeFileSync(path, JSON.stringify(value))

const people = {
  columns: ['age', 'smoker'],
  features: matrix(2, 2, Float64Array.of(0.1, -0, 1 / 3, 5e-324)),
  label: { name: 'y', values: Float64Array.of(1, 2) },
}

beforeAll(async () => {
  const manifest = {
    ...({ format: 'overhear-transcript/1', loss: 'mse', protocol: { share: 'delta' } } as const),
    model: { kind: 'linear' as const, inputs: 2, outputs: 1 },
    clients: [{ id: '0', samples: 2 }],
  }
  const writer = await openWriter(fileStore(at()), manifest, { parametersOf })
  const clients = new Map([['0', { kind: 'delta', dTheta: Float64Array.of(1, 2, 3) } as const]])
  await writer.append({ round: 0, participants: ['0'], clients })
  const sensitive = [{ name: 'smoker', columns: ['smoker'], kind: 'binary', values: [[0], [1]] }] as const
  await writeKnowledge(fileStore(at()), { target: '0', records: people, sensitive })
  await writeTruth(fileStore(at('truth')), { clients: new Map([['0', people]]) })
})

describe('a run on disk', () => {
  test('is opened from its paths', async () => {
    for (const name of ['', 'transcript.json']) {
      expect(Object.keys(await openRun({ transcript: at(name) }))).toEqual(['transcript'])
    }
    const paths = { transcript: at(), knowledge: at('knowledge.json'), truth: at('truth') }
    const { transcript, knowledge, truth } = await openRun(paths)
    expect((await transcript.readRound(0)).clients.get('0')).toEqual({
      kind: 'delta',
      dTheta: Float64Array.of(1, 2, 3),
    })
    expect([...(await knowledge!.records())!.features.data]).toEqual([0.1, NaN, 1 / 3, NaN])
    expect([...(await truth!.client('0'))!.features.data]).toEqual([...people.features.data])
    expect([knowledge!.target, truth!.batch({ round: 0, client: '0' })]).toEqual(['0', undefined])
  })

  test('its tables may be Parquet', async () => {
    const rows = `VALUES (0.1::DOUBLE, NULL::DOUBLE, 7::BIGINT, ' b'), (1/3::DOUBLE, 'nan', -2, 'a')`
    await parquet(at("it's *.parquet"), `SELECT * FROM (${rows}) t(age, smoker, y, "the class")`)
    await parquet(at("it's other.parquet"), 'SELECT 1 AS never')
    json(at('p.json'), {
      format: 'overhear-knowledge/1',
      records: { file: "it's *.parquet", label: 'y', metaclass: 'the class', metaclasses: ['a', ' b'] },
      sensitive: [{ name: 'smoker', columns: ['smoker'], kind: 'binary', values: [[0], [1]] }],
    })
    const { knowledge } = await openRun({ transcript: at(), knowledge: at('p.json') })
    const table = (await knowledge!.records())!
    expect(table.columns).toEqual(['age', 'smoker'])
    expect([...table.features.data]).toEqual([0.1, NaN, 1 / 3, NaN])
    expect([[...table.labels!], [...table.metaclasses!]]).toEqual([
      [7, -2],
      [1, 0],
    ])
  })
})

describe('what is wrong is told with its path', () => {
  const fails = async (work: Promise<unknown>, ...parts: string[]) => {
    const error = await work.then(
      () => undefined,
      (e: unknown) => e,
    )
    expect(error).toBeInstanceOf(OverhearError)
    for (const part of parts) expect((error as OverhearError).message).toContain(part)
  }
  const table = async (file: string, more: object = {}) => {
    json(at('q.json'), { format: 'overhear-knowledge/1', candidates: { file, ...more } })
    return (await openRun({ transcript: at(), knowledge: at('q.json') })).knowledge!.candidates()
  }

  test('when it is opened', async () => {
    await fails(openRun({ transcript: at('none') }), `${at('none')}: there is no such file or folder; a folder with`)
    await fails(openRun({ transcript: at('knowledge.json') }), at('knowledge.json'), 'no transcript')
    await fails(openRun({ transcript: at('truth') }), `${at('truth')}: there is no file "transcript.json"`)
    await fails(openRun({ transcript: at(), truth: at('knowledge.json') }), at('knowledge.json'), 'format is')
    json(at('bad.json'), { format: 'overhear-knowledge/1', round: -1 })
    await fails(openRun({ transcript: at(), knowledge: at('bad.json') }), at('bad.json'), 'round is -1; allowed: a')
  })

  test('when it is read later', async () => {
    await fails(table('none.csv'), `${at('q.json')}: there is no file "none.csv"; it should lie in the folder`)
    await fails(table('none.parquet'), at('q.json'), 'there is no file "none.parquet"')
    writeFileSync(at('rubbish.parquet'), 'PAR1 this is none PAR1')
    await fails(table('rubbish.parquet'), at('q.json'), 'cannot read', 'rubbish.parquet')
    await parquet(at('words.parquet'), `SELECT 'tall' AS height`)
    await fails(table('words.parquet'), at('q.json'), 'record 1, column "height" holds "tall"')
    await parquet(at('yes.parquet'), `SELECT true AS member`)
    await fails(table('yes.parquet'), at('q.json'), 'column "member" holds "true"')
    await parquet(at('wide.parquet'), `SELECT 'inf'::DOUBLE AS x`)
    await fails(table('wide.parquet'), 'column "x" holds "Infinity"')
    await parquet(at('hole.parquet'), `SELECT NULL::DOUBLE AS x`)
    await fails(table('hole.parquet'), 'column "x" holds ""')
    await fails(table('words.parquet', { label: 'y' }), 'candidates.label is "y", which is no column')
    const { transcript } = await openRun({ transcript: at() })
    await fails(transcript.readRound(7), `${at()}: round 7 is not in the transcript; there are 0 to 0`)
  })

  test('a link out of the folder is not followed, to Parquet either', async () => {
    mkdirSync(at('inner'))
    symlinkSync(at('words.parquet'), at('inner', 'link.parquet'))
    json(at('inner', 'knowledge.json'), { format: 'overhear-knowledge/1', candidates: { file: 'link.parquet' } })
    const { knowledge } = await openRun({ transcript: at(), knowledge: at('inner') })
    await fails(knowledge!.candidates(), at('inner'), 'leads out of its folder')
  })
})
