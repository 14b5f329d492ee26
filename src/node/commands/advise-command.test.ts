import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Scenario } from '../../scenario/scenario-schema.js'
import type { LoadOptions } from '../files/scenario-file.js'
import type { SearchOptions } from '../search-advice.js'
import { runAdvise } from './advise-command.js'

const searched = vi.hoisted(() => [] as { scenario: unknown; options: unknown }[])
const loaded = vi.hoisted(() => [] as LoadOptions[])
const during = vi.hoisted(() => ({ run: (): void => {} }))
const printed = vi.hoisted((): string[] => [])
vi.mock('../search-advice.js', async (actual) => ({
  ...(await actual<typeof import('../search-advice.js')>()),
  async searchAdvice(scenario: Scenario, options: SearchOptions) {
    searched.push({ scenario, options })
    during.run()
    return { advice: { best: 'noise' }, file: 'kept/advice.json' }
  },
}))
vi.mock('../files/scenario-file.js', async (actual) => {
  const { loadScenario, ...rest } = await actual<typeof import('../files/scenario-file.js')>()
  return {
    ...rest,
    loadScenario(path: string, options: LoadOptions) {
      loaded.push(options)
      return loadScenario(path, options)
    },
  }
})
vi.mock('../../report/advice-text.js', () => ({ adviceText: ({ best }: { best: string }) => `take ${best}` }))
vi.mock('../print.js', () => ({
  print: async (text: string) => printed.push(text),
  printJson: async (value: unknown) => printed.push(JSON.stringify(value)),
}))

const folder = mkdtempSync(join(tmpdir(), 'overhear-advise-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'tiny.yaml')
const tiny = { name: 'tiny', seed: 7, data: { name: 'toy-least-squares' }, models: [{ kind: 'linear' }] }
writeFileSync(file, JSON.stringify(tiny))
const run = join(folder, 'run')
mkdirSync(run)
writeFileSync(join(run, 'scenario.json'), JSON.stringify(tiny))

beforeEach(() => {
  for (const list of [searched, loaded, printed]) list.length = 0
  during.run = () => {}
})

describe('advise', () => {
  test('searches a folder named after the scenario, says what it does, and where it kept what it found', async () => {
    expect(await runAdvise([file])).toBe(0)
    const out = join('runs', 'advise-tiny-7')
    expect(searched).toMatchObject([{ scenario: { name: 'tiny', seed: 7 }, options: { out, keptIn: out, around: {} } }])
    expect(searched[0]!.options).toMatchObject({ quiet: false })
    expect(Object.keys(searched[0]!.options as object).sort()).toEqual(['around', 'keptIn', 'out', 'quiet', 'signal'])
    expect(loaded).toMatchObject([{ quiet: false, plugins: [], set: {} }])
    expect(printed).toEqual([
      'take noise\nkept: kept/advice.json; overhear report RUN --advice kept/advice.json shows it',
    ])
  })

  test('of a run takes the scenario from there, and keeps beside it what it found', async () => {
    expect(await runAdvise([run])).toBe(0)
    const [{ scenario, options }] = searched as [(typeof searched)[number]]
    expect(scenario).toMatchObject({ name: 'tiny' })
    expect(options).toMatchObject({ out: join(run, 'advise'), keptIn: run })
    expect(printed).toEqual([`take noise\nkept: kept/advice.json; overhear report ${run} shows it`])
    await runAdvise([run, '--out', 'elsewhere'])
    expect(searched[1]!.options).toMatchObject({ out: 'elsewhere', keptIn: run })
  })

  test('takes what its flags say', async () => {
    const flags = ['--target', '0.2', '--budget', '2m', '--seed', '0', '--workers', '3', '--data-dir', 'd', '--quiet']
    await runAdvise([file, ...flags, '--json', '--out', 'here', '--set', 'training.rounds=3'])
    expect(searched[0]).toMatchObject({
      scenario: { seed: 0, training: { rounds: 3 } },
      options: { target: 0.2, budget: 120, quiet: true, out: 'here', keptIn: 'here', around: { dataDir: 'd', workers: 3 } },
    }) // biome-ignore format: a table
    expect(loaded).toMatchObject([{ quiet: true }])
    expect(printed).toEqual(['{"best":"noise"}'])
  })

  test('that is interrupted says so by its exit code', async () => {
    during.run = () => process.listeners('SIGINT').at(-1)!('SIGINT')
    expect(await runAdvise([file])).toBe(130)
    expect(printed).toHaveLength(1)
  })

  test.each(['', ' ', '0', '1', '-0.1', 'x', 'NaN'])('takes no target of "%s"', async (text) => {
    await expect(runAdvise([file, `--target=${text}`])).rejects.toThrow(
      `--target is "${text}"; a number between 0 and 1 is needed, such as 0.05`,
    )
    expect(searched).toEqual([])
  })
})
