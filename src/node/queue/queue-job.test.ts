import { expect, test } from 'vitest'
import { find } from '../../registry.js'
import { cellsOf } from '../../studies/cells.js'
import { studies } from '../../studies/index.js'
import type { Study } from '../../studies/study.js'
import {
  type AttackJob,
  attackIdOf,
  idOf,
  readAnswer,
  readAttackAnswer,
  readCellAnswer,
  readJob,
  type TrialJob,
  versions,
} from './queue-job.js'

const job = (over: Partial<TrialJob> = {}): TrialJob => ({
  format: 'overhear-job/1',
  versions: { ...versions },
  scenario: { name: 'a', seed: 1 },
  files: {},
  limits: { seconds: 1, megabytes: 100 },
  label: 'seed 1',
  ...over,
})

test('a job is read where it is of this version, of these kernels, and what it is called', async () => {
  const mine = job()
  const id = await idOf(mine)
  expect(await readJob(id, JSON.parse(JSON.stringify(mine)))).toEqual(mine)
  // A name changes nothing of what is found.
  expect(await idOf(job({ scenario: { name: 'b', seed: 1 } }))).toBe(id)
  for (const other of [{ overhear: '9.9.9' }, { kernels: '0'.repeat(64) }]) {
    const theirs = job({ versions: { ...versions, ...other } })
    await expect(readJob(await idOf(theirs), theirs)).rejects.toThrow(
      /is for overhear \S+, kernels \w+, and this is overhear/,
    )
  }
  await expect(readJob(id, job({ scenario: { seed: 2 } }))).rejects.toThrow('is not what it is called')
  await expect(readJob(id, job({ files: { a: '0'.repeat(64) } }))).rejects.toThrow('is not what it is called')
  await expect(readJob(id, { format: 'overhear-job/0' })).rejects.toThrow('format')
})

test('an answer that is none is refused', () => {
  expect(readAnswer('x', { kind: 'lost', reason: 'it crashed' })).toEqual({ kind: 'lost', reason: 'it crashed' })
  expect(() => readAnswer('x', { kind: 'done', result: { hash: 1 } })).toThrow('the answer to x')
  expect(() => readAnswer('x', 'done')).toThrow('the answer to x')
})

test('a job of an audit is read where it stays within what it names', async () => {
  const asked = { attack: 'aia-linear', observer: 'eavesdropper', params: {}, target: '0', seed: 1, controls: false }
  const mine = {
    format: 'overhear-attack-job/1' as const,
    versions: { ...versions },
    request: { job: asked, paths: { transcript: '@0', knowledge: '@1/knowledge.json' }, kept: '@kept' },
    bases: [{ folder: '/run/transcript', files: { 'rounds/..0': 'a'.repeat(64) } }],
    files: {},
    limits: { seconds: 1, megabytes: 100 },
    label: 'an attack',
  } as unknown as AttackJob
  const id = await attackIdOf(mine)
  expect(await readJob(id, JSON.parse(JSON.stringify(mine)))).toEqual(mine)
  await expect(readJob(id, { ...mine, limits: { seconds: 2, megabytes: 100 } })).rejects.toThrow(
    'not what it is called',
  )
  for (const path of ['../a', 'a/../b', '/a', 'a/..', '..', '']) {
    const bases = [{ folder: '/run', files: { [path]: 'a'.repeat(64) } }]
    await expect(readJob(id, { ...mine, bases }), path).rejects.toThrow('bases')
  }
  for (const transcript of ['/etc', '@0/../b', '@0/a/b', '@', 'a'])
    await expect(readJob(id, { ...mine, request: { ...mine.request, paths: { transcript } } })).rejects.toThrow('paths')
  expect(() => readAttackAnswer(id, { kind: 'done', result: {}, seconds: 1, worker: 'w' })).toThrow('the answer to')
  const lost = { kind: 'lost', reason: 'gone' }
  expect(readAttackAnswer(id, lost)).toBe(lost)
})

test('a cell of a study is read where it is the one that it is called', async () => {
  const [first] = await cellsOf(find<Study>(studies, 'prolin-appendix-b'), { quick: true, seed: 1, versions })
  const { id, ...cell } = first!
  const limits = { seconds: 1, megabytes: 100 }
  const mine = { format: 'overhear-cell-job/1', versions: { ...versions }, cell, files: {}, limits, label: 'a cell' }
  expect(await readJob(id, JSON.parse(JSON.stringify(mine)))).toEqual(mine)
  await expect(readJob(id, { ...mine, cell: { ...cell, seed: 2 } })).rejects.toThrow('is not what it is called')
  await expect(readJob(id, { ...mine, cell: { ...cell, study: 'none' } })).rejects.toThrow('unknown study')
  const done = { kind: 'done', seconds: 1, worker: 'w', result: { measures: [], seconds: 1 } }
  expect(readCellAnswer(id, done)).toEqual(done)
  expect(() => readCellAnswer(id, { ...done, result: { measures: [{ panel: 'p' }] } })).toThrow(`the answer to ${id}`)
})
