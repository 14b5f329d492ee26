/** The federation that a scenario describes, for one of its models. */
import { localRules } from '../federation/local-rules/index.js'
import type { LocalRule } from '../federation/local-rules/local-rule.js'
import { type Population, population } from '../federation/population.js'
import type { FederationSpec } from '../federation/spec.js'
import { find } from '../registry.js'
import { settingsIn } from '../settings/index.js'
import type { Chosen } from '../settings/setting.js'
import { seedOf } from './repeats.js'
import type { Scenario } from './scenario-schema.js'
import type { ModelChoice, World } from './world.js'

const flat = ({ name, params }: Chosen): object => ({ name, ...params })

/** Every setting of the training goes where the federation reads it; those of a turn, if the local rule obeys them. */
export function federationOf(
  { training, seed }: Scenario,
  { spec, loss, learningRate }: ModelChoice,
  { misbehaving, repeat }: Pick<World, 'misbehaving' | 'repeat'>,
): FederationSpec {
  const { algorithm, share, sampling } = training
  const rule: Record<string, unknown> = { algorithm, share }
  const plain: Record<string, unknown> = {}
  const { obeys } = find<LocalRule>(localRules, algorithm)
  for (const [key, { turn }] of Object.entries(settingsIn('training'))) {
    const value = (training as Readonly<Record<string, unknown>>)[key]
    if (turn !== true) plain[key] = value
    else if (obeys.includes(key)) rule[key] = value
  }
  if (training.localSteps !== null) delete rule.localEpochs
  const { algorithm: _, share: __, ...rest } = plain
  return {
    ...rest,
    model: spec,
    loss,
    seed: seedOf(seed, repeat),
    rule: { ...rule, learningRate },
    sampling: flat(sampling),
    misbehaving: Object.fromEntries(Object.entries(misbehaving).map(([id, one]) => [id, flat(one)])),
  } as unknown as FederationSpec
}

/** All clients' records in one matrix, and each one's rows of it. */
export function populationOf({ clients, trained }: World): Population {
  const { records, places } = trained()
  return population({ kind: 'sliced', records, clients: clients.map(({ id }, k) => ({ id, rows: places[k]! })) })
}
