/** What the explorer asks of a run's messages and claims, and what it is told: schemas of both, for both sides. */
import { z } from 'zod'

/** Pages: from where, and how many at most. */
const from = z.coerce.number().int().min(0).max(1e9).default(0)
const count = (usual: number, most: number) => z.coerce.number().int().min(1).max(most).default(usual)

/** A training of the run by its place in the folder; the audited one where nothing is said. It is looked up in a list. */
const place = z.string().max(400).default('')
const client = z.string().min(1).max(128)

export const exploreRequest = z.strictObject({ place })
export const timelineRequest = z.strictObject({ place, from, count: count(60, 120) })
export const roundRequest = z.strictObject({ place, round: z.coerce.number().int().min(0).max(1e9), from, count: count(50, 200) }) // biome-ignore format: one line
export const clientRequest = z.strictObject({ place, client, from, count: count(60, 120) })
export const participationRequest = z.strictObject({
  place,
  from,
  count: count(60, 200),
  fromRound: from,
  rounds: count(120, 400),
})
export const recordsRequest = z.strictObject({ client, from, count: count(50, 200) })

export type Asked<T extends z.ZodType> = Partial<z.input<T>>
export type ExploreRequest = Asked<typeof exploreRequest>
export type TimelineRequest = Asked<typeof timelineRequest>
export type RoundRequest = Asked<typeof roundRequest>
export type ClientRequest = Asked<typeof clientRequest>
export type ParticipationRequest = Asked<typeof participationRequest>
export type RecordsRequest = Asked<typeof recordsRequest>

const figure = z.number().nullable()

/** How a stated protocol fits the messages, where an attack has looked. */
const fit = z.strictObject({
  attack: z.string(),
  observer: z.string(),
  target: z.string().nullable(),
  /** How likely messages as far off are where the statement is true. */
  p: figure,
  /** Settings that were heard to differ: "learningRate: 0.05 stated, 0.1 heard". */
  differs: z.array(z.string()),
})

export const exploreAnswer = z.strictObject({
  /** Trainings whose messages are there, the audited one first. */
  places: z.array(z.string()),
  place: z.string(),
  recordedFor: z.string(),
  model: z.string(),
  parameters: z.int(),
  /** What a client returns. */
  share: z.string(),
  heard: z.enum(['updates', 'sums', 'models']),
  rounds: z.int(),
  clients: z.int(),
  stated: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  fits: z.array(fit),
  /** Clients that have claims about their records. */
  recordsOf: z.array(z.string()),
  warnings: z.array(z.string()),
})
export type ExploreAnswer = z.infer<typeof exploreAnswer>

/** Of so many norms the least, the quartiles and the most. */
const spread = z.strictObject({
  of: z.int(),
  least: z.number(),
  low: z.number(),
  middle: z.number(),
  high: z.number(),
  most: z.number(),
})
export type Spread = z.infer<typeof spread>

/** `misfit`, here and below: how far a message is from what the protocol states, squared, over what is expected: about 1 where it is
 * true, null where no attack has looked. Of a round the largest. */
const timelineRow = z.strictObject({
  round: z.int(),
  bytes: z.int(),
  participants: z.int().nullable(),
  dropped: z.int(),
  tampered: z.int(),
  /** Norms: of the model that all are sent, of the sum that was heard, of what clients changed. */
  sent: figure,
  sum: figure,
  changes: spread.nullable(),
  misfit: figure,
})
export type TimelineRow = z.infer<typeof timelineRow>
export const timelineAnswer = z.strictObject({ from: z.int(), total: z.int(), rounds: z.array(timelineRow) })
export type TimelineAnswer = z.infer<typeof timelineAnswer>

const message = z.strictObject({
  who: z.string(),
  way: z.enum(['to all', 'to one', 'from', 'sum']),
  bytes: z.int(),
  /** Of what was sent; of a client's, of its change where that is known. */
  norm: z.number(),
  tampered: z.boolean(),
  misfit: figure,
})
export const roundAnswer = z.strictObject({ round: z.int(), from: z.int(), total: z.int(), messages: z.array(message) })
export type RoundAnswer = z.infer<typeof roundAnswer>

const turn = z.strictObject({
  round: z.int(),
  bytes: z.int(),
  /** The norm of its change. */
  norm: z.number(),
  /** The cosine between this change and the one before. */
  turned: figure,
  tampered: z.boolean(),
  misfit: figure,
})
export const clientAnswer = z.strictObject({
  id: z.string(),
  samples: z.int().nullable(),
  turns: z.int().nullable(),
  from: z.int(),
  total: z.int(),
  messages: z.array(turn),
  /** What an audit says of it. */
  questions: z.array(
    z.strictObject({ about: z.string(), observer: z.string(), level: z.string(), metric: z.string(), best: figure }),
  ),
  fits: z.array(fit),
})
export type ClientAnswer = z.infer<typeof clientAnswer>

const participant = z.strictObject({
  id: z.string(),
  samples: z.int().nullable(),
  turns: z.int(),
  /** Whether some combination of the sums isolates it; null: not looked at. */
  separable: z.boolean().nullable(),
  /** Others of which only a total with this one can be learned. */
  together: z.array(z.string()),
  /** A letter a round: 1 took part, 0 did not, d dropped out, t was sent something else. */
  cells: z.string(),
})
export const participationAnswer = z.strictObject({
  from: z.int(),
  total: z.int(),
  fromRound: z.int(),
  rounds: z.int(),
  /** Whether clients are heard one by one: then everybody can be told apart. */
  alone: z.boolean(),
  /** Of all clients, not of these alone. */
  separable: z.int().nullable(),
  /** Rounds of other groups that are missing until everybody is. */
  roundsMissing: z.int().nullable(),
  rows: z.array(participant),
})
export type ParticipationAnswer = z.infer<typeof participationAnswer>

const claim = z.strictObject({
  attack: z.string(),
  observer: z.string(),
  said: z.string(),
  sure: figure,
  right: z.boolean().nullable(),
})
const record = z.strictObject({
  row: z.int(),
  id: z.string(),
  about: z.array(
    z.strictObject({
      name: z.string(),
      truth: z.string().nullable(),
      /** Whether the audit counts it among those that are given away. */
      exposed: z.boolean(),
      /** The surest first. */
      claims: z.array(claim),
    }),
  ),
})
export type RecordClaims = z.infer<typeof record>
export const recordsAnswer = z.strictObject({
  client: z.string(),
  from: z.int(),
  total: z.int(),
  records: z.array(record),
})
export type RecordsAnswer = z.infer<typeof recordsAnswer>
