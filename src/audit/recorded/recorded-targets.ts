/** Whom the attacks on a recording look at, and with which knowledge. */
import { OverhearError } from '../../errors.js'
import { type Sources, targetOf } from '../../threat/grant.js'
import { some } from '../../transcript/validate.js'
import type { RecordingPaths } from '../open-recording.js'
import { idsIn, targetsIn } from './aimed-knowledge.js'

export interface RecordedTargets {
  readonly targets: readonly string[]
  /** What a reader must know of those who are not among them. */
  readonly notes: readonly string[]
  /** The files for attacks on a client, or on nobody in particular. */
  pathsOf(target: string | null): RecordingPaths
}

/** Clients that are attacked where none is named, unless told. */
const usualMost = 20

/** The client that is named; else each whose messages were heard, and of whom there is knowledge where that is of single clients. */
export async function recordedTargets(
  { knowledgeOf, ...paths }: RecordingPaths,
  sources: Sources,
  most: number = usualMost,
): Promise<RecordedTargets> {
  const named = targetOf(sources)
  if (knowledgeOf === undefined) {
    if (named !== undefined) return { targets: [named], notes: [], pathsOf: () => paths }
    const { targets, left } = await targetsIn(sources.transcript, most)
    return { targets, notes: leftOut(targets, left), pathsOf: (target) => aimed(paths, target) }
  }
  const known = Object.keys(knowledgeOf)
  const ids = named === undefined ? idsIn(sources.transcript) : [named]
  const both = known.filter((id) => ids.includes(id))
  if (both.length === 0) {
    const found = `the table has records of the clients ${some(known)}, and the recording has the clients ${some(ids)}`
    throw new OverhearError(
      'E_INPUT',
      found,
      'write the ids of the recording into the client column, or give the recorder aliases',
    )
  }
  const heard = named === undefined ? (await targetsIn(sources.transcript, Number.POSITIVE_INFINITY)).targets : [named]
  const able = both.filter((id) => heard.includes(id))
  // Of sums nobody can be attacked alone; somebody is asked about, so that attacks say what they lack.
  const all = able.length > 0 ? able : both.slice(0, 1)
  const targets = all.slice(0, most)
  const first = knowledgeOf[targets[0]!]!
  return {
    targets,
    notes: [
      ...strangers(known, ids, heard.length === 0 ? both : heard),
      ...leftOut(targets, all.length - targets.length),
    ],
    pathsOf: (target) => ({ ...paths, knowledge: target === null ? first : knowledgeOf[target]! }),
  }
}

const aimed = (paths: RecordingPaths, target: string | null): RecordingPaths =>
  target === null ? paths : { ...paths, target }

const leftOut = (targets: readonly string[], left: number): string[] =>
  left === 0
    ? []
    : [`no target is named: the first ${targets.length} clients were attacked, ${left} not (--clients N, or --target)`]

/** Clients of the table that nobody heard, and clients who were heard and are not in the table. */
function strangers(known: readonly string[], ids: readonly string[], heard: readonly string[]): string[] {
  const absent = known.filter((id) => !ids.includes(id))
  const silent = known.filter((id) => ids.includes(id) && !heard.includes(id))
  const unknown = heard.filter((id) => !known.includes(id))
  return [
    ...(absent.length > 0 ? [`in the table and not in the recording: ${counted(absent)}`] : []),
    ...(silent.length > 0 ? [`in the table and never heard in the recording: ${counted(silent)}`] : []),
    ...(unknown.length > 0
      ? [`heard in the recording and not in the table, so not attacked: ${counted(unknown)}`]
      : []),
  ]
}

const counted = (ids: readonly string[]): string =>
  `${ids.length === 1 ? 'client' : `${ids.length} clients`} ${some(ids)}`
