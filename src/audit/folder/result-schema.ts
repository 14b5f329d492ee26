/** What a line of results.jsonl may hold. Only imported when one is read: what it is made with is slow to load. */
import { z } from 'zod'
import { resultFormat } from './result-format.js'

/** Names of attacks, observers, clients, metrics: as tables and recordings allow them. */
const name = z.string().max(512)
const text = z.string()
/** JSON has no NaN: a figure that could not be computed is null there. */
const figure = z.number().nullable()
const figures = z.array(figure)
const better = z.enum(['higher', 'lower'])

const scoreSchema = z.looseObject({
  metric: name,
  value: figure,
  accuracy: figure.optional(),
  chance: figure,
  guesser: text,
  lift: figure,
  interval: z.tuple([figure, figure]).nullable(),
  intervalKind: z.enum(['exact', 'bootstrap', 'DeLong']).nullable(),
  better,
  also: z.record(name, figure),
  notes: z.array(text),
  perRecord: figures.optional(),
  pairedWith: figures.optional(),
  perClient: z.array(z.looseObject({ id: name, right: z.boolean() })).optional(),
  confusion: z.looseObject({ values: z.array(text), counts: z.array(figures) }).optional(),
})

const findingSchema = z.looseObject({
  claim: z.looseObject({ kind: name }),
  score: scoreSchema.nullable(),
  cells: z.record(name, figure.optional()).optional(),
  lacks: z.array(name).optional(),
  rebuilt: z
    .looseObject({
      columns: z.array(text),
      shape: z.unknown(),
      pairs: z.array(z.looseObject({ truth: figures, claimed: figures.nullable() })),
    })
    .optional(),
})

const sureness = z.array(z.tuple([z.number(), z.int().min(0), z.int().min(1)]))

const answerSchema = z.looseObject({
  kind: name,
  name: text.nullable(),
  metric: name,
  better,
  best: figure,
  how: z.enum(['relabel', 'swap', 'clients', 'none']),
  trained: figures,
  held: figures,
  contrast: figures,
  federation: figure.optional(),
  everybody: figure.optional(),
  seats: z.array(figures).optional(),
  sureness: sureness.optional(),
  rehearsals: z.array(sureness).optional(),
  accusing: sureness.optional(),
})

const spread = z.looseObject({ mean: z.number(), deviation: z.number() })
const curvePoint = z.looseObject({ beta: z.number(), misfit: z.number(), size: z.number() })
const workingsSchema = z.looseObject({
  lCurve: z.looseObject({ points: z.array(curvePoint), chosen: curvePoint.nullable(), rule: name }).optional(),
  features: z
    .looseObject({
      property: name,
      rounds: z.array(
        z.looseObject({ round: z.number(), having: spread, lacking: spread, overlap: z.number(), heard: figure }),
      ),
    })
    .optional(),
})

/** A result as it is kept, and as it comes from other machines. */
export const resultSchema = z.looseObject({
  attack: name,
  status: z.enum(['claimed', 'not-applicable', 'failed']),
  oracle: z.boolean(),
  observer: name,
  model: name.nullable(),
  target: name.nullable(),
  params: z.record(z.string(), z.unknown()),
  seed: z.number(),
  findings: z.array(findingSchema),
  missing: z.array(text).optional(),
  why: text.optional(),
  error: z.looseObject({ code: name, message: text }).optional(),
  warnings: z.array(text),
  details: z.record(z.string(), z.unknown()),
  workings: workingsSchema.optional(),
  controls: z
    .looseObject({
      planted: z.looseObject({
        status: z.enum(['passed', 'broken', 'blind', 'none', 'failed']),
        score: scoreSchema.nullable(),
        reason: text,
      }),
    })
    .optional(),
  plant: z.int().min(0).optional(),
  retold: z
    .looseObject({ how: name, apart: z.number(), again: z.number().optional(), follows: z.boolean() })
    .optional(),
  sameAs: name.optional(),
  ladder: z
    .looseObject({ repeat: z.int().min(0), answers: z.array(answerSchema), notAsked: text.optional() })
    .optional(),
  millis: z.number(),
})

const line = { format: z.literal(resultFormat), hash: z.string().regex(/^[\w-]{1,128}$/) }

/** A result, or what was claimed before its controls ran. */
export const lineSchema = z.union([
  z.strictObject({ ...line, result: resultSchema }),
  z.strictObject({ ...line, claimed: resultSchema }),
])
