import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { JobRequest } from '../../audit/ports.js'
import { evidencePacker, evidenceReader } from './travelling-evidence.js'

const work = mkdtempSync(join(tmpdir(), 'overhear-evidence-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
const run = join(work, 'run')

beforeEach(() => {
  rmSync(run, { recursive: true, force: true })
  for (const folder of ['transcript/rounds', 'truth', 'checkpoints', 'without-0'])
    mkdirSync(join(run, folder), { recursive: true })
  for (const file of ['transcript/transcript.json', 'transcript/rounds/0', 'truth/truth.json', 'without-0/a'])
    writeFileSync(join(run, file), `what ${file} says`)
  writeFileSync(
    join(run, 'knowledge.json'),
    '{"target":"0","records":{"file":"knowledge-records.csv","from":"../secret"}}',
  )
  for (const file of ['knowledge-records.csv', 'results.jsonl']) writeFileSync(join(run, file), file)
})

const request = (): JobRequest =>
  ({
    job: { attack: 'aia-linear', observer: 'eavesdropper', params: {}, target: '0', seed: 1, controls: false },
    paths: {
      transcript: `${run}/transcript`,
      knowledge: `${run}/knowledge.json`,
      truth: `${run}/truth`,
      target: '0',
      knowledgeOf: { 1: `${run}/knowledge.json` },
    },
    kept: `${run}/kept`,
    live: { scenario: {}, model: 0, checkpoints: `${run}/checkpoints` },
    ask: { repeat: 0, without: `${run}/without-0` },
  }) as unknown as JobRequest

describe('evidence that travels', () => {
  test('a request names what it reads by places, and what lies there by its contents', async () => {
    const { pack, placeOf } = evidencePacker()
    const { request: packed, bases } = await pack(request())
    expect(packed.paths).toEqual({
      transcript: '@0',
      knowledge: '@1/knowledge.json',
      truth: '@2',
      target: '0',
      knowledgeOf: { 1: '@1/knowledge.json' },
    })
    expect([packed.kept, packed.live?.checkpoints, packed.ask?.without]).toEqual(['@kept', '@3', '@4'])
    // Of a file what it names, below a folder everything.
    expect(bases.map(({ folder, files }) => [folder, Object.keys(files)])).toEqual([
      [`${run}/transcript`, ['rounds/0', 'transcript.json']],
      [run, ['knowledge-records.csv', 'knowledge.json']],
      [`${run}/truth`, ['truth.json']],
      [`${run}/checkpoints`, []],
      [`${run}/without-0`, ['a']],
    ])
    expect(placeOf(bases[2]!.files['truth.json']!)).toBe(`${run}/truth/truth.json`)
    expect(placeOf('0')).toBeUndefined()
  })

  test('where it lies here it is read here', async () => {
    const packed = await evidencePacker().pack(request())
    const read = evidenceReader(join(work, 'here'), async () => expect.fail('nothing needs to be fetched'))
    const { request: placed } = await read(packed)
    expect(placed).toEqual({ ...request(), kept: join(work, 'here/kept') })
  })

  test('elsewhere, and where a file changed, it is put together from what is fetched', async () => {
    const packed = await evidencePacker().pack(request())
    rmSync(join(run, 'transcript'), { recursive: true })
    writeFileSync(join(run, 'truth/truth.json'), 'changed')
    const store = join(work, 'fetched')
    mkdirSync(store, { recursive: true })
    let fetched = 0
    const read = evidenceReader(join(work, 'there'), async (files) => {
      fetched++
      return Object.fromEntries(
        Object.entries(files).map(([path, sha256]) => {
          writeFileSync(join(store, sha256), `fetched ${path}`)
          return [path, join(store, sha256)]
        }),
      )
    })
    const { request: placed, folders } = await read(packed)
    await read(packed)
    expect(fetched).toBe(2)
    expect(readFileSync(join(placed.paths.transcript, 'rounds/0'), 'utf8')).toBe('fetched rounds/0')
    expect(readFileSync(join(placed.paths.truth!, 'truth.json'), 'utf8')).toBe('fetched truth.json')
    expect(placed.paths.knowledge).toBe(`${run}/knowledge.json`)
    expect(folders.map((folder) => folder.startsWith(join(work, 'there')))).toEqual([true, false, true, false, false])
  })
})
