/** `overhear/plugin`: what a plug-in is made of, one `define...` for each table. */

export {
  type Attack,
  type AttackDefinition,
  type Claimed,
  type Context,
  type ControlInput,
  type ControlWorld,
  claimed,
  defineAttack,
  Inapplicable,
  type NotApplicable,
  type Outcome,
} from '../attacks/attack.js'
export type { Claim, OwnClaim } from '../attacks/claim.js'
export { evaluable } from '../attacks/shared/evaluable-model.js'
export { type Turn, turnsOf } from '../attacks/shared/target-turns.js'
export { mapped, permutedTurns, plantedTurns, returning } from '../attacks/shared/turn-controls.js'
export { definePlugin, type LoadedPlugin, loadPlugins, type Plugin } from '../audit/plugins.js'
export { checkedSource, type Source } from '../data/dataset.js'
export { type DatasetEntry, defineDataset, type FileSpec, type LoadContext, readerOf } from '../data/dataset-entry.js'
export type { Rule } from '../data/encoder.js'
export {
  type Column,
  columnOf,
  levelsOf,
  numberColumn,
  numbersOf,
  type Table,
  tableOf,
  wordAt,
  wordColumn,
} from '../data/table.js'
export { type DefenceEntry, defineDefence } from '../defences/defence-entry.js'
export { OverhearError } from '../errors.js'
export { defineSetting } from '../federation/acting-setting.js'
export type { Defence, Hooks, SumContext, Summed, TurnContext } from '../federation/hooks.js'
export {
  defineLocalRule,
  type LocalPlan,
  type LocalRule,
  planOf,
  severalSteps,
} from '../federation/local-rules/local-rule.js'
export { type BadTurn, defineMisbehaviour, type Misbehaviour } from '../federation/misbehaviour/misbehaviour.js'
export type { Population } from '../federation/population.js'
export { type Choose, clientsIn, defineSampling, fraction, type Sampling } from '../federation/sampling/sampling.js'
export { changeOf, modelAfter, scaledUpdate, updateOf } from '../federation/updates.js'
export type { Gradable } from '../metrics/cells/gradable.js'
export {
  type Asked,
  batchLabels,
  batchOf,
  defineMetric,
  type Grading,
  type Known,
  lacks,
  type Metric,
  needed,
  recordsOf,
} from '../metrics/grading.js'
export { type Missing, type Score, scoreOf } from '../metrics/score.js'
export type { Layers, Model, Parameter } from '../models/model.js'
export { type DataSizes, defineModel, denseSizes, type ModelEntry, type Refusal } from '../models/model-entry.js'
export type { Node } from '../numeric/engine/graph.js'
export * as trace from '../numeric/engine/trace.js'
export type { Rng } from '../numeric/random/rng.js'
export * as scalar from '../numeric/special/elementary-functions.js'
export { choice, flag, number, numbers, type Params, text, type ValuesOf, whole } from '../params.js'
export {
  clientCount,
  definePartition,
  type PartitionEntry,
  type Rows,
  shuffled,
  slices,
} from '../partition/partition-entry.js'
export { byClient, entries, entry, listed, name, type Setting, texts } from '../settings/setting.js'
export type { Aggregate, Exchange, Grant, Participation, Series, View } from '../threat/granted-keys.js'
export { defineObserver, type Observer } from '../threat/observer.js'
export type { Update } from '../transcript/round-messages.js'
export type { Truth } from '../transcript/truth-file.js'
