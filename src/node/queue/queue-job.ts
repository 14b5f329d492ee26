/** A trial as it travels through a queue, and what comes back: plain data, checked at both ends. */
import { z } from 'zod'
import { hashOf } from '../../audit/hash.js'
import { OverhearError } from '../../errors.js'
import { kernelHash } from '../../numeric/engine/kernel-bytes.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { trialResultSchema } from '../../sweep/trial-result.js'
import { check } from '../../transcript/validate.js'
import { version } from '../version.js'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const jobSchema = z.object({
  format: z.literal('overhear-job/1'),
  versions: z.object({ overhear: z.string(), kernels: z.string() }),
  scenario: z.record(z.string(), z.unknown()),
  /** Files of its dataset by their paths, with the hashes of what is in them. */
  files: z.record(z.string(), sha256),
  limits: z.object({ seconds: z.number().positive(), megabytes: z.int().positive() }),
  label: z.string(),
})

export type QueueJob = z.output<typeof jobSchema>

export const versions = { overhear: version, kernels: kernelHash } as const

/** Trials of one version with one set of kernels have a queue of their own: no other worker is ever handed them. */
export const queueName = `overhear-${version}-${kernelHash.slice(0, 16)}`

/** The id that a trial with this scenario and these files has. */
export function idOf({
  scenario,
  files,
  versions: made,
}: Pick<QueueJob, 'scenario' | 'files' | 'versions'>): Promise<string> {
  const { name: _, ...world } = scenario
  return hashOf({ world, files, versions: made })
}

/** Reads a job; one of another version or other kernels, or that is not what it is called, is refused. */
export async function readJob(id: string, json: unknown): Promise<QueueJob & { readonly scenario: ScenarioInput }> {
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
  if ((await idOf(value)) !== id) {
    throw new OverhearError('E_INPUT', `the job ${id} is not what it is called`, 'somebody changed it on its way')
  }
  return value as typeof value & { readonly scenario: ScenarioInput }
}

const answerSchema = z.union([
  z.object({ kind: z.literal('done'), result: trialResultSchema, seconds: z.number(), worker: z.string() }),
  z.object({ kind: z.enum(['refused', 'lost']), reason: z.string() }),
])

/** What a worker answers. */
export type QueueAnswer = z.output<typeof answerSchema>

export const readAnswer = (id: string, json: unknown): QueueAnswer =>
  check(answerSchema, json, `the answer to ${id}`).value
