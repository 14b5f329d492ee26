/** A search for advice as it is followed and kept, on what-ifs that are played. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AdviseOptions } from '../audit/advise/advise.js'
import type { AdviseEvent } from '../audit/advise/attempts.js'
import { running } from '../scenario/running.js'
import type { NodePortsOptions } from './node-ports.js'
import { type SearchOptions, searchAdvice } from './search-advice.js'

const played = vi.hoisted(() => ({ ports: [] as unknown[], options: [] as unknown[], fails: false }))
vi.mock('../audit/advise/advise.js', () => ({
  advise(_: unknown, options: AdviseOptions) {
    played.options.push(options)
    options.ports.portsFor('noise')
    return running<AdviseEvent, object>(async (emit) => {
      const tell = (event: object): void => emit(event as AdviseEvent)
      tell({ kind: 'refused', id: 'dropout' })
      tell({ kind: 'trying', number: 1, total: 3, id: 'noise' })
      tell({ kind: 'tried', number: 1, total: 3, tried: { id: 'noise', worst: { size: 0.25 } } })
      if (played.fails) throw new Error('no room')
      tell({ kind: 'tried', number: 3, total: 3, tried: { id: 'both', worst: null } })
      return { best: 'noise' }
    })
  },
}))
vi.mock('./node-ports.js', () => ({ nodePorts: (options: NodePortsOptions) => played.ports.push(options) }))

let folder = ''
const bar = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
const told = (): string[] => bar.mock.calls.map(([text]) => String(text).replace(/ \([\d.]+\/s[^)]*\)/, ''))
let clock: { mockRestore(): void }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-searched-'))
  played.ports.length = 0
  played.options.length = 0
  played.fails = false
  bar.mockClear()
  // A log has a line every five seconds.
  let time = 0
  clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 10_000))
})
afterEach(() => {
  clock.mockRestore()
  rmSync(folder, { recursive: true })
})
const search = (parts: Partial<SearchOptions> = {}) => {
  const signal = new AbortController().signal
  const own = { out: join(folder, 'out'), keptIn: join(folder, 'a', 'b'), around: { workers: 2 }, signal, quiet: false }
  return searchAdvice({ name: 'tiny' } as never, { ...own, ...parts })
}

test('each what-if is told of before and after, and what was found is kept for its owner alone', async () => {
  const { advice, file } = await search({ target: 0.2, budget: 60 })
  expect(told().map((line) => line.trim())).toEqual([
    'what-ifs 0/3 noise',
    expect.stringMatching(/^what-ifs 1\/3 noise: worst 0\.25/),
    expect.stringMatching(/^what-ifs 3\/3 both: worst /),
  ])
  expect(advice).toEqual({ best: 'noise' })
  expect(file).toBe(join(folder, 'a', 'b', 'advice.json'))
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(advice)
  expect([statSync(file), statSync(join(folder, 'a', 'b'))].map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700])
  expect(played.options).toMatchObject([{ target: 0.2, budget: 60 }])
  expect(played.ports).toEqual([{ workers: 2, out: join(folder, 'out', 'noise') }])
})

test('nothing is told where it is to be quiet, and a failure is thrown', async () => {
  await search({ quiet: true })
  expect(told()).toEqual([])
  played.fails = true
  await expect(search()).rejects.toThrow('no room')
})
