/** Whom the attacks on a recording look at. */
import { type Sources, targetOf } from '../../threat/grant.js'
import type { RecordingPaths } from '../open-recording.js'
import { targetsIn } from './aimed-knowledge.js'

/** The client that is named; else each whose messages were heard, of many the first ones. */
export async function recordedTargets(paths: RecordingPaths, sources: Sources) {
  const named = targetOf(sources)
  if (named !== undefined) return { targets: [named], doubts: [], pathsOf: () => paths }
  // Without truth few attacks apply and no ladder is climbed: more clients can be looked at.
  const { targets, left } = await targetsIn(sources.transcript, paths.truth === undefined ? 20 : 5)
  const doubts =
    left === 0
      ? []
      : [
          `no target is named: the first ${targets.length} clients were attacked, ${left} not (--target, or target in the knowledge)`,
        ]
  return { targets, doubts, pathsOf: (target: string | null) => (target === null ? paths : { ...paths, target }) }
}
