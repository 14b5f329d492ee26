/** What the page may ask its server for, as schemas: the server checks by them, the page is typed by them. */
import { z } from 'zod'

/** The longest scenario that is read, in characters. */
const mostText = 1_000_000

/** A name of a run or an upload: it becomes the name of a folder or a file. */
export const placeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

const named = z.string().regex(placeName)
const column = z.string().min(1).max(1000)

/** A scenario to run, as the text that stands on the page. */
const scenarioToStart = z.strictObject({ yaml: z.string().max(mostText) })

/** A recording that was uploaded, with the table of its clients' records where one was. */
const recordingToStart = z.strictObject({
  recording: named,
  table: z
    .strictObject({
      upload: named,
      label: column,
      client: column,
      sensitive: z.array(column).max(20).optional(),
    })
    .optional(),
})

export const startRequest = z.union([scenarioToStart, recordingToStart])
export type StartRequest = z.infer<typeof startRequest>

export const checkRequest = z.strictObject({ yaml: z.string().max(mostText) })
export type CheckRequest = z.infer<typeof checkRequest>

/** Values of the form, to be put into the text in this order; one without a value is taken out. */
export const editRequest = z.strictObject({
  yaml: z.string().max(mostText),
  edits: z
    .array(
      z.strictObject({
        path: z
          .array(z.union([z.string().min(1).max(200), z.int().min(0).max(99)]))
          .min(1)
          .max(6),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(20),
})
export type EditRequest = z.infer<typeof editRequest>

export const compareRequest = z.strictObject({ before: named, after: named })

/** A page of a run's questions: tested ones, the worst first, or those that were not; those whose words hold `find`. */
export const questionsRequest = z.strictObject({
  from: z.coerce.number().int().min(0).max(1e9).default(0),
  count: z.coerce.number().int().min(1).max(200).default(50),
  tested: z.enum(['yes', 'no']).default('yes'),
  find: z.string().max(200).default(''),
})
export type QuestionsRequest = Partial<z.input<typeof questionsRequest>>
