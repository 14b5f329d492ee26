import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CalibrateEvent, CalibrateOptions } from '../../audit/calibrate/calibrate-audits.js'
import { running } from '../../scenario/running.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import type { NodePortsOptions } from '../node-ports.js'
import { runCalibrate } from './calibrate-command.js'

const asked = vi.hoisted(() => ({ scenarios: [] as unknown[], options: [] as unknown[], ports: [] as unknown[] }))
const during = vi.hoisted(() => ({ run: (): void => {} }))
const printed = vi.hoisted((): string[] => [])
vi.mock('../../audit/calibrate/calibrate-audits.js', () => ({
  usualAudits: 12,
  calibrate(scenario: Scenario, options: CalibrateOptions) {
    asked.scenarios.push(scenario)
    asked.options.push(options)
    options.ports.portsFor('shuffled-1')
    return running<CalibrateEvent, object>(async (emit) => {
      during.run()
      emit({ kind: 'audited', number: 1, total: 3, world: 'shuffled', alarms: 0 })
      emit({ kind: 'audited', number: 2, total: 3, world: 'replaced', alarms: 1 })
      emit({ kind: 'audited', number: 3, total: 3, world: 'replaced', alarms: 2 })
      emit({ kind: 'audited', number: 13, total: 13, world: 'planted', alarms: null })
      return { found: 'something' }
    })
  },
}))
vi.mock('../../report/calibration-text.js', () => ({ calibrationText: ({ found }: { found: string }) => `in words: ${found}` })) // biome-ignore format: a line
vi.mock('../node-ports.js', async (actual) => ({
  ...(await actual<typeof import('../node-ports.js')>()),
  nodePorts: (options: NodePortsOptions) => asked.ports.push(options),
}))
vi.mock('../print.js', () => ({
  print: async (text: string) => printed.push(text),
  printJson: async (value: unknown) => printed.push(JSON.stringify(value)),
}))

const folder = mkdtempSync(join(tmpdir(), 'overhear-calibrate-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'tiny.yaml')
writeFileSync(file, 'name: tiny\nseed: 7\ndata: { name: toy-least-squares }\nmodels: [{ kind: linear }]\n')

/** A log, whose lines come when they are the last or when some seconds have gone by. */
const bar = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
beforeEach(() => {
  bar.mockClear()
  vi.spyOn(performance, 'now').mockImplementation(() => 10_000 * (bar.mock.calls.length + 1))
  for (const list of [printed, asked.scenarios, asked.options, asked.ports]) list.length = 0
  during.run = () => {}
})
const told = (): string[] => bar.mock.calls.map(([text]) => String(text).replace(/ \([^)]*\)/, ''))

describe('calibrate', () => {
  test('tells of each audit by its number, world and alarms, and prints what was found in words', async () => {
    expect(await runCalibrate([file])).toBe(0)
    expect(told()).toEqual([
      'audits 1/13 shuffled: no alarm\n',
      'audits 2/13 replaced: 1 alarm\n',
      'audits 3/13 replaced: 2 alarms\n',
      'audits 13/13 the scenario as it is, with leaks planted in it\n',
    ])
    expect(printed).toEqual(['in words: something'])
    expect(asked.scenarios).toMatchObject([{ name: 'tiny', seed: 7 }])
    expect(asked.options[0]).not.toHaveProperty('audits')
    expect(asked.ports).toEqual([{}, { out: join('runs', 'calibrate-tiny-7', 'shuffled-1') }])
  })

  test('takes what its flags say in place of the usual, and is silent where it is asked to be', async () => {
    const flags = ['--audits', '3', '--seed', '0', '--out', folder, '--workers', '2', '--data-dir', 'd']
    expect(await runCalibrate([file, ...flags, '--quiet', '--json', '--set', 'training.rounds=3'])).toBe(0)
    expect(told()).toEqual([])
    expect(printed).toEqual(['{"found":"something"}'])
    expect(asked.scenarios).toMatchObject([{ name: 'tiny', seed: 0, training: { rounds: 3 } }])
    expect(asked.options).toMatchObject([{ audits: 3 }])
    const around = { dataDir: 'd', workers: 2 }
    expect(asked.ports).toEqual([around, { ...around, out: join(folder, 'shuffled-1') }])
    bar.mockClear()
    await runCalibrate([file, ...flags])
    expect(told()[0]).toBe('audits 1/4 shuffled: no alarm\n')
  })

  test('that is interrupted prints what there is, and says so by its exit code', async () => {
    during.run = () => process.listeners('SIGINT').at(-1)!('SIGINT')
    expect(await runCalibrate([file, '--quiet'])).toBe(130)
    expect((asked.options[0] as CalibrateOptions).signal?.aborted).toBe(true)
    expect(printed).toHaveLength(1)
  })

  test('refuses to count no audits', async () => {
    await expect(runCalibrate([file, '--audits', '0'])).rejects.toThrow('--audits is "0"')
    expect(asked.scenarios).toEqual([])
  })
})
