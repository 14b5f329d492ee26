/** A trial, or a cell of a study, as it travels through a queue, and what comes back: plain data, checked at both ends. */
import { z } from 'zod'
import { hashOf } from '../../audit/hash.js'
import { OverhearError } from '../../errors.js'
import { kernelHash } from '../../numeric/engine/kernel-bytes.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { trialResultSchema } from '../../sweep/trial-result.js'
import { check } from '../../transcript/validate.js'
import { measureSchema } from '../studies/measure-schema.js'
import { version } from '../version.js'

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
const jobSchema = z.discriminatedUnion('format', [trialSchema, cellSchema])

/** A trial of a sweep. */
export type TrialJob = z.output<typeof trialSchema>
/** A cell of a study; its id is the job's. */
export type CellJob = z.output<typeof cellSchema>
export type QueueJob = TrialJob | CellJob

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

type ReadTrial = TrialJob & { readonly scenario: ScenarioInput }

/** Reads a job; one of another version or other kernels, or that is not what it is called, is refused. */
export async function readJob(id: string, json: unknown): Promise<CellJob | ReadTrial> {
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
  const named = 'cell' in value ? await (await import('../studies/cell-name.js')).cellNameOf(value) : await idOf(value)
  if (named !== id) {
    throw new OverhearError('E_INPUT', `the job ${id} is not what it is called`, 'somebody changed it on its way')
  }
  return value as CellJob | ReadTrial
}

const answering = <R extends z.ZodType>(result: R) =>
  z.union([
    z.object({ kind: z.literal('done'), result, seconds: z.number(), worker: z.string() }),
    z.object({ kind: z.enum(['refused', 'lost']), reason: z.string() }),
  ])
const answerSchema = answering(trialResultSchema)
const cellAnswerSchema = answering(z.object({ measures: z.array(measureSchema), seconds: z.number().min(0) }))

/** What a worker answers to a trial. */
export type TrialAnswer = z.output<typeof answerSchema>
/** And to a cell. */
export type CellAnswer = z.output<typeof cellAnswerSchema>

export const readAnswer = (id: string, json: unknown): TrialAnswer =>
  check(answerSchema, json, `the answer to ${id}`).value
export const readCellAnswer = (id: string, json: unknown): CellAnswer =>
  check(cellAnswerSchema, json, `the answer to ${id}`).value
