// The cells of the zoo as scenarios: a client of about a hundred records, clients of one record, and clients of one class each.
import { batch, protocols, rate } from './zoo-protocols.mjs'

/** @typedef {import('../dist/scenario/scenario-schema.js').ScenarioInput} ScenarioInput */
/** @typedef {import('./zoo-protocols.mjs').Keeping} Keeping */
/** @typedef {{ protocol: string, statement: string, model: string }} Cell */
/** @typedef {'many' | 'single' | 'classes'} WorldName */

export const statements = /** @type {const} */ (['stated', 'unstated', 'wrong'])

/** @type {Readonly<Record<string, { readonly kind: string, readonly [option: string]: unknown }>>} */
export const models = {
  linear: { kind: 'linear' },
  mlp: { kind: 'mlp', hidden: [16] },
  'mlp-tanh': { kind: 'mlp', hidden: [12, 8], activation: 'tanh' },
}

/** Every cell that makes sense: a linear model has no units to drop. @returns {Cell[]} */
export const cells = () =>
  Object.keys(protocols).flatMap((protocol) =>
    statements.flatMap((statement) =>
      Object.keys(models).flatMap((model) =>
        protocol === 'dropout' && model === 'linear' ? [] : [{ protocol, statement, model }],
      ),
    ),
  )

/** @param {Cell} cell */
export const nameOf = ({ protocol, statement, model }) => `${protocol}/${statement}/${model}`

/**
 * What each world is for: which attacks are asked there, and about which clients. Attacks that say nothing of how sure they
 * are stand in `rest`: they cannot be sure and wrong, and cost most of the time.
 * @type {Readonly<Record<WorldName, { readonly targets: readonly string[], readonly sure: readonly string[], readonly rest: readonly string[] }>>}
 */
export const worlds = {
  many: {
    targets: ['0'],
    sure: ['lmra-exact', 'lmra-ols', 'aia-model', 'aia-linear', 'label-mean', 'metaclass-means', 'metaclass-counts'],
    rest: ['last-returned', 'lmra-mapping', 'lmra-data', 'lmra-label', 'aia-gradient'],
  },
  single: { targets: ['0', '1', '2', '3', '4', '5', '6', '7'], sure: ['regression-label'], rest: [] },
  classes: { targets: ['0', '1', '2', '3'], sure: ['idlg', 'blr', 'llg', 'llg-plus', 'llg-star', 'ilrg'], rest: [] },
}

/** @type {Readonly<Record<WorldName, { readonly data: object, readonly clients: number, readonly rounds: number, readonly epochs: number }>>} */
const places = {
  many: { data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.3 }, clients: 3, rounds: 20, epochs: 2 },
  single: {
    data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.3, rows: 13 },
    clients: 8,
    rounds: 3,
    epochs: 2,
  },
  // Several steps confirm no class: here a turn is one.
  classes: {
    data: { name: 'leaf-synthetic', params: { classes: 5, sizes: [200] }, auxiliary: 0.3, rows: 13 },
    clients: 8,
    rounds: 3,
    epochs: 1,
  },
}

/**
 * @param {Cell} cell
 * @param {{ seed?: number, rounds?: number | undefined, world?: WorldName }} [options]
 * @returns {ScenarioInput}
 */
export function scenarioOf({ protocol, statement, model }, { seed = 1, rounds, world = 'many' } = {}) {
  const keeping = /** @type {Keeping} */ (protocols[protocol])
  const place = places[world]
  const states =
    statement === 'stated'
      ? {}
      : statement === 'wrong'
        ? keeping.wrong
        : Object.fromEntries(
            [...keeping.keys, ...(protocol === 'schedule' ? ['learningRate'] : [])].map((key) => [key, 'unknown']),
          )
  const kind = world === 'classes' && model === 'linear' ? { kind: 'softmax' } : models[model]
  return /** @type {ScenarioInput} */ ({
    heldBack: 0,
    seed,
    data: place.data,
    partition: { name: 'iid', params: { clients: place.clients } },
    models: [{ ...kind, ...keeping.model }],
    training: {
      rounds: rounds ?? place.rounds,
      batchSize: batch,
      localEpochs: place.epochs,
      learningRate: rate,
      precision: 'f32',
      ...keeping.training,
    },
    defences: keeping.defences ?? [],
    knowledge: { ...(world === 'many' && { sensitive: ['union'] }), states },
  })
}
