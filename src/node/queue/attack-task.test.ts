import { beforeEach, expect, test, vi } from 'vitest'
import type { JobRequest } from '../../audit/ports.js'
import { OverhearError } from '../../errors.js'
import { answerToAttack } from './attack-task.js'

const runners = vi.hoisted(() => ({ made: [] as unknown[], run: async (_: unknown): Promise<unknown> => 'result' }))
vi.mock('../../audit/job-runner.js', () => ({
  jobRunner(ports: unknown) {
    runners.made.push(ports)
    return (request: unknown, hooks: { now(): number }) => {
      expect(Number.isFinite(hooks.now())).toBe(true)
      return runners.run(request)
    }
  },
}))
vi.mock('../files/dataset-files.js', () => ({ datasetReader: (...given: unknown[]) => given }))
vi.mock('../files/file-store.js', () => ({ fileStore: 'the store' }))
vi.mock('../files/kept-files.js', () => ({ keptFiles: 'kept files' }))
vi.mock('../recording-ports.js', () => ({ recordingPorts: { tables: 'tables' } }))

const request = { job: { attack: 'echo' } } as JobRequest
beforeEach(() => {
  runners.made.length = 0
  runners.run = async () => 'result'
})

test('jobs on the same files share one runner, and those on others have their own', async () => {
  expect(await answerToAttack({ request, dataDir: 'd' })).toMatchObject({ kind: 'done', result: 'result' })
  await answerToAttack({ request, dataDir: 'd' })
  expect(runners.made).toHaveLength(1)
  const places = { 'a.csv': '/there' }
  await answerToAttack({ request, dataDir: 'd', places })
  await answerToAttack({ request, dataDir: 'e' })
  expect(runners.made).toHaveLength(3)
  expect(runners.made[1]).toMatchObject({ tables: 'tables', folder: 'the store', keptFiles: 'kept files' })
  const { dataset } = runners.made[1] as { dataset(name: string): unknown }
  expect(dataset('adult')).toEqual(['adult', 'd', places])
})

test('what is wrong is refused, and a bug is told with its place', async () => {
  runners.run = async () => {
    throw new OverhearError('E_VALUE', 'too deep')
  }
  expect(await answerToAttack({ request })).toEqual({ kind: 'refused', reason: 'too deep' })
  runners.run = async () => {
    throw Object.assign(new Error('x'), { stack: 'Error: x\nat a\nat b\nat c' })
  }
  expect(await answerToAttack({ request })).toEqual({ kind: 'broken', reason: 'Error: x at a at b' })
})
