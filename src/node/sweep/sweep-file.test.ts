import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { AuditPorts } from '../../audit/ports.js'
import { kernelHash } from '../../numeric/engine/kernel-bytes.js'
import { version } from '../version.js'
import { loadSweep, type SweepFileOptions } from './sweep-file.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-sweep-file-'))
afterAll(() => rmSync(folder, { recursive: true }))
const scenario = {
  name: 'tiny',
  seed: 7,
  data: { name: 'toy-least-squares' },
  models: [{ kind: 'linear' }],
  training: { rounds: 4 },
  secondsPerAttack: null,
}
const base = { name: 'small', scenario, axes: { 'training.rounds': [3, 5] } }
const load = (file: object, options: Partial<SweepFileOptions> = {}) => {
  const path = join(folder, 'sweep.yaml')
  writeFileSync(path, JSON.stringify(file))
  return loadSweep(path, { ports: {} as AuditPorts, quiet: true, ...options })
}

describe('the file of a sweep', () => {
  test('is read with its scenario, axes and seeds', async () => {
    const { plan, axes, scenarioOf } = await load({ ...base, seeds: 3 })
    expect(axes).toEqual(['training.rounds'])
    expect(plan).toMatchObject({
      name: 'small',
      seeds: [7, 8, 9],
      versions: { overhear: version, kernels: kernelHash },
    })
    expect(plan).not.toHaveProperty('score')
    expect(plan.source.total).toBe(2)
    const [point] = plan.source.next()!
    const trial = { id: 'x', number: 0, seed: 9, effort: 1, point: point! }
    expect(scenarioOf(trial)).toMatchObject({ name: 'tiny', seed: 9, training: { rounds: 3 } })
  })

  test('gives way to seeds from outside', async () => {
    expect((await load({ ...base, seeds: 3 }, { seed: 0, seeds: 2 })).plan.seeds).toEqual([0, 1])
    expect((await load(base, { seeds: 2 })).plan.seeds).toEqual([7, 8])
  })

  test('may name a scenario beside it, and attacks and observers of its own', async () => {
    writeFileSync(join(folder, 'tiny.yaml'), JSON.stringify(scenario))
    const { plan } = await load({ ...base, scenario: 'tiny.yaml', attacks: ['last-returned'], observers: ['server'] })
    expect(plan.base).toMatchObject({ name: 'tiny', observers: ['server'] })
    expect(plan.base.attacks).toHaveLength(1)
  })

  test('has a score where it searches by one', async () => {
    const search = { method: 'tpe', points: 4, score: 'attribute.record' }
    const axes = { 'training.learningRate': { from: 0.01, to: 0.1 } }
    expect((await load({ ...base, axes, search })).plan.score).toBeTypeOf('function')
    const { score: _, ...blind } = search
    await expect(load({ ...base, axes, search: blind })).rejects.toThrow(
      'search.score is missing, and tpe needs one; say what it looks at, such as attribute.record or utility.value',
    )
    expect((await load({ ...base, axes, search: { ...blind, method: 'random' } })).plan).not.toHaveProperty('score')
    await expect(load({ ...base, axes, search: { ...search, score: 'attribut.record' } })).rejects.toThrow('attribut')
  })

  test('has a scenario whose findings depend on no clock', async () => {
    await expect(load({ ...base, scenario: { ...scenario, secondsPerAttack: 5 } })).rejects.toThrow(
      'its scenario has secondsPerAttack 5; set it to null, and give secondsPerTrial',
    )
  })

  test('is refused where a value of an axis is wrong, the last of many too, and both ends of a range', async () => {
    const wrong = (values: unknown) => load({ ...base, axes: { 'training.rounds': values } })
    await expect(wrong([3, -1])).rejects.toThrow('axes.training.rounds, -1')
    await expect(wrong([...Array.from({ length: 30 }, (_, i) => i + 1), 0.5])).rejects.toThrow(
      'axes.training.rounds, 0.5',
    )
    const search = { method: 'random', points: 4 }
    const range = (from: number, to: number) =>
      load({ ...base, search, axes: { 'training.learningRate': { from, to } } })
    await expect(range(-1, 0.1)).rejects.toThrow('axes.training.learningRate, -1')
    await range(0.01, 0.1)
  })
})
