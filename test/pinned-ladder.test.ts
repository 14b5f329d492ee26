import { audit } from '../src/audit/audit.js'
import { memoryPorts } from '../src/audit/memory-ports.js'
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'
import { pinResults } from './pinned-results.js'

/** Everything that is asked about a small world, in every training: rungs, tests, words and people. */
async function questionsOf(scenario: ScenarioInput, repeats: number) {
  const { questions, verdict } = await audit(scenario, { ports: memoryPorts(), repeats }).result
  return { questions, verdict }
}

/** The same about the recording that a simulation leaves. */
async function recordingOf(scenario: ScenarioInput) {
  const files = new Map<string, Uint8Array>()
  await audit(scenario, { ports: memoryPorts({ files }), repeats: 1 }).result
  const folder = [...files.keys()][0]!.split('/')[0]!
  const paths = { transcript: `${folder}/transcript`, knowledge: `${folder}/knowledge.json`, truth: `${folder}/truth` }
  const { questions } = await audit(paths, { ports: memoryPorts({ files }), observers: ['eavesdropper'] }).result
  return questions
}

const people: ScenarioInput = {
  name: 'people',
  data: { name: 'cps-wages', rows: 96, params: { wage: 'log' }, auxiliary: 0.2 },
  partition: { name: 'iid', params: { clients: 4 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 6, learningRate: 0.05, batchSize: 5, localEpochs: 2 },
  knowledge: { sensitive: ['union'] },
  observers: ['eavesdropper', 'server'],
  controls: false,
}
const pictures: ScenarioInput = {
  name: 'pictures',
  data: { name: 'tiny-images', params: { records: 120, classes: 3, side: 3 }, auxiliary: 0.3 },
  partition: { name: 'iid', params: { clients: 4 } },
  models: [{ kind: 'softmax' }],
  training: { rounds: 3, learningRate: 0.1, localSteps: 1, batchSize: 4 },
  observers: ['eavesdropper'],
  controls: false,
}
const crowd: ScenarioInput = {
  ...pictures,
  name: 'crowd',
  partition: { name: 'iid', params: { clients: 6 } },
  models: [{ kind: 'mlp', hidden: [3], learningRate: 0.1 }],
  training: {
    rounds: 8,
    batchSize: 4,
    sampling: { name: 'fraction', params: { fraction: 0.5 } },
    misbehaving: { 1: { name: 'inversion' }, 4: { name: 'inversion' } },
  },
  knowledge: { property: 'inversion' },
  observers: ['secagg-server'],
}
const few = { pairs: 8, curve: 3 }

pinResults('ladder', {
  'each record and the model': [
    () => questionsOf({ ...people, attacks: ['last-returned', 'aia-model', 'lmra-label', 'membership-loss'] }, 3),
    () => questionsOf({ ...people, seed: 2, attacks: ['aia-model', 'membership-loss'] }, 1),
  ],
  'lists of records': [
    () => questionsOf({ ...people, attacks: ['aia-linear', 'aia-model'] }, 2),
    () => questionsOf({ ...people, seed: 3, attacks: ['aia-linear'] }, 1),
  ],
  'what a batch holds': [
    () => questionsOf({ ...people, attacks: ['label-mean', 'metaclass-means', 'metaclass-counts'] }, 2),
    () => questionsOf({ ...pictures, attacks: ['llg', 'ilrg', 'llg-plus'] }, 2),
  ],
  'who is guilty': [
    () => questionsOf({ ...crowd, attacks: [{ id: 'property-ols', params: few }] }, 2),
    () =>
      questionsOf(
        {
          ...crowd,
          partition: { name: 'iid', params: { clients: 14 } },
          data: { name: 'tiny-images', params: { records: 160, classes: 3, side: 3 }, auxiliary: 0.3 },
          training: {
            ...crowd.training,
            misbehaving: Object.fromEntries([1, 2, 5, 8, 11].map((id) => [id, { name: 'inversion' }])),
          },
          attacks: [{ id: 'property-ols', params: few }],
        },
        1,
      ),
  ],
  'who helps how much': [
    () => questionsOf({ ...crowd, contribution: true, attacks: [{ id: 'contribution', params: few }] }, 1),
  ],
  'a recording': [() => recordingOf({ ...people, attacks: ['aia-model', 'last-returned', 'membership-loss'] })],
  'nobody held back': [() => questionsOf({ ...people, heldBack: 0, attacks: ['aia-model', 'last-returned'] }, 1)],
})
