/** `overhear/transcript`: recordings read and written, knowledge and truth files, and what observers are granted of them. */

// What a reader matches a manifest's model with; it brings the table of models along.
export { parametersOf } from '../models/index.js'
export { type Granted, grant, type Sources } from '../threat/grant.js'
export type {
  Aggregate,
  Channel,
  EncodedRecords,
  Exchange,
  Grant,
  Knowledge,
  Participation,
  Series,
  View,
} from '../threat/granted-keys.js'
export type { Observer } from '../threat/observer.js'
export { type ObserverName, observers } from '../threat/observers.js'
export type { RawTable, Table as EncodedTable, TableOptions, TableSpec } from '../transcript/encoded-table.js'
export {
  type KnowledgeFile,
  knowledgeJsonSchema,
  openKnowledge,
  type Sensitive as SensitiveKnowledge,
} from '../transcript/knowledge-file.js'
export {
  type Manifest,
  type ManifestInput,
  type ModelManifest,
  manifestJsonSchema,
  type ParameterShape,
  type ParametersOf,
  type Protocol,
  parseManifest,
  type RecordedFor,
} from '../transcript/manifest.js'
export { memoryFolder } from '../transcript/memory-folder.js'
export { type OpenOptions, openTranscript, type Transcript } from '../transcript/read-transcript.js'
export type { Clients, RoundEntry } from '../transcript/round-list.js'
export type { Round, RoundContents, RoundOptions, Update } from '../transcript/round-messages.js'
export {
  decodeTensor,
  encode as encodeSafetensors,
  type FloatType,
  parseHeader as parseSafetensorsHeader,
  readHeader as readSafetensorsHeader,
  readTensor,
  type SafetensorsHeader,
  type TensorInfo,
  type TensorToWrite,
} from '../transcript/safetensors.js'
export { type ByteSource, bytesSource, type FileStore, memoryStore } from '../transcript/store.js'
export { openTruth, type Truth, type TruthFile, truthJsonSchema } from '../transcript/truth-file.js'
export {
  type KnowledgeToWrite,
  type KnowledgeWriteOptions,
  type SensitiveToWrite,
  writeKnowledge,
} from '../transcript/write-knowledge.js'
export {
  type RecordingRoles,
  type RecordingTablesOptions,
  writeRecordingTables,
} from '../transcript/write-recording-tables.js'
export type { TableToWrite, TableWriteOptions } from '../transcript/write-table.js'
export {
  openWriter,
  type RoundToWrite,
  type TranscriptWriter,
  type WritableStore,
  type WriterOptions,
} from '../transcript/write-transcript.js'
export { type TruthToWrite, writeTruth } from '../transcript/write-truth.js'
