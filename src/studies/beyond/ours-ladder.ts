/** Ours: what the papers' headline figures are leaks of (records, the client, or nothing that was not known anyway). */
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { type Spot, together } from '../claims.js'
import { ladderOf } from '../ladder-rungs.js'
import { prolinScenario } from '../prolin/prolin-world.js'
import { defineStudy } from '../study.js'

type World = Omit<ScenarioInput, 'name' | 'seed' | 'repeats'>

interface Setting {
  readonly title: string
  readonly world: World
  /** What --quick changes. */
  readonly small?: Partial<World>
  readonly effort: number
}

const heard: Pick<World, 'attacks' | 'observers' | 'models'> = {
  models: [{ kind: 'mlp', hidden: [128] }],
  attacks: ['last-returned', 'aia-model'],
  observers: ['eavesdropper'],
}

const income = {
  name: 'acs-income',
  params: { part: 'louisiana' },
  rows: 6000,
  validation: 0.1,
  auxiliary: 0.1,
} as const

// Half of the target's records are held back here, as usual.
const {
  heldBack: _,
  seed: __,
  ...members
} = prolinScenario({ dataset: 'fashion-mnist', property: 'membership', size: 25, rounds: 60, seed: 1 })

const settings = {
  leaf: {
    title: '[lmra] Table 1, LEAF',
    effort: 2,
    world: {
      data: { name: 'leaf-synthetic', auxiliary: 0 },
      partition: { name: 'by-column' },
      models: [{ kind: 'softmax' }],
      training: { rounds: 100, localEpochs: 1, batchSize: null, learningRate: 0.1 },
      knowledge: { targets: ['0'], candidates: 40 },
      attacks: ['last-returned', 'membership-loss'],
      observers: ['eavesdropper'],
    },
  },
  medical: {
    title: '[aia] Table 1, Medical',
    effort: 4,
    world: {
      ...heard,
      data: { name: 'medical', params: { encoding: 'network' }, validation: 0.1, auxiliary: 0.1 },
      partition: { name: 'iid', params: { clients: 2 } },
      training: { rounds: 100, localEpochs: 1, batchSize: 32, learningRate: 2e-6 },
      knowledge: { targets: ['0'], sensitive: ['smoker', 'sex'] },
    },
  },
  income: {
    title: '[aia] Table 1, Income-L by the survey of 2024',
    effort: 10,
    world: {
      ...heard,
      data: income,
      partition: { name: 'heterogeneous', params: { clients: 4, heterogeneity: 0.4 } },
      training: { rounds: 40, localEpochs: 1, batchSize: 32, learningRate: 5e-7 },
      knowledge: { targets: ['0'], sensitive: ['SEX'] },
    },
    small: { data: { ...income, rows: 1000 } },
  },
  salary: {
    title: '[labels] Figs. 6.4 and 6.6, Salary, 40 records',
    effort: 6,
    world: {
      data: { name: 'salary', params: { duplicates: 'drop', scale: 'standardise' }, auxiliary: 0.28 },
      partition: { name: 'iid', params: { clients: 20 } },
      models: [{ kind: 'mlp', hidden: [48, 24] }],
      training: { localEpochs: null, localSteps: 1, rounds: 5, batchSize: 40, learningRate: 1e-3 },
      knowledge: { targets: ['0'] },
      attacks: ['label-mean', 'metaclass-means', 'metaclass-counts'],
      observers: ['server'],
    },
  },
  members: {
    title: '[prolin] Fig. 3, Fashion-MNIST, which clients hold a record',
    effort: 17,
    world: {
      ...members,
      attacks: [{ id: 'property-reg', params: { pairs: 200, rounds: 60 } }],
      observers: ['secagg-server'],
    },
    small: {
      training: { ...members.training, rounds: 20 },
      attacks: [{ id: 'property-reg', params: { pairs: 20, rounds: 20 } }],
    },
  },
} as const satisfies Record<string, Setting>

type Name = keyof typeof settings
const panelOf = (name: Name, about: string): string => `${settings[name].title}: ${about}`
const rungs = (name: Name, about: string): Spot[] =>
  (['federation', 'client', 'record'] as const).map((rung) => [panelOf(name, about), rung] as const)

export const oursLadder = defineStudy({
  id: 'ours-ladder',
  title:
    "What the papers' figures are leaks of, on the ladder (LEAF, Medical, Income-L by the survey of 2024, Salary, Fashion-MNIST)",
  paper: 'aia',
  where: 'beyond the headline figures of all four papers',
  data: ['medical', 'acs-income', 'salary', 'fashion-mnist'],
  unit: 'what stands in brackets; guess: nothing heard; federation: one without the client; client: of its held-back records; record: of those it trained on',
  seconds: { quick: 50, full: 3000 },
  seeds: { quick: 1, full: 3 },
  points: () => (Object.keys(settings) as Name[]).map((name) => ({ at: { name }, effort: settings[name].effort })),
  async measure({ name }: { readonly name: Name }, { seed, quick, ports }) {
    const { world, small }: Setting = settings[name]
    const own = { ...world, ...(quick && small), name: `ours-ladder-${name}`, seed, repeats: quick ? 4 : 10 }
    const ladder = await ladderOf({ ...own, controls: false }, ports)
    return ladder.rungs.map(({ about, rung, value }) => ({ panel: panelOf(name, about), series: rung, value }))
  },
  published: [],
  departs: [
    'The papers grade what was trained on alone. Here half of the records of the target are held back, and trainings without it are run beside those with it.',
    'Of Louisiana 6,000 people in four clients, 40 rounds: the messages of all trainings are in memory at once. Salary is without its copies, standardised, dealt to 20 clients, each with one step on 40 records; detectors of Fashion-MNIST have 200 pairs (the paper: 6,000) and 60 rounds.',
    '--quick: 4 trainings in place of 10, one seed; 1,000 people of Louisiana; Fashion-MNIST with 20 pairs and 20 rounds, which is too few to find members.',
  ],
  claims: [
    {
      text: 'who smokes is known anyway: a federation that the client never joined tells it as well (AUC within 0.02)',
      holds: together(rungs('medical', 'smoker (AUC)'), ([federation, , record]) => record! <= federation! + 0.02),
    },
    {
      text: "LEAF leaks the client's law: a reconstructed model is better for its held-back records than a federation without it",
      holds: together(rungs('leaf', 'model (loss)'), ([federation, client]) => client! < federation!),
    },
    {
      text: 'and not its records: on those it trained on it is better by a twentieth at most',
      holds: together(rungs('leaf', 'model (loss)'), ([, client, record]) => record! >= 0.95 * client!),
    },
    {
      text: 'the mean label of a batch is a leak of records: of others of the same client the message says ten times less',
      holds: together(rungs('salary', 'label-mean (MAE)'), ([, client, record]) => 10 * record! <= client!),
    },
  ],
})
