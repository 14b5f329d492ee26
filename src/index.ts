/**
 * The public door, imported by outsiders only. An audit takes `audit`, ports (`nodePorts` of `overhear/node`, or
 * `memoryPorts`) and a scenario or a recording; the parts it is made of are behind `overhear/numeric`, `overhear/models`,
 * `overhear/federation`, `overhear/transcript` and `overhear/attacks`.
 */

// What comes out
export type { AttackResult, ClaimJson, Finding } from './audit/attack-result.js'
// What there is to do
export { type AuditEvent, type AuditOptions, type AuditSubject, audit } from './audit/audit.js'
// What there is to choose from
export { catalogue } from './audit/catalogue.js'
export type { AuditDocument, ObserverResults } from './audit/document.js'
export type { Evidence } from './audit/evidence.js'
export { type FailRule, type Judged, judge, parseRule } from './audit/fail-on.js'
export type { Ladder, Question, StepTest } from './audit/ladder/question.js'
export { type MemoryPortsOptions, memoryPorts } from './audit/memory-ports.js'
export { openRecording, type RecordingPaths, type RecordingPorts } from './audit/open-recording.js'
export type { AuditFiles, AuditPorts, AuditThreads, JobPool, JobRequest, RunFolder } from './audit/ports.js'
export { readScenario, scenarioJsonSchema } from './audit/read-scenario.js'
export type { Verdict } from './audit/verdict.js'
// What goes wrong
export { type ErrorCode, OverhearError } from './errors.js'
export type { Missing, Score } from './metrics/score.js'
export { type Paper, papers } from './papers.js'
export { auditText } from './report/audit-text.js'
export { reportHtml } from './report/report-html.js'
export type { Running, StopSignal } from './scenario/running.js'
export type { Scenario, ScenarioInput } from './scenario/scenario-schema.js'
export { type SimulateEvent, type SimulateOptions, type SimulatePorts, simulate } from './scenario/simulate.js'
export type { ModelUtility } from './scenario/simulate-model.js'
export type { Word } from './verdict/words.js'
