/** What a world is made of: the settings of a scenario outside `training` and `knowledge`. */
import { flag, number, text, whole } from '../params.js'
import { defineSetting, entries, entry, listed, name, other, paramsBeside, texts } from './setting.js'

const world = 'whoever makes the world'
const audit = 'the audit'

export const scenarioName = defineSetting({
  id: 'name',
  value: text({ default: 'scenario', pattern: /^[a-z0-9][a-z0-9-]{0,63}$/, doc: "the run's folder is named after it" }),
  obeyedBy: audit,
})

export const seed = defineSetting({
  id: 'seed',
  value: whole({ default: 1, min: 0, doc: 'of all randomness: the same seed gives the same bits' }),
  obeyedBy: 'everybody who draws',
})

export const plugins = defineSetting({
  id: 'plugins',
  value: listed({ default: [], doc: 'files that bring attacks, datasets and the like, beside the scenario' }),
  obeyedBy: 'whoever reads the scenario',
})

export const repeats = defineSetting({
  id: 'repeats',
  value: whole({
    default: null,
    min: 1,
    orNull: 'the audit decides, by the size of the messages',
    doc: 'how often the world is dealt and trained anew',
    unit: 'trainings',
  }),
  obeyedBy: audit,
})

export const heldBack = defineSetting({
  id: 'heldBack',
  value: number({
    default: 0.5,
    min: 0,
    below: 1,
    doc: "share of every client's rows that are kept out of its training, drawn at random: whom trained rows are compared with",
  }),
  obeyedBy: world,
})

export const dataName = defineSetting({
  id: 'data.name',
  value: name({ table: 'dataset', doc: 'which dataset' }),
  obeyedBy: world,
})

export const dataParams = defineSetting({
  id: 'data.params',
  value: paramsBeside('parameters of the dataset'),
  obeyedBy: 'the dataset',
})

export const rows = defineSetting({
  id: 'data.rows',
  value: whole({ default: null, min: 1, orNull: 'all', doc: 'use only so many rows, drawn at random', unit: 'rows' }),
  obeyedBy: world,
})

export const validation = defineSetting({
  id: 'data.validation',
  value: number({ default: 0.1, min: 0, below: 1, doc: 'share of the rows kept back to measure the model' }),
  obeyedBy: world,
})

export const auxiliaryShare = defineSetting({
  id: 'data.auxiliary',
  value: number({
    default: 0.1,
    min: 0,
    below: 1,
    doc: 'share of the rows that the adversary holds, of the same kind as the clients',
  }),
  obeyedBy: world,
})

export const partition = defineSetting({
  id: 'partition',
  value: entry({ table: 'partition', default: { name: 'iid', params: {} }, doc: 'how rows are dealt to clients' }),
  obeyedBy: world,
})

export const models = defineSetting({
  id: 'models',
  value: other({ doc: 'each is trained and attacked by itself: kind, its parameters, learningRate' }),
  obeyedBy: 'clients',
  toldAs: '`model`, `parameters`, `protocol.dropout`',
})

export const defences = defineSetting({
  id: 'defences',
  value: entries({ table: 'defence', default: [], doc: 'what protects the clients, in this order' }),
  obeyedBy: 'clients and the server',
  toldAs: '`protocol.differentialPrivacy`, `protocol.secureAggregation`, `protocol.aggregation`',
})

export const contribution = defineSetting({
  id: 'contribution',
  value: flag({
    default: false,
    doc: 'train once more without each client, so that claims about what it added can be graded',
  }),
  obeyedBy: world,
})

export const observers = defineSetting({
  id: 'observers',
  value: texts({ default: 'all', words: ['all'], least: 1, table: 'observer', doc: 'where the adversary stands' }),
  obeyedBy: audit,
})

export const attacks = defineSetting({
  id: 'attacks',
  value: other({ default: 'all', doc: 'which attacks, with their parameters' }),
  obeyedBy: audit,
})

export const activeRounds = defineSetting({
  id: 'activeRounds',
  value: whole({
    default: 10,
    min: 1,
    doc: 'messages that a malicious server may send to one client, trials included',
  }),
  obeyedBy: 'active attacks',
})

export const activeFrom = defineSetting({
  id: 'activeFrom',
  value: whole({
    default: null,
    min: 1,
    orNull: 'the end of the training',
    doc: 'round from which a malicious server sends models of its own; what came before it has heard',
  }),
  obeyedBy: 'active attacks',
})

export const secondsPerAttack = defineSetting({
  id: 'secondsPerAttack',
  value: number({
    default: null,
    above: 0,
    orNull: 'never',
    doc: 'an attack that takes longer is stopped, and what it was asked is not tested',
    unit: 'seconds',
  }),
  obeyedBy: audit,
})

export const controls = defineSetting({
  id: 'controls',
  value: flag({ default: true, doc: 'test each attack on a leak that is planted for it' }),
  obeyedBy: audit,
})

export const margin = defineSetting({
  id: 'margin',
  value: number({ default: 0.1, above: 0, max: 0.5, doc: 'an effect below this is too small to matter, in AUC' }),
  obeyedBy: audit,
})

export const errorMargin = defineSetting({
  id: 'errorMargin',
  value: number({
    default: 0.25,
    above: 0,
    max: 1,
    doc: 'the same where no AUC is to be had: the share of the error that is removed',
  }),
  obeyedBy: audit,
})

export const alpha = defineSetting({
  id: 'alpha',
  value: number({ default: 0.05, above: 0, below: 1, doc: 'most that false alarms may be likely, over all questions' }),
  obeyedBy: audit,
})

export const workBudget = defineSetting({
  id: 'workBudget',
  value: number({
    default: null,
    above: 0,
    orNull: 'none',
    doc: 'an attack that takes more work is stopped, whatever the clock says',
    unit: 'units of work',
  }),
  obeyedBy: audit,
})
