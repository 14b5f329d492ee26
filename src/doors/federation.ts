/** `overhear/federation`: datasets, ways to deal them out, the rounds of a federation, and defences. */

export {
  checkedSource,
  type Dataset,
  encodeSource,
  encodeSourceSparse,
  type FittedSource,
  fitSource,
  type Source,
  type SparseRecords,
} from '../data/dataset.js'
export type { DatasetEntry, FileReader, FileSpec, LoadContext } from '../data/dataset-entry.js'
export type { Sensitive } from '../data/decode.js'
export { decode, inWords, sensitiveOf } from '../data/decode.js'
export { type Encoder, encodeDense, encodeSparse, fitEncoder, outputNames, type Rule } from '../data/encoder.js'
export { datasets, loadDataset } from '../data/index.js'
export type { Records } from '../data/records.js'
export { type Column, numberColumn, type Table, tableOf, wordColumn } from '../data/table.js'
export { type ToyOptions, toyLeastSquares } from '../data/toy-least-squares.js'
export { type GraphBounds, type GraphSize, graphSize } from '../defences/checked-aggregation/graph-bounds.js'
export { createDefence, type DefenceSpec, defences } from '../defences/index.js'
export { type SumAttack, type SumProtocol, trySums } from '../defences/openings/try-sums.js'
export { everyPair, regularGraph } from '../defences/secure-aggregation/mask-graph.js'
export { type Primitives, webCrypto } from '../defences/secure-aggregation/primitives.js'
export { secureSeat } from '../defences/secure-aggregation/secure-seat.js'
export { type SecureSum, type SecureSumOptions, secureSum } from '../defences/secure-aggregation/secure-sum.js'
export { type SecureAggregationOptions, secureAggregation } from '../defences/secure-aggregation.js'
export { batchRows } from '../federation/batches.js'
export { type Checkpoint, decodeCheckpoint, encodeCheckpoint, type RunMark } from '../federation/checkpoint.js'
export { type CheckpointStore, checkpointStore, type SavedCheckpoint } from '../federation/checkpoint-store.js'
export { type GeneratorSpec, generators } from '../federation/client-generators.js'
export { type Bytes, type ClientSide, type Guest, type Seat, type Seats, seatsHere } from '../federation/exchange.js'
export { type FederateOptions, type FederationRound, federate, runToEnd } from '../federation/federate.js'
export { type Heterogeneity, type HeterogeneityOptions, heterogeneity } from '../federation/heterogeneity.js'
export type {
  Adversary,
  Defence,
  ExchangeContext,
  Plain,
  SentTurn,
  SumContext,
  SumExchange,
  Summed,
  TurnContext,
} from '../federation/hooks.js'
export { type LiveChannel, type LiveChannelOptions, type LiveTurn, liveChannel } from '../federation/live-channel.js'
export { localRules } from '../federation/local-rules/index.js'
export type { LocalPlan, Share, Shuffle } from '../federation/local-rules/local-rule.js'
export { type Listener, type ManifestOptions, type ManifestToWrite, manifestFor } from '../federation/manifest-for.js'
export { misbehaviours } from '../federation/misbehaviour/index.js'
export {
  type ClientPool,
  type ClientsSpec,
  inlinePool,
  type PoolOptions,
} from '../federation/pool.js'
export { heldPopulation, type Population, type PopulationSpec, population } from '../federation/population.js'
export { type RecordOptions, recordFederation } from '../federation/record.js'
export { samplings } from '../federation/sampling/index.js'
export {
  type FederationSpec,
  type MisbehaviourSpec,
  type RuleSpec,
  type SamplingSpec,
  type Settled,
  settle,
} from '../federation/spec.js'
export { type StepPrivacy, type Turn, turnStream } from '../federation/turn.js'
export { changeOf, modelAfter, scaledUpdate, type TurnFrame, updateOf, weightedMean } from '../federation/updates.js'
export { type Figures, pooledRecords, type Utility, utilityOf } from '../federation/utility.js'
export { type HeldOut, holdOut } from '../partition/hold-out.js'
export { dealRows, partitions } from '../partition/index.js'
export type { Deal, PartitionEntry, PartitionInput } from '../partition/partition-entry.js'
