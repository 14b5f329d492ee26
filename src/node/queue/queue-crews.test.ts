/** Crews of sweeps and studies through a queue that a test plays. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import type { DatasetEntry } from '../../data/dataset-entry.js'
import { datasets } from '../../data/index.js'
import { find } from '../../registry.js'
import type { JobQueueOptions } from './job-queue.js'
import type { QueueAddress } from './queue-address.js'
import { queueCells } from './queue-cells.js'
import { queueCrew } from './queue-crew.js'
import { versions } from './queue-job.js'

const queue = vi.hoisted(() => ({ opened: [] as unknown[], log: [] as unknown[] }))
vi.mock('./job-queue.js', () => ({
  async jobQueue(options: unknown) {
    queue.opened.push(options)
    return {
      size: 1000,
      run: async (...given: unknown[]) => {
        queue.log.push(given)
        return 'outcome'
      },
      kept: async (id: string) => void queue.log.push(`kept ${id}`),
      doing: () => '3 at work',
      close: async () => void queue.log.push('closed'),
    }
  },
}))
const folder = mkdtempSync(join(tmpdir(), 'overhear-queue-crews-'))
afterAll(() => rmSync(folder, { recursive: true }))
const address = { shown: 'there' } as QueueAddress
const limits = { seconds: 9, megabytes: 300 }
const opened = () => queue.opened[0] as JobQueueOptions<unknown>
beforeEach(() => {
  queue.opened.length = 0
  queue.log.length = 0
})

test('a trial is sent with its scenario, its files, and its place on the axes as a label', async () => {
  const isKept = (id: string): boolean => id === 'known'
  const placeOf = (): string => '/there'
  const scenario = { name: 'tiny' } as never
  const crew = await queueCrew({
    ...{ address, limits, isKept, placeOf },
    scenarioOf: () => scenario,
    filesOf: async (of) => ({ 'a.csv': of === scenario ? 'sha' : '' }),
  })
  expect(opened()).toMatchObject({ address, isKept, placeOf })
  expect(() => opened().read('x', {})).toThrow('the answer to x')
  expect([crew.size, crew.doing!()]).toEqual([1000, '3 at work'])
  const trial = { id: 'one', number: 0, seed: 4, effort: 1, point: { shown: { 'training.rounds': 3 }, set: {} } }
  expect(await crew.run(trial)).toBe('outcome')
  await crew.kept!(trial)
  await crew.close()
  const common = { versions: { ...versions }, files: { 'a.csv': 'sha' }, limits, label: 'rounds=3 seed 4' }
  const job = { format: 'overhear-job/1', scenario: { name: 'tiny' }, ...common }
  expect(queue.log).toEqual([['one', job], 'kept one', 'closed'])
})

test('a cell is sent with those files of its datasets that are here', async () => {
  const [file, other] = find<DatasetEntry>(datasets, 'adult').files!
  const place = join(folder, file!.path)
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, 'something')
  const isKept = (): boolean => false
  const crew = await queueCells({ address, data: ['adult', 'cps-wages'], limits, dataDir: folder, isKept })
  expect(opened()).toMatchObject({ address, isKept })
  expect(() => opened().read('x', {})).toThrow('the answer to x')
  expect(opened().placeOf(file!.sha256!)).toBe(place)
  expect(opened().placeOf(createHash('sha256').digest('hex'))).toBeUndefined()
  expect(crew.size).toBe(1000)
  const cell = { id: 'one', study: 's', at: { n: 1 }, seed: 1, quick: true, effort: 2 }
  expect(await crew.run(cell, { label: 'words', data: ['adult', 'cps-wages', 'unheard-of'] })).toBe('outcome')
  await crew.run(cell, { label: 'words', data: [] })
  await crew.kept!('one')
  await crew.close()
  const { id, ...rest } = cell
  const [[name, job], [, bare], ...more] = queue.log as [[string, { files: object }], [string, object], ...unknown[]]
  expect(name).toBe(id)
  expect(job).toMatchObject({
    format: 'overhear-cell-job/1',
    versions: { ...versions },
    cell: rest,
    limits,
    label: 'words',
  })
  expect(job.files).toMatchObject({ [file!.path]: file!.sha256 })
  if (other !== undefined)
    expect(Object.keys(job.files).every((path) => path === file!.path || path === other.path)).toBe(true)
  expect(bare).toMatchObject({ files: {} })
  expect(more).toEqual(['kept one', 'closed'])
})
