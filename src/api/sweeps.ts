/** What the page asks of sweeps and studies, and what it is told: schemas of both, for both sides. */
import { z } from 'zod'

const index = z.coerce.number().int().min(0).max(999)

/** Columns to draw: figures by their number, with commas between. */
export const columnsRequest = z.strictObject({
  figures: z
    .string()
    .regex(/^\d{1,3}(?:,\d{1,3}){0,7}$/)
    .default('0'),
})
/** One figure along each axis; or along one of them, a picture for each value of another. */
export const multiplesRequest = z.strictObject({ figure: index.default(0), x: index.optional(), by: index.optional() })
export type ColumnsRequest = z.input<typeof columnsRequest>
export type MultiplesRequest = z.input<typeof multiplesRequest>

export const sweepSummary = z.strictObject({
  id: z.string(),
  changed: z.number(),
  bytes: z.int(),
})
export type SweepSummary = z.infer<typeof sweepSummary>

const axis = z.strictObject({
  name: z.string(),
  /** null: numbers; else what the places are called, in the order in which they came up. */
  words: z.array(z.string()).nullable(),
  places: z.int(),
})
export type SweepAxis = z.infer<typeof axis>

export const sweepAnswer = z.strictObject({
  id: z.string(),
  trials: z.int(),
  failed: z.int(),
  axes: z.array(axis),
  /** Names of figures, those that most trials have first. */
  figures: z.array(z.string()),
  /** By the word of the verdict how many trials have it. */
  levels: z.record(z.string(), z.int()),
  /** Why trials failed, some of them. */
  reasons: z.array(z.string()),
})
export type SweepAnswer = z.infer<typeof sweepAnswer>

const column = z.strictObject({
  name: z.string(),
  words: z.array(z.string()).nullable(),
  /** A number, or a place among the words. */
  values: z.array(z.number().nullable()),
})
export const columnsAnswer = z.strictObject({
  /** Trials that are drawn: evenly some of more. */
  drawn: z.int(),
  trials: z.int(),
  columns: z.array(column),
})
export type ColumnsAnswer = z.infer<typeof columnsAnswer>

const multiple = z.strictObject({
  title: z.string(),
  axis: z.string(),
  points: z.array(
    z.strictObject({
      at: z.string(),
      x: z.number().nullable(),
      mean: z.number(),
      least: z.number(),
      most: z.number(),
      n: z.int(),
    }),
  ),
})
export type Multiple = z.infer<typeof multiple>
export const multiplesAnswer = z.strictObject({
  figure: z.string(),
  low: z.number(),
  high: z.number(),
  panels: z.array(multiple),
})
export type MultiplesAnswer = z.infer<typeof multiplesAnswer>

const words = z.string().max(5000)
const studyRow = z.object({
  panel: words,
  series: words,
  x: z.number().optional(),
  ours: z.object({ mean: z.number(), std: z.number(), n: z.int() }),
  paper: z.object({ mean: z.number(), std: z.number().nullable() }).nullable().default(null),
  note: words.default(''),
})
export type StudyRow = z.infer<typeof studyRow>

/** A study as `overhear reproduce` stores it. */
export const storedStudy = z.object({
  study: words,
  title: words,
  paper: words,
  where: words,
  unit: words,
  axis: words.nullable(),
  rows: z.array(studyRow).max(20_000),
  claims: z.array(z.object({ text: words, holds: z.boolean().nullable(), believed: words.optional() })).max(1000),
  departs: z.array(words).max(1000),
  run: z.object({
    quick: z.boolean(),
    seeds: z.array(z.int()).max(10_000),
    cells: z.int(),
    planned: z.int(),
    seconds: z.number(),
    version: words,
    date: words,
    trouble: z.array(words).max(1000),
  }),
})
export type StoredStudy = z.infer<typeof storedStudy>

export const studySummary = z.strictObject({
  key: z.string(),
  study: z.string(),
  title: z.string(),
  where: z.string(),
  paper: z.string(),
  quick: z.boolean(),
  date: z.string(),
  holds: z.int(),
  fails: z.int(),
  claims: z.int(),
  /** The folder of runs that it lies in; null: it came with the package. */
  run: z.string().nullable(),
})
export type StudySummary = z.infer<typeof studySummary>
