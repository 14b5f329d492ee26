import { describe, expect, test } from 'vitest'
import { disk, folderOf } from '../../test/simulated-disk.js'
import { inlinePool } from '../federation/pool.js'
import { functionsOf } from '../models/functions.js'
import { parametersOf } from '../models/index.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { openKnowledge } from '../transcript/knowledge-file.js'
import { openTranscript } from '../transcript/read-transcript.js'
import { openTruth } from '../transcript/truth-file.js'
import { readWorld, type ScenarioInput } from './scenario-schema.js'
import { labelOf, type SimulateModelOptions, simulateModel } from './simulate-model.js'

const scenario = (parts: Partial<ScenarioInput> = {}) =>
  readWorld({
    heldBack: 0,
    data: { name: 'toy-least-squares', params: { recordsPerClient: 30, numericColumns: 3 } },
    partition: { name: 'by-column' },
    models: [{ kind: 'linear' }],
    training: { rounds: 3, learningRate: 0.1 },
    ...parts,
  })

function options(): { files: Map<string, Uint8Array>; on: SimulateModelOptions } {
  const { store, files } = disk()
  return {
    files,
    on: {
      folder: (path) => (path === '' ? store : folderOf(store, path)),
      poolFor: (spec, population) => inlinePool(spec, { population }),
    },
  }
}

describe('a simulation', () => {
  test('counts the rounds that had no sum, whenever they were played', async () => {
    const { on } = options()
    const leaky = scenario({
      partition: { name: 'iid', params: { clients: 6 } },
      training: { rounds: 12, learningRate: 0.1, dropouts: 0.2 },
      defences: [{ name: 'secure-aggregation' }],
    })
    const { aborted, utility } = await simulateModel(leaky, 0, on)
    expect(aborted.rounds).toBeGreaterThan(0)
    expect(utility.withoutSum).toBe(aborted.rounds)
    const again = await simulateModel(leaky, 0, on) // nothing is left to play
    expect(again.aborted.rounds).toBe(0)
    expect(again.utility.withoutSum).toBe(utility.withoutSum)
  })

  test('writes the recording, the knowledge and the truth, and says what the model is worth', async () => {
    const { files, on } = options()
    const rounds: number[] = []
    const run = await simulateModel(scenario(), 0, { ...on, onRound: (done) => rounds.push(done) })
    expect(rounds).toEqual([1, 2, 3])
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['transcript/transcript.json', 'knowledge.json', 'truth/truth.json']),
    )
    expect(run).toMatchObject({ name: 'linear', targets: ['0'], utility: { model: 'linear', rounds: 3, metric: 'R2' } })
    const { theta } = run.checkpoint
    const [heldOut, trained] = [run.world.validation, run.world.clients.flatMap(({ rows: own }) => [...own])].map(
      (own) => {
        const { features, labels } = run.world.encode(own).records
        const { rows, cols } = features
        const errors = Array.from(labels, (y, i) => {
          let predicted = theta[cols]!
          for (let j = 0; j < cols; j++) predicted += theta[j]! * features.data[i * cols + j]!
          return y - predicted
        })
        const mean = labels.reduce((sum, y) => sum + y / rows, 0)
        const squares = (of: ArrayLike<number>) => Array.from(of).reduce((sum, x) => sum + (x * x) / rows, 0)
        return { loss: squares(errors), r2: 1 - squares(errors) / squares(labels.map((y) => y - mean)) }
      },
    )
    expect(run.utility.heldOutLoss).toBeCloseTo(heldOut!.loss, 5)
    expect(run.utility.trainLoss).toBeCloseTo(trained!.loss, 5)
    expect(run.utility).not.toHaveProperty('withoutSum')
    expect(run.utility.value).toBeCloseTo(heldOut!.r2, 5)
    expect((await openKnowledge(on.folder(''))).target).toBe('0')
    expect(await (await openTruth(on.folder('truth'))).optimum('0')).toHaveLength(5)
  })

  test('without rows kept back has no held-out score', async () => {
    const data = { ...scenario().data, validation: 0 }
    const { utility } = await simulateModel(scenario({ data }), 0, options().on)
    expect(utility).toMatchObject({ heldOutLoss: null, metric: null, value: null })
  })

  test('tells the grader who misbehaves, by what they do', async () => {
    const { on } = options()
    const training = { rounds: 1, misbehaving: { '1': { name: 'inversion' } } }
    await simulateModel(scenario({ training }), 0, on)
    const truth = await openTruth(on.folder('truth'))
    const told = ['inversion', 'ascent', 'free-rider', 'membership'].map((name) => truth.property(name))
    expect(told).toEqual([['1'], [], [], undefined])
  })

  test('tells the grader who holds the record that is asked about', async () => {
    const { on } = options()
    await simulateModel(scenario({ knowledge: { property: 'membership', holders: ['1'] } }), 0, on)
    expect((await openTruth(on.folder('truth'))).property('membership')).toEqual(['0', '1'])
  })

  test('tells the grader which records made an update, where they are not all', async () => {
    const { on } = options()
    const training = { rounds: 2, learningRate: 0.5, localSteps: 1, batchSize: 4, precision: 'f64' as const }
    const { choice } = await simulateModel(scenario({ training }), 0, on)
    const truth = await openTruth(on.folder('truth'))
    const transcript = await openTranscript(on.folder('transcript'), { parametersOf })
    const own = (await truth.client('0'))!
    for (const round of [0, 1]) {
      const rows = truth.batch({ round, client: '0' })!
      expect(rows).toHaveLength(4)
      const { global, clients } = await transcript.readRound(round)
      const picked = matrix(4, own.features.cols)
      rows.forEach((row, i) => {
        picked.data.set(own.features.data.subarray(row * picked.cols, (row + 1) * picked.cols), i * picked.cols)
      })
      const labels = Float64Array.from(rows, (row) => own.labels![row]!)
      const { grad } = functionsOf(choice.model, { loss: 'mse' }).gradient(global!, { features: picked, labels })
      const returned = clients.get('0')!
      if (returned.kind !== 'parameters') throw new Error(returned.kind)
      returned.theta.forEach((x, j) => {
        expect(x).toBeCloseTo(global![j]! - 0.5 * grad[j]!, 12)
      })
    }
    const whole = options().on
    await simulateModel(scenario({ training: { rounds: 1 } }), 0, whole)
    expect((await openTruth(whole.folder('truth'))).batch({ round: 0, client: '0' })).toBeUndefined()
  })

  test.each([
    [{ knowledge: { targets: ['9'] } }, 'knowledge.targets holds "9"'],
    [{ knowledge: { sensitive: ['coyn'] } }, 'knowledge.sensitive holds "coyn"; sensitive in toy-least-squares: coin'],
    [{ models: [{ kind: 'softmax' as const }] }, 'model softmax on dataset "toy-least-squares", which has no classes'],
  ])('with %j is refused before anything is trained', async (parts, message) => {
    const { files, on } = options()
    const untouched = {
      poolFor: () => {
        throw new Error('training began')
      },
    }
    await expect(simulateModel(scenario(parts), 0, { ...on, ...untouched })).rejects.toThrow(message)
    expect([...files.keys()].filter((path) => path.startsWith('transcript'))).toEqual([])
  })
})

test("one label of somebody's own has a unit, if it was scaled", () => {
  const rule = { outputs: [{ scale: 2, shift: 3, more: 1 }] }
  const of = (labelScaled: boolean | undefined, rules: object[]) =>
    labelOf({ source: { labelScaled }, fitted: { label: { rules } } } as never)
  expect(of(true, [rule])).toEqual({ scale: 2, shift: 3 })
  expect([of(undefined, [rule]), of(false, [rule]), of(true, []), of(true, [rule, rule])]).toEqual(
    Array(4).fill(undefined),
  )
})
