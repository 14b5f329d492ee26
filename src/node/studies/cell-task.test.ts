import { afterEach, expect, test, vi } from 'vitest'
import type { Measuring } from '../../studies/study.js'
import { answerToCell } from './cell-task.js'

const measured = vi.hoisted(() => [] as unknown[])
vi.mock('../../studies/index.js', () => ({
  studies: {
    small: {
      id: 'small',
      measure: async (at: unknown, { ports, ...rest }: Measuring) => {
        measured.push(at, rest, ports.dataset('adult'))
        return [{ panel: 'p', series: 's', value: 2 }]
      },
    },
  },
}))
vi.mock('../files/dataset-files.js', () => ({ datasetReader: (...given: unknown[]) => given }))
afterEach(() => vi.restoreAllMocks())

test('a cell is measured by its study, and takes what its process took of a processor, to a hundredth', async () => {
  const usage = vi.spyOn(process, 'cpuUsage').mockImplementation((before) => {
    return before === undefined ? { user: 1, system: 1 } : { user: 1_234_567, system: 2_000_000 }
  })
  const cell = { id: 'one', study: 'small', at: { n: 1 }, seed: 3, quick: true, effort: 1 }
  const places = { 'a.csv': '/there' }
  expect(await answerToCell({ cell, dataDir: 'd', places })).toMatchObject({
    kind: 'done',
    result: { measures: [{ panel: 'p', series: 's', value: 2 }], seconds: 3.23 },
  })
  expect(measured).toEqual([{ n: 1 }, { seed: 3, quick: true }, ['adult', 'd', places]])
  expect(usage.mock.calls).toEqual([[], [{ user: 1, system: 1 }]])
  expect(await answerToCell({ cell: { ...cell, study: 'smal' } })).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('did you mean "small"?'),
  })
})
