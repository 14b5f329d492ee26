/** A federation as plain data, and the same with every default filled in and every value checked. */
import { OverhearError } from '../errors.js'
import { createModel, type ModelSpec } from '../models/index.js'
import { initialisers } from '../models/initialise.js'
import { checkLoss, type Loss, type Model } from '../models/model.js'
import type { Precision } from '../numeric/engine/kernels.js'
import { choice, number, readParams, type ValuesOf, whole } from '../params.js'
import { chosen, find, type Named } from '../registry.js'
import { localRules } from './local-rules/index.js'
import type { LocalPlan, LocalRule, Share, Shuffle } from './local-rules/local-rule.js'
import { misbehaviours } from './misbehaviour/index.js'
import type { Misbehaviour } from './misbehaviour/misbehaviour.js'
import { samplings } from './sampling/index.js'
import type { Sampling } from './sampling/sampling.js'

/** What clients do with a model and what they return; a key that a rule does not have is an error, null is its default. */
export interface RuleSpec {
  readonly algorithm: keyof typeof localRules
  readonly share?: Share
  readonly learningRate: number
  readonly localEpochs?: number | null
  readonly localSteps?: number | null
  readonly batchSize?: number | null
  readonly shuffle?: Shuffle
  readonly momentum?: number
  readonly proxMu?: number
}

export type SamplingSpec = Named<typeof samplings>
export type MisbehaviourSpec = Named<typeof misbehaviours>

export interface FederationSpec {
  readonly model: ModelSpec
  readonly loss?: Loss
  readonly seed: number | string
  readonly rule: RuleSpec
  readonly sampling?: SamplingSpec
  /** By client id. */
  readonly misbehaving?: Readonly<Record<string, MisbehaviourSpec>>
  readonly rounds: number
  readonly lossScale?: number
  readonly precision?: Precision
  /** What a client's update weighs in the server's mean. */
  readonly weights?: 'samples' | 'equal'
  /** Probability that a client who was asked fails to answer. */
  readonly failProb?: number
  readonly initialiser?: keyof typeof initialisers
}

/** The plain settings, with their words. */
export const federationParams = {
  rounds: whole({ default: 100, min: 0, doc: 'number of rounds' }),
  lossScale: number({ default: 1, min: 0, doc: 'what the loss is multiplied by' }),
  precision: choice({ default: 'f32', choices: ['f32', 'f64'], doc: 'numbers that clients train with' }),
  weights: choice({ default: 'samples', choices: ['samples', 'equal'], doc: 'what an update weighs in the mean' }),
  failProb: number({ default: 0, min: 0, max: 1, doc: 'probability that a client who was asked does not answer' }),
  initialiser: choice({
    default: 'pytorch',
    choices: Object.keys(initialisers) as (keyof typeof initialisers)[],
    doc: 'how the first model is drawn',
  }),
} as const

/** A federation with nothing left open. */
export interface Settled extends ValuesOf<typeof federationParams> {
  readonly model: Model
  readonly modelSpec: ModelSpec
  readonly loss: Loss
  readonly seed: number | string
  readonly algorithm: keyof typeof localRules
  readonly share: Share
  readonly plan: LocalPlan
  readonly sampling: { readonly entry: Sampling; readonly values: Readonly<Record<string, unknown>> }
  readonly misbehaving: ReadonlyMap<string, Behaviour>
}

export interface Behaviour {
  readonly entry: Misbehaviour
  readonly values: Readonly<Record<string, unknown>>
  readonly prob: number
}

/** Checks a federation; what is unknown, ill-typed or contradictory is an error. */
export function settle(spec: FederationSpec): Settled {
  const { model: modelSpec, loss: asked, seed, rule, sampling = { name: 'all' }, misbehaving = {}, ...plain } = spec
  const values = readParams(federationParams, plain, 'the federation')
  if (!(values.lossScale > 0)) throw new OverhearError('E_VALUE', 'lossScale is 0', 'a positive number is needed')
  if (typeof seed !== 'string' && !Number.isFinite(seed)) {
    throw new OverhearError('E_VALUE', `the seed is ${String(seed)}`, 'a number or a text is needed')
  }
  const model = createModel(modelSpec)
  const loss = asked ?? model.defaultLoss
  checkLoss(model, loss)
  return {
    ...values,
    ...settleRule(rule),
    model,
    modelSpec,
    loss,
    seed,
    sampling: chosen<Sampling>(samplings, sampling),
    misbehaving: new Map(Object.entries(misbehaving).map(([id, one]) => [id, settleBehaviour(one)])),
  }
}

function settleBehaviour(spec: MisbehaviourSpec): Behaviour {
  const { entry, values } = chosen<Misbehaviour>(misbehaviours, spec)
  return { entry, values, prob: Number((values as Record<string, unknown>).prob) }
}

function settleRule({
  algorithm,
  share = 'parameters',
  ...given
}: RuleSpec): Pick<Settled, 'algorithm' | 'share' | 'plan'> {
  const rule = find<LocalRule>(localRules, algorithm)
  if (!rule.shares.includes(share)) {
    const found = `share is ${JSON.stringify(share)} with ${algorithm}`
    throw new OverhearError('E_VALUE', found, `it shares one of ${rule.shares.join(', ')}`)
  }
  const { localEpochs, localSteps } = given
  if (typeof localEpochs === 'number' && typeof localSteps === 'number') {
    const found = `localEpochs is ${localEpochs} and localSteps is ${localSteps}`
    throw new OverhearError('E_VALUE', found, 'give one of the two')
  }
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const plan = rule.plan(readParams(rule.params, present, `local rule ${algorithm}`))
  if (!(plan.learningRate > 0)) {
    throw new OverhearError('E_VALUE', `local rule ${algorithm}: learningRate is 0`, 'a positive number is needed')
  }
  return { algorithm, share, plan }
}
