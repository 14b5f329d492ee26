import { describe, expect, test } from 'vitest'
import { questionWith } from '../../../test/audit-results.js'
import { calibrationText } from '../../report/calibration-text.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { memoryPorts } from '../memory-ports.js'
import { readScenario } from '../read-scenario.js'
import { type CalibrateEvent, calibrate } from './calibrate-audits.js'
import { falseAlarms, nullWorlds } from './null-worlds.js'
import { statedConfidence } from './stated-confidence.js'

const small: ScenarioInput = {
  name: 'small',
  repeats: 2,
  data: { name: 'cps-wages', params: { wage: 'log' }, rows: 120, auxiliary: 0.2 },
  partition: { name: 'iid', params: { clients: 3 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 3, batchSize: null, learningRate: 0.05 },
  knowledge: { targets: ['0'], sensitive: ['union'] },
  observers: ['eavesdropper'],
  attacks: ['last-returned', 'aia-model'],
}

const portsFor = () => {
  const made = new Map<string, ReturnType<typeof memoryPorts>>()
  return (name: string) => made.set(name, made.get(name) ?? memoryPorts()).get(name)!
}

describe('a calibration', () => {
  test('counts audits of empty worlds in turn, with how attacks did on plants beside', async () => {
    const run = calibrate(small, { ports: { portsFor: portsFor() }, audits: 2 })
    const events: CalibrateEvent[] = []
    for await (const event of run) events.push(event)
    const found = await run.result
    expect(events.map(({ number, total, world }) => [number, total, world])).toEqual([
      [1, 3, 'as-it-is'],
      [2, 3, 'noise'],
      [3, 3, 'others'],
    ])
    expect(found.nulls.map(({ world, seed }) => [world, seed])).toEqual([
      ['noise', 2],
      ['others', 3],
    ])
    const alarmed = found.nulls.filter(({ alarms }) => alarms.length > 0).length
    expect(found.falseAlarms).toMatchObject({ audits: alarmed, of: 2, alpha: 0.05 })
    expect(found.power.map(({ attack, power }) => [attack, power?.curve.length])).toEqual([
      ['last-returned', 3],
      ['aia-model', 3],
    ])
    expect(found.complete).toBe(true)
    expect(found.confidence.map(({ attack, name }) => [attack, name])).toEqual([['aia-model', 'union']])
    const text = calibrationText(found)
    expect(text).toContain('listed and wrong')
    expect(text).toContain(`${alarmed} of 2 audits in which nothing could be found`)
    expect(text).toContain('planted 0.98')
  })

  test('that is stopped says so, and tells what there is', async () => {
    const signal = { aborted: false, addEventListener() {}, removeEventListener() {} }
    const run = calibrate(small, { ports: { portsFor: portsFor() }, audits: 5, signal })
    for await (const { number } of run) if (number === 2) signal.aborted = true
    const found = await run.result
    expect(found).toMatchObject({ complete: false, falseAlarms: { of: found.nulls.length } })
    expect(found.nulls.length).toBeLessThan(5)
    expect(calibrationText(found)).toContain('the same call goes on')
  })

  test('needs records to compare with', async () => {
    const run = calibrate({ ...small, heldBack: 0 }, { ports: { portsFor: portsFor() } })
    await expect(run.result).rejects.toThrow('heldBack is 0; without held-back records nothing is tested')
  })
})

describe('a world in which nothing can be found', () => {
  const world = (id: string) => nullWorlds.find((one) => one.id === id)!
  const property = { ...small, knowledge: { targets: ['0'], property: 'inversion' } }

  test('is made only of a scenario that has what it takes away', () => {
    expect(nullWorlds).toHaveLength(6)
    expect(world('nobody').of(readScenario(small))).toBeUndefined()
    const guilty = { ...property, training: { ...small.training, misbehaving: { '1': { name: 'inversion' } } } }
    expect(world('nobody').of(readScenario(guilty))?.training.misbehaving).toEqual({})
    expect(world('drowned').of(readScenario(small))?.defences[0]).toMatchObject({ name: 'local-dp' })
  })

  test('counts alarms where it is empty, and only there', () => {
    const questions = [
      questionWith({ kind: 'attribute', target: '0', level: 'leaks-records' }),
      questionWith({ kind: 'members', target: '0', level: 'leaks-client' }),
      questionWith({ kind: 'property', target: null, level: 'leaks-client' }),
      questionWith({ kind: 'attribute', target: '0', level: 'inconclusive' }),
      questionWith({ kind: 'attribute', target: '0', level: 'leaks-records', sameAs: 'eavesdropper' }),
    ]
    const counted = (id: string) => falseAlarms(questions, world(id)).map((one) => questions.indexOf(one as never))
    expect(Object.fromEntries(nullWorlds.map(({ id }) => [id, counted(id)]))).toEqual({
      noise: [0],
      others: [0],
      nowhere: [0],
      redrawn: [0],
      nobody: [2],
      drowned: [0, 1, 2],
    })
  })
})

test('confidence is told of attacks that state one, once for observers who learn the same', () => {
  const confidence = {
    claims: 8,
    temperature: 2,
    error: [0.3, 0.1],
    bins: [[[7, 5, 8]], [[6, 5, 8]]],
    sure: [{ of: 4, wrong: 1 }, { of: 1, wrong: 0 }], // biome-ignore format: a list
    exposed: { of: 1, wrong: 0 },
  } as const
  const attacks = [{ attack: 'aia-model', params: {}, cells: {}, confidence }, { attack: 'other', params: {}, cells: {} }] // biome-ignore format: a list
  const question = questionWith({ name: 'union', attacks })
  const told = statedConfidence({ questions: [question, { ...question, sameAs: 'eavesdropper' }] })
  expect(told).toEqual([
    { attack: 'aia-model', model: question.model, client: question.target, name: 'union', ...confidence },
  ])
})
