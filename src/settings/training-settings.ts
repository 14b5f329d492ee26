/** How clients train together: the settings of a scenario's `training`, each declared here and nowhere else. */
import { choice, flag, number, whole } from '../params.js'
import { byClient, defineSetting, entry, name } from './setting.js'

const rules = 'the local rules that name it'

export const algorithm = defineSetting({
  id: 'training.algorithm',
  value: name({ table: 'local rule', default: 'fedavg', doc: 'what a client does in its turn' }),
  obeyedBy: 'clients',
  // Other people's algorithms have other names.
  manifest: { key: 'algorithm', absent: 'fedavg' },
})

export const share = defineSetting({
  id: 'training.share',
  value: choice({
    default: 'parameters',
    choices: ['parameters', 'delta', 'gradient'],
    doc: 'what a client returns; gradient: with fedsgd only',
  }),
  obeyedBy: 'clients',
  manifest: { key: 'share' },
})

export const rounds = defineSetting({
  id: 'training.rounds',
  value: whole({ default: 50, min: 0, doc: 'number of rounds', unit: 'rounds' }),
  obeyedBy: 'the server',
})

export const learningRate = defineSetting({
  id: 'training.learningRate',
  value: number({ default: 0.01, above: 0, doc: 'step size of local SGD; auto, in a file: found by a short search' }),
  obeyedBy: rules,
  turn: true,
  // No default can be right for what an attack divides by: null, so that such an attack says what it lacks.
  manifest: {
    key: 'learningRate',
    absent: null,
    value: number({ default: null, above: 0, orNull: 'unknown', doc: 'step size of local SGD' }),
  },
})

export const localEpochs = defineSetting({
  id: 'training.localEpochs',
  value: whole({
    default: 1,
    min: 1,
    orNull: 'localSteps counts',
    doc: 'passes over its records that a client makes in a turn',
  }),
  obeyedBy: rules,
  turn: true,
  manifest: {
    key: 'localEpochs',
    absent: 1,
    value: number({ default: 1, min: 0, orNull: 'unknown, or localSteps counts', doc: 'passes in a turn' }),
  },
})

export const localSteps = defineSetting({
  id: 'training.localSteps',
  value: whole({
    default: null,
    min: 1,
    orNull: 'localEpochs counts',
    doc: 'steps that a client makes in a turn, instead of localEpochs',
  }),
  obeyedBy: rules,
  turn: true,
  manifest: {
    key: 'localSteps',
    absent: null,
    value: whole({ default: null, min: 0, orNull: 'localEpochs counts', doc: 'steps in a turn' }),
  },
})

export const batchSize = defineSetting({
  id: 'training.batchSize',
  value: whole({
    default: 32,
    min: 1,
    orNull: 'all that the client holds',
    doc: 'records per step',
    unit: 'records',
  }),
  obeyedBy: rules,
  turn: true,
  manifest: { key: 'batchSize', absent: null },
})

export const shuffle = defineSetting({
  id: 'training.shuffle',
  value: choice({
    default: 'epoch',
    choices: ['epoch', 'round', 'never'],
    doc: 'how often a client reorders its records',
  }),
  obeyedBy: rules,
  turn: true,
})

export const momentum = defineSetting({
  id: 'training.momentum',
  value: number({ default: 0, min: 0, below: 1, doc: 'weight of the previous step, forgotten between turns' }),
  obeyedBy: rules,
  turn: true,
  manifest: { key: 'momentum', absent: 0, value: number({ default: 0, min: 0, doc: 'weight of the previous step' }) },
})

export const optimizer = defineSetting({
  id: 'training.optimizer',
  value: entry({
    table: 'optimizer',
    default: { name: 'sgd', params: {} },
    doc: 'how a step follows from a gradient; what it remembers is forgotten between turns',
  }),
  obeyedBy: rules,
  turn: true,
  manifest: { key: 'optimizer', unknown: true, entry: { named: 'name' } },
})

export const weightDecay = defineSetting({
  id: 'training.weightDecay',
  value: number({
    default: 0,
    min: 0,
    doc: 'lambda: adds lambda theta to every gradient; adamw shrinks theta instead',
  }),
  obeyedBy: rules,
  turn: true,
  manifest: { key: 'weightDecay', unknown: true },
})

export const clipNorm = defineSetting({
  id: 'training.clipNorm',
  value: number({
    default: null,
    above: 0,
    orNull: 'never',
    doc: 'the mean gradient of a step is shortened where it is longer',
  }),
  obeyedBy: rules,
  turn: true,
  manifest: { key: 'clipNorm', unknown: true },
})

export const dropLast = defineSetting({
  id: 'training.dropLast',
  value: flag({
    default: false,
    doc: 'whether the short last batch of an epoch is left out, if it is not the only one',
  }),
  obeyedBy: rules,
  turn: true,
  manifest: { key: 'dropLast', unknown: true },
})

export const schedule = defineSetting({
  id: 'training.schedule',
  value: entry({
    table: 'schedule',
    default: { name: 'constant', params: {} },
    doc: 'what the learning rate is multiplied by, round by round',
  }),
  obeyedBy: 'the server, who tells the clients',
  manifest: { key: 'schedule', unknown: true, entry: { named: 'kind', nothing: 'constant' } },
})

export const compression = defineSetting({
  id: 'training.compression',
  value: entry({
    table: 'compression',
    default: { name: 'none', params: {} },
    doc: 'how a client shortens the change that it sends',
  }),
  obeyedBy: 'clients',
  manifest: { key: 'compression', unknown: true, entry: { named: 'kind', nothing: 'none' } },
})

export const proxMu = defineSetting({
  id: 'training.proxMu',
  // [li2020] Eq. (2): h(w; w_t) = F(w) + mu/2 |w - w_t|^2
  value: number({
    default: 0.1,
    min: 0,
    doc: 'mu: half of it times the squared distance to the global model is added',
  }),
  obeyedBy: rules,
  turn: true,
  manifest: { key: 'proxMu', absent: 0 },
})

export const lossScale = defineSetting({
  id: 'training.lossScale',
  value: number({ default: 1, above: 0, doc: 'what the loss is multiplied by; 0.5 for a halved square' }),
  obeyedBy: 'clients',
  manifest: { key: 'lossScale', absent: 1 },
})

export const aggregateWeights = defineSetting({
  id: 'training.aggregateWeights',
  value: choice({
    default: 'samples',
    choices: ['samples', 'one'],
    doc: "the clients' weights in the mean: their numbers of records, or 1",
  }),
  obeyedBy: 'the server',
  was: ['training.weights'],
  manifest: { key: 'aggregateWeights', absent: 'one' },
})

export const sampling = defineSetting({
  id: 'training.sampling',
  value: entry({ table: 'sampling', default: { name: 'all', params: {} }, doc: 'who takes part in a round' }),
  obeyedBy: 'the server',
})

export const dropouts = defineSetting({
  id: 'training.dropouts',
  value: number({ default: 0, min: 0, max: 1, doc: 'probability that a client who was asked fails to answer' }),
  obeyedBy: 'clients',
})

export const misbehaving = defineSetting({
  id: 'training.misbehaving',
  value: byClient({ table: 'misbehaviour', default: {}, doc: 'clients, by id, that do not play fair' }),
  obeyedBy: 'the clients named',
})

export const precision = defineSetting({
  id: 'training.precision',
  value: choice({ default: 'f32', choices: ['f32', 'f64'], doc: 'of training; recordings are kept in f64' }),
  obeyedBy: 'clients',
})

export const initialiser = defineSetting({
  id: 'training.initialiser',
  value: name({ table: 'initialiser', default: 'pytorch', doc: 'how the first model is drawn' }),
  obeyedBy: 'the server',
})
