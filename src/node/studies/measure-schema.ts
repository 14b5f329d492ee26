/** A figure of a cell, as a log keeps it and a queue carries it. */
import { z } from 'zod'

export const measureSchema = z.object({
  panel: z.string(),
  series: z.string(),
  x: z.number().optional(),
  value: z.number(),
})
