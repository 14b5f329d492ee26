/** Which file is which message: proposed from the names of files, looked over by a person, then followed to the letter. */
import { z } from 'zod'
import { idPattern } from '../client-id.js'
import { wrongFile } from './arrays.js'

const path = z.string().min(1)

export const mapSchema = z.strictObject({
  format: z.literal('overhear-import/1'),
  model: z.looseObject({ kind: z.string().min(1) }),
  loss: z.enum(['mse', 'cross-entropy', 'binary-cross-entropy']),
  protocol: z.looseObject({ share: z.enum(['parameters', 'delta', 'gradient']) }),
  /** The arrays of the files in the order of the model's parameters. */
  parameters: z.array(z.strictObject({ name: z.string().min(1), shape: z.array(z.int().min(0)) })).min(1),
  clients: z.array(z.strictObject({ id: z.string().regex(idPattern), samples: z.int().min(0).nullable() })),
  rounds: z
    .array(
      z.strictObject({
        round: z.int().min(0),
        global: path.nullable(),
        clients: z.record(z.string().regex(idPattern), path),
      }),
    )
    .min(1),
})

export type RecordingMap = z.output<typeof mapSchema>

/** What the name of a file says: the round's own number, and whose message it is; null is everybody's. */
export interface NamedFile {
  readonly path: string
  readonly round: number | undefined
  readonly client: string | null
}

const ofRound = /(?:^|[^a-z])(?:round|rnd|r|epoch|step|iter(?:ation)?)[-_. ]?(\d+)/i
const ofClient = /(?:^|[^a-z])(?:client|node|site|hospital|party|worker|user|cid|c)(?:[-_. =]|(?=\d))([a-z0-9]+)/i

export function namedFile(file: string): NamedFile {
  const bare = file.replace(/\.[a-z]+$/i, '')
  const client = ofClient.exec(bare)
  const rest = client === null ? bare : bare.replace(client[0], '/')
  const number = ofRound.exec(rest)?.[1] ?? /(\d+)/.exec(rest)?.[1]
  return { path: file, round: number === undefined ? undefined : Number(number), client: client?.[1] ?? null }
}

/** Rounds in order, counted from 0, whatever number the first has. */
export function proposeRounds(files: readonly string[], where: string): RecordingMap['rounds'] {
  const rounds = new Map<number, { global: string | null; clients: Record<string, string> }>()
  for (const { path: file, round, client } of files.map(namedFile)) {
    if (round === undefined) {
      throw wrongFile(
        where,
        `no number of a round in the name ${JSON.stringify(file)}`,
        'names such as round-3/client-a.npz, or a map by --map',
      )
    }
    const here = rounds.get(round) ?? { global: null, clients: {} }
    const there = client === null ? here.global : here.clients[client]
    if (there !== null && there !== undefined) {
      const whose = client === null ? 'the global model' : `client ${client}`
      throw wrongFile(
        where,
        `two files of round ${round} for ${whose}: ${JSON.stringify(there)} and ${JSON.stringify(file)}`,
        'say which by --map',
      )
    }
    if (client === null) here.global = file
    else here.clients[client] = file
    rounds.set(round, here)
  }
  return [...rounds].sort(([a], [b]) => a - b).map(([, one], i) => ({ round: i, ...one }))
}
