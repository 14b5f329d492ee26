import { afterAll, beforeAll, expect, test } from 'vitest'
import { functionsOf } from '../models/functions.js'
import { createModel, type ModelSpec, models, recordedModel } from '../models/index.js'
import { initialise } from '../models/initialise.js'
import { defineModel } from '../models/model-entry.js'
import * as t from '../numeric/engine/trace.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { choice, number } from '../params.js'
import { add, removeFrom } from '../registry.js'
import type { ScenarioInput } from '../scenario/scenario-schema.js'
import { audit } from './audit.js'
import { catalogue } from './catalogue.js'
import { memoryPorts } from './memory-ports.js'
import { readScenario } from './read-scenario.js'

/** Somebody's own model: w . x + size tanh(v . x), one output a label. */
const wavy = defineModel({
  id: 'wavy',
  title: 'a line with a wave on it',
  params: {
    size: number({ default: 1, min: 0, doc: 'how high the wave is' }),
    wave: choice({ default: 'tanh', choices: ['tanh', 'sigmoid'], doc: 'its form' }),
  },
  takes: { inputs: 'count', outputs: 'count' },
  sizes: ({ inputs, classes, labels }) =>
    classes === undefined ? { inputs, outputs: labels } : { refused: 'which has classes', hint: 'take softmax' },
  create({ inputs, outputs, size, wave }) {
    const weight = (name: string) =>
      ({ name, shape: [outputs, inputs], fanIn: inputs, fanOut: outputs, role: 'weight' }) as const
    return {
      kind: 'wavy',
      inputs,
      outputs,
      outputActivation: 'identity',
      defaultLoss: 'mse',
      penultimate: 'signed',
      parameters: [weight('v'), weight('w')],
      trace(theta, X) {
        const part = (at: number) => t.slice(theta, at * inputs * outputs, { rows: outputs, cols: inputs })
        const bent = (wave === 'tanh' ? t.tanh : t.sigmoid)(t.matmul(X, part(0), 'nt'))
        const z = t.add(t.matmul(X, part(1), 'nt'), t.scale(bent, size))
        return { penultimate: X, logit: z, output: z }
      },
    }
  },
  shortName: ({ wave }) => `wavy-${wave}`,
})

beforeAll(() => add(models, wavy, 'a plug-in'))
afterAll(() => removeFrom('a plug-in'))

const attacks = ['last-returned', 'lmra-data', 'aia-model', 'aia-gradient', 'aia-linear', 'lmra-active-echo']
const scenario: ScenarioInput = {
  name: 'wavy',
  heldBack: 0,
  data: { name: 'cps-wages', rows: 60 },
  partition: { name: 'iid', params: { clients: 3 } },
  models: [{ kind: 'wavy', size: 0.5, learningRate: 0.02 }],
  training: { rounds: 6, batchSize: null },
  attacks,
  controls: false,
}

test('is listed, checked and made like any other', () => {
  expect(catalogue.models().find(({ id }) => id === 'wavy')?.params).toBe(wavy.params)
  expect(readScenario(scenario).models).toEqual([{ kind: 'wavy', size: 0.5, learningRate: 0.02 }])
  const wrong = (model: object) => () => readScenario({ ...scenario, models: [model] })
  expect(wrong({ kind: 'wavvy' })).toThrow('unknown model of models[0]: "wavvy" (did you mean "wavy"?)')
  expect(wrong({ kind: 'wavy', size: -1 })).toThrow('models[0] (wavy): size is -1; a number from 0 is needed')
  expect(wrong({ kind: 'wavy', hidden: [3] })).toThrow('option of models[0], which is wavy: "hidden"')
  const model = createModel({ kind: 'wavy', inputs: 2, outputs: 1, size: 3 } as unknown as ModelSpec)
  const theta = Float64Array.of(0.5, -1, 2, 3)
  const predicted = functionsOf(model).predict(theta, matrix(1, 2, Float64Array.of(1, 2))).data[0]
  expect(predicted).toBeCloseTo(8 + 3 * Math.tanh(-1.5), 14)
  expect(recordedModel({ kind: 'wavy', inputs: 2, outputs: 1, comment: 7 }).parameters).toHaveLength(2)
  expect(initialise(model, rng(1))).toHaveLength(4)
})

test('is trained, recorded and attacked in a scenario', async () => {
  const files = new Map<string, Uint8Array>()
  const work = audit(scenario, { ports: memoryPorts({ files }) })
  for await (const _ of work);
  const document = await work.result
  const path = [...files.keys()].find((one) => one.endsWith('transcript/transcript.json'))!
  const { model } = JSON.parse(new TextDecoder().decode(files.get(path)))
  expect(model).toMatchObject({ kind: 'wavy', size: 0.5, outputs: 1 })
  expect(Object.keys(document.utility)).toEqual(['wavy-tanh'])
  const results = document.observers.flatMap(({ attacks }) => attacks)
  expect(results.filter(({ status }) => status === 'failed')).toEqual([])
  const claimed = new Set(results.filter(({ status }) => status === 'claimed').map(({ attack }) => attack))
  expect([...claimed].sort()).toEqual([...attacks].sort())
}, 60_000)

test('on data that it does not fit is refused with the reason', async () => {
  const work = audit({ ...scenario, data: { name: 'tiny-images' } }, { ports: memoryPorts({ files: new Map() }) })
  await expect(
    (async () => {
      for await (const _ of work);
    })(),
  ).rejects.toThrow('which has classes; take softmax')
})
