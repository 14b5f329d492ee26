/** What a setting of a paper is a leak of: an audit of it, as the rungs of the ladder for each thing that attacks tell. */
import { audit } from '../audit/audit.js'
import { memoryPorts } from '../audit/memory-ports.js'
import type { ScenarioInput } from '../scenario/scenario-schema.js'
import type { StudyPorts } from './study.js'

export const rungNames = ['guess', 'federation', 'client', 'record'] as const

export interface Rung {
  /** What is told, and by which metric. */
  readonly about: string
  readonly rung: (typeof rungNames)[number]
  readonly value: number
}

export interface Ladder {
  readonly rungs: readonly Rung[]
  /** What the first model is good for, on rows that nobody trained on; null where none are kept back. */
  readonly utility: number | null
}

export async function ladderOf(input: ScenarioInput, { dataset }: StudyPorts): Promise<Ladder> {
  const { questions, utility } = await audit(input, { ports: memoryPorts({ dataset }) }).result
  const rungs = questions.flatMap(({ kind, name, ladder }) =>
    rungNames.flatMap((rung) => {
      const value = ladder[rung]
      return value === null ? [] : [{ about: `${name ?? kind} (${ladder.metric})`, rung, value }]
    }),
  )
  return { rungs, utility: Object.values(utility)[0]?.value ?? null }
}
