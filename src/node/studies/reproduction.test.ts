import { describe, expect, test } from 'vitest'
import type { Cell } from '../../studies/cells.js'
import type { Study } from '../../studies/study.js'
import type { Outcome } from '../../sweep/run-trials.js'
import type { CellCrew } from './cell-crew.js'
import type { CellLine, CellLog } from './cell-log.js'
import type { CellResult } from './cell-task.js'
import { type Planned, runCells, secondsLeft, whyNot } from './reproduction.js'
import { toldStudy } from './told-study.js'

const study = {
  ...{ id: 's', title: 'T', paper: 'lmra', where: 'Table 1', data: ['d'], unit: 'numbers', departs: [] },
  ...{ seconds: { quick: 8, full: 80 }, seeds: { quick: 1, full: 2 }, published: [], claims: [] },
  points: () => [{ at: 1, effort: 3 }, { at: 2, effort: 5 }], // biome-ignore format: a list
  measure: async () => [],
} as unknown as Study
const cell = (id: string, effort: number, seed = 1): Cell => ({ id, study: 's', at: { id }, seed, quick: true, effort })

function logWith(...known: readonly string[]) {
  const lines = new Map<string, Partial<CellLine>>(known.map((id) => [id, { id, seconds: 1, measures: [] }]))
  const log = {
    get size() {
      return lines.size
    },
    read: (id: string) => lines.get(id),
    add: async (line: CellLine) => void lines.set(line.id, line),
    close: async () => {},
  } as unknown as CellLog
  return { log, lines }
}
const done: Outcome<CellResult> = { kind: 'done', result: { measures: [], seconds: 2 }, seconds: 9, worker: 'w' }

interface Made {
  readonly size?: number
  readonly known?: readonly string[]
  readonly aborted?: boolean
  answer?(id: string, attempt: number, stop: () => void): Outcome<CellResult>
}

async function ran(planned: readonly Planned[], { size = 1, known = [], aborted = false, answer = () => done }: Made = {}) {
  const { log, lines } = logWith(...known)
  const begun: unknown[] = []
  const ends: [number, number][] = []
  const kept: string[] = []
  let closed = 0
  const tries = new Map<string, number>()
  const controller = new AbortController()
  if (aborted) controller.abort()
  const crew: CellCrew = {
    size,
    async run({ id }, about) {
      begun.push([id, about])
      tries.set(id, (tries.get(id) ?? 0) + 1)
      return answer(id, tries.get(id)!, () => controller.abort())
    },
    kept: async (id) => void kept.push(id),
    close: async () => void closed++,
  }
  const failures = await runCells(planned, { log, quick: true, signal: controller.signal, crew, onEnd: (...end) => void ends.push(end) }) // biome-ignore format: a line
  return { failures, begun, ends, kept, lines, closed: () => closed, controller }
} // biome-ignore format: lines

describe('cells of studies', () => {
  const cells = [cell('short', 1), cell('long', 9), cell('middle', 4)]

  test('are begun the longest first, and kept as they end', async () => {
    const { begun, ends, kept, lines, failures, closed, controller } = await ran([{ study, cells }])
    const about = { label: 's, seed 1', data: ['d'] }
    expect(begun).toEqual(['long', 'middle', 'short'].map((id) => [id, about]))
    expect(ends).toEqual([[1, 0], [2, 0], [3, 0]]) // biome-ignore format: a list
    expect(kept).toEqual(['long', 'middle', 'short'])
    expect(lines.get('long')).toEqual({ id: 'long', study: 's', at: { id: 'long' }, seed: 1, quick: true, measures: [], seconds: 2 }) // biome-ignore format: a line
    expect([failures, closed()]).toEqual([[], 1])
    // Who stops later stops nothing of it.
    controller.abort()
    expect(closed()).toBe(1)
  })

  test('are weighed by what their studies say they take', async () => {
    const slow = { ...study, id: 'slow', data: [], seconds: { quick: 800, full: 1 } } as Study
    const planned = [
      { study, cells: [cell('a', 9)] },
      { study: slow, cells: [cell('b', 1)] },
    ]
    expect((await ran(planned)).begun.map((one) => (one as string[])[0])).toEqual(['b', 'a'])
  })

  test('that are finished are not run again', async () => {
    const { begun, ends } = await ran([{ study, cells }], { known: ['long', 'short'] })
    expect(begun).toHaveLength(1)
    expect(ends).toEqual([[1, 0]])
  })

  test('are tried twice where a worker was lost, and once where they are refused', async () => {
    const { failures, begun, ends, lines } = await ran([{ study, cells }], {
      answer(id, attempt) {
        if (id === 'long') return attempt === 1 ? { kind: 'lost', reason: 'hung' } : done
        return { kind: id === 'middle' ? 'lost' : 'refused', reason: `${id}, ${attempt}` }
      },
    })
    expect(begun.map((one) => (one as string[])[0])).toEqual(['long', 'long', 'middle', 'middle', 'short'])
    expect(failures.map(({ cell: { id }, reason }) => [id, reason])).toEqual([['middle', 'middle, 2'], ['short', 'short, 1']]) // biome-ignore format: a line
    expect(ends).toEqual([[1, 0], [1, 1], [1, 2]]) // biome-ignore format: a list
    expect([...lines.keys()]).toEqual(['long'])
  })

  test('end where somebody stops them', async () => {
    const stopped = await ran([{ study, cells }], {
      answer(id, _, stop) {
        if (id === 'middle') stop()
        return done
      },
    })
    expect([...stopped.lines.keys()]).toEqual(['long', 'middle'])
    expect(stopped.closed()).toBe(2)
    const lost = await ran([{ study, cells }], { answer: () => ({ kind: 'stopped' }) })
    expect([lost.begun.length, lost.failures, lost.ends]).toEqual([1, [], []])
    expect((await ran([{ study, cells }], { aborted: true })).begun).toEqual([])
  })

  test('are in as many hands as the crew has, and no more than there are cells', async () => {
    expect((await ran([{ study, cells }], { size: 5 })).begun).toHaveLength(3)
    const two = await ran([{ study, cells }], { size: 2, answer: () => ({ kind: 'stopped' }) })
    expect(two.begun).toHaveLength(2)
  })

  test('that are left take their share of what the study takes', () => {
    // Of 8 seconds for an effort of 8, what is left is an effort of 5.
    const { log } = logWith('long')
    expect(secondsLeft([{ study, cells }], log, true)).toBe(5)
    expect(
      secondsLeft(
        [
          { study, cells },
          { study, cells: [] },
        ],
        logWith().log,
        true,
      ),
    ).toBe(14)
  })
})

test('a study cannot run without the files of its data', () => {
  expect(whyNot({ data: [] })).toBeUndefined()
  expect(whyNot({ data: ['cps-wages'] })).toBeUndefined()
  const { OVERHEAR_DATA, XDG_CACHE_HOME } = process.env
  const cwd = process.cwd
  try {
    Object.assign(process.env, { OVERHEAR_DATA: '', XDG_CACHE_HOME: '/nowhere/cache' })
    process.cwd = () => '/nowhere/here'
    expect(whyNot({ data: ['cps-wages', 'medical'] }, '/nowhere/data')).toMatch(
      /^the files of dataset "medical" are not in \/nowhere\/data, .*\/nowhere\/cache\/overhear.*; "overhear data medical" says where to get them$/,
    )
  } finally {
    process.cwd = cwd
    for (const [name, value] of Object.entries({ OVERHEAR_DATA, XDG_CACHE_HOME }))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
})

test('what is told of a study has nine digits, and what went wrong', () => {
  const cells = [cell('a', 1, 3), cell('b', 1, 3), cell('c', 1, 4)]
  const { log, lines } = logWith()
  lines.set('a', { id: 'a', seconds: 1.4, measures: [{ panel: 'p', series: 'x', x: 2, value: 1 / 3 }] })
  lines.set('c', { id: 'c', seconds: 1.2, measures: [{ panel: 'p', series: 'x', x: 2, value: 1 / 3 }, { panel: 'p', series: 'y', value: 7 }] }) // biome-ignore format: a line
  const other = { ...cell('z', 1), study: 'another' }
  const failures = [{ cell: cells[1]!, reason: 'it hung' }, { cell: other, reason: 'not ours' }] // biome-ignore format: a line
  const told = toldStudy({ study, cells }, { log, quick: true, failures, absent: undefined })
  expect(told.run).toMatchObject({ quick: true, seeds: [3, 4], cells: 2, planned: 3, seconds: 3 })
  expect(told.run.trouble).toEqual(['{"id":"b"}, seed 3: it hung'])
  expect(told.run.date).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(told.rows.map(({ series, x, ours }) => [series, x, ours.mean, ours.median, ours.n])).toEqual([
    ['x', 2, 0.333333333, 0.333333333, 2],
    ['y', undefined, 7, 7, 1],
  ])
  expect('x' in told.rows[1]!).toBe(false)
  const absent = toldStudy({ study, cells: [] }, { log, quick: false, failures, absent: 'no files' })
  expect(absent.run.trouble).toEqual(['no files', '{"id":"b"}, seed 3: it hung'])
})
