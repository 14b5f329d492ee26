/** A trial, a cell of a study or a job of an audit, as it travels through a queue, and what comes back: plain data, checked at both ends. */
import { z } from 'zod'
import { resultSchema } from '../../audit/folder/result-schema.js'
import { hashOf } from '../../audit/hash.js'
import { OverhearError } from '../../errors.js'
import { kernelHash } from '../../numeric/engine/kernel-bytes.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { trialResultSchema } from '../../sweep/trial-result.js'
import { check } from '../../transcript/validate.js'
import { measureSchema } from '../studies/measure-schema.js'
import { version } from '../version.js'
import type { PackedRequest } from './travelling-evidence.js'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const common = {
  versions: z.object({ overhear: z.string(), kernels: z.string() }),
  /** Files of its datasets by their paths, with the hashes of what is in them. */
  files: z.record(z.string(), sha256),
  limits: z.object({ seconds: z.number().positive(), megabytes: z.int().positive() }),
  label: z.string(),
}
const trialSchema = z.object({
  format: z.literal('overhear-job/1'),
  ...common,
  scenario: z.record(z.string(), z.unknown()),
})
const cellSchema = z.object({
  format: z.literal('overhear-cell-job/1'),
  ...common,
  cell: z.object({ study: z.string(), at: z.unknown(), seed: z.int().min(0), quick: z.boolean(), effort: z.number() }),
})
/** A file below a folder: it must not lead out of it. */
const below = z.string().regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$)).+$/)
const somewhere = z.string().regex(/^@(?:kept|\d+(?:\/[^/]+)?)$/)
const attackSchema = z.object({
  format: z.literal('overhear-attack-job/1'),
  ...common,
  request: z.looseObject({
    job: z.looseObject({ attack: z.string(), observer: z.string(), seed: z.number(), controls: z.boolean() }),
    paths: z.looseObject({ transcript: somewhere, knowledge: somewhere.optional(), truth: somewhere.optional() }),
    kept: somewhere.optional(),
  }),
  bases: z.array(z.object({ folder: z.string(), files: z.record(below, sha256) })),
})
const jobSchema = z.discriminatedUnion('format', [trialSchema, cellSchema, attackSchema])

/** A trial of a sweep. */
export type TrialJob = z.output<typeof trialSchema>
/** A cell of a study; its id is the job's. */
export type CellJob = z.output<typeof cellSchema>
/** A job of an audit. */
export type AttackJob = Omit<z.output<typeof attackSchema>, keyof PackedRequest> & PackedRequest
export type QueueJob = TrialJob | CellJob | AttackJob

export const versions = { overhear: version, kernels: kernelHash } as const

/** Trials of one version with one set of kernels have a queue of their own: no other worker is ever handed them. */
export const queueName = `overhear-${version}-${kernelHash.slice(0, 16)}`

/** The id that a trial with this scenario and these files has. */
export function idOf({
  scenario,
  files,
  versions: made,
}: Pick<TrialJob, 'scenario' | 'files' | 'versions'>): Promise<string> {
  const { name: _, ...world } = scenario
  return hashOf({ world, files, versions: made })
}

/** The id of an audit's job: everything that its result depends on. */
export const attackIdOf = ({ request, bases, files, limits, versions: made }: Omit<AttackJob, 'format' | 'label'>) =>
  hashOf({ request, bases, files, limits, versions: made })

type ReadTrial = TrialJob & { readonly scenario: ScenarioInput }

/** Reads a job; one of another version or other kernels, or that is not what it is called, is refused. */
export async function readJob(id: string, json: unknown): Promise<CellJob | AttackJob | ReadTrial> {
  const { value } = check(jobSchema, json, `the job ${id}`)
  const { overhear, kernels } = value.versions
  if (overhear !== versions.overhear || kernels !== versions.kernels) {
    const [theirs, ours] = [value.versions, versions].map(
      (one) => `overhear ${one.overhear}, kernels ${one.kernels.slice(0, 12)}`,
    )
    throw new OverhearError(
      'E_INPUT',
      `the job ${id} is for ${theirs}, and this is ${ours}`,
      'take the same version everywhere',
    )
  }
  const job = value as QueueJob
  const named = await nameOf(job)
  if (named !== id) {
    throw new OverhearError('E_INPUT', `the job ${id} is not what it is called`, 'somebody changed it on its way')
  }
  return job as CellJob | AttackJob | ReadTrial
}

async function nameOf(job: QueueJob): Promise<string> {
  if ('request' in job) return attackIdOf(job)
  return 'cell' in job ? (await import('../studies/cell-name.js')).cellNameOf(job) : idOf(job)
}

const answering = <R extends z.ZodType>(result: R) =>
  z.union([
    z.object({ kind: z.literal('done'), result, seconds: z.number(), worker: z.string() }),
    z.object({ kind: z.enum(['refused', 'lost']), reason: z.string() }),
  ])
const answerSchema = answering(trialResultSchema)
const cellAnswerSchema = answering(z.object({ measures: z.array(measureSchema), seconds: z.number().min(0) }))

const attackAnswerSchema = answering(resultSchema)

/** What a worker answers to a trial. */
export type TrialAnswer = z.output<typeof answerSchema>
/** And to a cell. */
export type CellAnswer = z.output<typeof cellAnswerSchema>

/** And to a job of an audit. */
export type AttackAnswer = z.output<typeof attackAnswerSchema>

/** As it came: a check puts keys into another order, and the same audit has the same bytes wherever it runs. */
export function readAttackAnswer(id: string, json: unknown): AttackAnswer {
  check(attackAnswerSchema, json, `the answer to ${id}`)
  return json as AttackAnswer
}
export const readAnswer = (id: string, json: unknown): TrialAnswer =>
  check(answerSchema, json, `the answer to ${id}`).value
export const readCellAnswer = (id: string, json: unknown): CellAnswer =>
  check(cellAnswerSchema, json, `the answer to ${id}`).value
