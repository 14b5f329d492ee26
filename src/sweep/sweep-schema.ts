/** A sweep as people write it: a scenario, what is varied of it, how often, and how much a trial may take. */
import { z } from 'zod'
import { OverhearError } from '../errors.js'
import { check } from '../transcript/validate.js'

const rangeSchema = z.object({
  from: z.number().describe('the lower end'),
  to: z.number().describe('the upper end'),
  steps: z
    .int()
    .min(2)
    .max(10_000)
    .optional()
    .describe('how many values of a grid, both ends included; a search needs none'),
  scale: z.enum(['linear', 'log']).default('linear').describe('equal differences, or equal ratios'),
  whole: z.boolean().default(false).describe('whole numbers alone'),
})

const variantsSchema = z.object({
  variants: z
    .record(z.string().regex(/^[\w .+-]{1,64}$/), z.record(z.string().min(1), z.unknown()))
    .describe("by a name of one's own, the scenario keys that it sets"),
})

const axisSchema = z.union([z.array(z.unknown()).min(1).max(10_000), rangeSchema, variantsSchema])

const searchSchema = z.object({
  method: z.enum(['random', 'tpe']).describe('points at random, or where earlier ones scored well'),
  points: z.int().min(1).max(100_000).describe('how many points are tried, each with every seed'),
  score: z.string().optional().describe('what tpe looks at, such as attribute.record or utility.value'),
  better: z.enum(['higher', 'lower']).default('higher').describe('which scores tpe looks for'),
  together: z.int().min(1).max(1000).default(4).describe('points that tpe asks for before it looks at their scores'),
})

export const sweepSchema = z.object({
  name: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .default('sweep')
    .describe('what folders and pages are called after'),
  scenario: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .describe('the file of a scenario, beside this one, or the scenario itself'),
  axes: z.record(z.string().min(1).max(200), axisSchema).default({}).describe('what is varied'),
  search: searchSchema.optional().describe('tries some points of the axes in place of all'),
  seeds: z.int().min(1).max(10_000).default(1).describe('how often every point is tried, with one seed more each time'),
  attacks: z.unknown().optional().describe("in the place of the scenario's attacks"),
  observers: z.unknown().optional().describe("in the place of the scenario's observers"),
  attempts: z.int().min(1).max(10).default(2).describe('how often a trial is begun whose worker crashes or hangs'),
  secondsPerTrial: z.number().positive().max(1e6).default(3600).describe('a worker that takes longer is ended'),
  megabytesPerWorker: z
    .int()
    .min(64)
    .max(1 << 20)
    .default(4096)
    .describe('a worker that takes more memory is ended'),
})

export type SweepFile = z.output<typeof sweepSchema>
export type AxisInput = z.output<typeof axisSchema>
export type RangeInput = z.output<typeof rangeSchema>
export type SearchInput = z.output<typeof searchSchema>

/** Checks a sweep given as data; the scenario in it is left to its own reader. */
export function readSweep(json: unknown, where = 'sweep'): SweepFile {
  const { value, warnings } = check(sweepSchema, json, where)
  const [unknown] = warnings
  if (unknown !== undefined) {
    const hint = `a sweep has ${Object.keys(sweepSchema.shape).join(', ')}; docs/sweeps.md shows one`
    throw new OverhearError('E_INPUT', unknown.replace(' is kept and ignored', ''), hint)
  }
  return value
}
