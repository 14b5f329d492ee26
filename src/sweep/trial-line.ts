/** A finished trial as one line of trials.jsonl, and the log that such lines are kept in. */
import { z } from 'zod'
import { OverhearError } from '../errors.js'
import { check } from '../transcript/validate.js'
import type { Trial } from './trial.js'
import { type TrialResult, trialResultSchema } from './trial-result.js'

const format = 'overhear-trial/1'

const lineSchema = z.object({
  format: z.literal(format),
  id: z.string().regex(/^[0-9a-f]{64}$/),
  seed: z.int().min(0),
  /** The place on every axis, as tables show it. */
  at: z.record(z.string(), z.unknown()),
  /** null: it failed. */
  result: trialResultSchema.nullable(),
  reason: z.string().nullable(),
  /** What does not belong to the result: it differs from run to run. */
  took: z.object({ seconds: z.number().nullable(), attempts: z.int().min(0), worker: z.string().nullable() }),
})

/** One line: what was tried, and what came of it. */
export type TrialLine = z.output<typeof lineSchema>

/** How a trial ended. */
export type Ending = (
  | { readonly result: TrialResult; readonly reason: null }
  | { readonly result: null; readonly reason: string }
) & { readonly took: TrialLine['took'] }

export const lineOf = ({ id, seed, point }: Trial, { result, reason, took }: Ending): TrialLine => ({
  format,
  id,
  seed,
  at: { ...point.shown },
  result,
  reason,
  took,
})

/** Reads a line of a log; one of another format is none. */
export function readLine(text: string, where: string): TrialLine | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new OverhearError('E_INPUT', `${where} is not JSON`, 'delete that line, and its trial is run again')
  }
  if ((json as { format?: unknown } | null)?.format !== format) return undefined
  return check(lineSchema, json, where).value
}

/** Where finished trials are kept. */
export interface TrialLog {
  /** Whether a trial is finished, and how. */
  state(id: string): 'done' | 'failed' | undefined
  read(id: string): Promise<TrialLine | undefined>
  /** Kept once the promise is; a trial that is done already stays as it is. */
  add(line: TrialLine): Promise<void>
}
