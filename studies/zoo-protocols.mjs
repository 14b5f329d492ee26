// The training protocols of the zoo: how each trains, and what a wrong statement says of it instead.

/** @typedef {Readonly<Record<string, unknown>>} Settings */
/** @typedef {{ training?: Settings, model?: Settings, defences?: readonly object[], wrong: Settings, keys: readonly string[] }} Keeping */

export const rate = 0.05
export const batch = 16

/**
 * What each keeps to, which settings that is about, and what a wrong statement says instead.
 * @type {Readonly<Record<string, Keeping>>}
 */
export const protocols = {
  sgd: { wrong: { learningRate: 2 * rate }, keys: ['learningRate'] },
  momentum: { training: { momentum: 0.9 }, wrong: { momentum: 0 }, keys: ['momentum'] },
  adam: {
    training: { optimizer: { name: 'adam' }, learningRate: 0.01 },
    wrong: { optimizer: 'sgd', learningRate: rate },
    keys: ['optimizer', 'learningRate'],
  },
  adamw: {
    training: { optimizer: { name: 'adamw' }, learningRate: 0.01, weightDecay: 0.5 },
    wrong: { optimizer: 'sgd', learningRate: rate, weightDecay: 0 },
    keys: ['optimizer', 'learningRate', 'weightDecay'],
  },
  'weight-decay': { training: { weightDecay: 0.3 }, wrong: { weightDecay: 0 }, keys: ['weightDecay'] },
  dropout: { model: { dropout: 0.4 }, wrong: { dropout: 0 }, keys: ['dropout'] },
  clipping: { training: { clipNorm: 0.3 }, wrong: { clipNorm: null }, keys: ['clipNorm'] },
  'top-k': {
    training: { compression: { name: 'top-k', params: { share: 0.2 } } },
    wrong: { compression: 'none' },
    keys: ['compression'],
  },
  '8-bit': {
    training: { compression: { name: 'quantised', params: { bits: 8 } } },
    wrong: { compression: 'none' },
    keys: ['compression'],
  },
  'dp-sgd': {
    defences: [{ name: 'dp-sgd', params: { maxNorm: 2, noiseMultiplier: 1 } }],
    wrong: { differentialPrivacy: null },
    keys: ['differentialPrivacy'],
  },
  poisson: {
    defences: [{ name: 'dp-sgd', params: { maxNorm: 1e6, noiseMultiplier: 0, sampleRate: 0.15 } }],
    wrong: { differentialPrivacy: null },
    keys: ['differentialPrivacy'],
  },
  'drop-last': { training: { dropLast: true }, wrong: { dropLast: false }, keys: ['dropLast'] },
  schedule: {
    training: { schedule: { name: 'exponential', params: { factor: 0.9 } } },
    wrong: { schedule: 'constant', learningRate: rate },
    keys: ['schedule'],
  },
}
