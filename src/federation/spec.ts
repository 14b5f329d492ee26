/** A federation as plain data, and the same with every default filled in and every value checked. */
import { OverhearError } from '../errors.js'
import { compressions } from '../models/compressions/index.js'
import { createModel, type ModelSpec } from '../models/index.js'
import { initialisers } from '../models/initialise.js'
import { checkLoss, type Loss, type Model } from '../models/model.js'
import { optimizers } from '../models/optimizers/index.js'
import { scheduleOf } from '../models/schedules/index.js'
import { chosen, type Entry, find, type Named } from '../registry.js'
import { type SettingsIn, settingsIn, type TurnSettings } from '../settings/index.js'
import { readSettings } from '../settings/read-settings.js'
import type { Setting } from '../settings/setting.js'
import {
  optimizer as usualOptimizer,
  sampling as usualSampling,
  share as usualShare,
} from '../settings/training-settings.js'
import { localRules } from './local-rules/index.js'
import type { LocalPlan, LocalRule, Share } from './local-rules/local-rule.js'
import { misbehaviours } from './misbehaviour/index.js'
import type { Misbehaviour } from './misbehaviour/misbehaviour.js'
import { samplings } from './sampling/index.js'
import type { Sampling } from './sampling/sampling.js'

/** What clients do with a model and what they return; a key that a rule does not obey is an error unless it is null. */
export interface RuleSpec extends Partial<TurnSettings> {
  readonly algorithm: keyof typeof localRules | (string & {})
  readonly share?: Share
  readonly learningRate: number
}

export type SamplingSpec = Named<typeof samplings>
export type MisbehaviourSpec = Named<typeof misbehaviours>

/** The settings of a training that are neither of a turn nor have a place of their own here. */
type PlainSettings = Omit<
  SettingsIn<'training'>,
  keyof TurnSettings | 'algorithm' | 'share' | 'sampling' | 'misbehaving'
>

export interface FederationSpec extends Partial<PlainSettings> {
  readonly model: ModelSpec
  readonly loss?: Loss
  readonly seed: number | string
  readonly rule: RuleSpec
  readonly sampling?: SamplingSpec
  /** By client id. */
  readonly misbehaving?: Readonly<Record<string, MisbehaviourSpec>>
  readonly rounds: number
}

/** A federation with nothing left open. */
export interface Settled extends PlainSettings {
  readonly model: Model
  readonly modelSpec: ModelSpec
  readonly loss: Loss
  readonly seed: number | string
  readonly algorithm: string
  readonly share: Share
  readonly plan: LocalPlan
  /** The learning rate of a round. */
  rateIn(round: number): number
  /** Every setting of the training that is no table's entry, by its name, plug-ins' too. */
  readonly settings: Readonly<Record<string, unknown>>
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
  const {
    model: modelSpec,
    loss: asked,
    seed,
    rule,
    sampling = { name: usualSampling.value.default.name },
    misbehaving = {},
    ...plain
  } = spec
  const values = readSettings(plainSettings(), plain, 'the federation') as unknown as PlainSettings
  // Settings know tables by their kinds alone: these must be named here, or a bundler leaves them out.
  find<Entry>(initialisers, values.initialiser)
  find<Entry>(compressions, values.compression.name)
  if (typeof seed !== 'string' && !Number.isFinite(seed)) {
    throw new OverhearError('E_VALUE', `the seed is ${String(seed)}`, 'a number or a text is needed')
  }
  const model = createModel(modelSpec)
  const loss = asked ?? model.defaultLoss
  checkLoss(model, loss)
  const { turn, ...own } = settleRule(rule)
  const factor = scheduleOf({ name: values.schedule.name, ...values.schedule.params })
  return {
    ...values,
    ...own,
    rateIn: (round) => own.plan.learningRate * factor(round),
    settings: { ...silent(), ...values, algorithm: own.algorithm, share: own.share, ...turn, ...own.plan },
    model,
    modelSpec,
    loss,
    seed,
    sampling: chosen<Sampling>(samplings, sampling),
    misbehaving: new Map(Object.entries(misbehaving).map(([id, one]) => [id, settleBehaviour(one)])),
  }
}

/** What is told of settings of a turn that a local rule does not obey. */
const silent = (): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(trainingWhere((_, { turn, manifest }) => turn === true && manifest?.unknown === true)).map(
      ([key, { value }]) => [key, value.default],
    ),
  )

const elsewhere: readonly string[] = ['algorithm', 'share', 'sampling', 'misbehaving']

function trainingWhere(fits: (key: string, setting: Setting) => boolean): Record<string, Setting> {
  return Object.fromEntries(Object.entries(settingsIn('training')).filter(([key, setting]) => fits(key, setting)))
}

const plainSettings = () => trainingWhere((key, { turn }) => turn !== true && !elsewhere.includes(key))

function settleBehaviour(spec: MisbehaviourSpec): Behaviour {
  const { entry, values } = chosen<Misbehaviour>(misbehaviours, spec)
  return { entry, values, prob: Number((values as Record<string, unknown>).prob) }
}

function settleRule({ algorithm, share = usualShare.value.default, ...given }: RuleSpec) {
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
  const obeyed = trainingWhere((key, setting) => setting.turn === true && rule.obeys.includes(key))
  const present = Object.fromEntries(
    Object.entries(given).filter(([key, value]) => value !== null || Object.hasOwn(obeyed, key)),
  )
  find<Entry>(optimizers, (given.optimizer ?? usualOptimizer.value.default).name)
  const turn = readSettings(obeyed, present, `local rule ${algorithm}`)
  return {
    algorithm,
    share,
    turn,
    plan: rule.plan(turn as unknown as TurnSettings & Readonly<Record<string, unknown>>),
  }
}

/** What a pool's clients go by. */
export function playedBy({
  rounds: _r,
  sampling: _s,
  aggregateWeights: _w,
  dropouts: _d,
  ...rest
}: FederationSpec): object {
  return rest
}
