/** The jobs that climb the ladder: of each training of a scenario, or of one recording. */
import type { Attack } from '../../attacks/attack.js'
import type { Sources } from '../../threat/grant.js'
import { askedAttacks } from '../asked-attacks.js'
import { below, keptAt, liveAt, pathsAt, planAt, type SimulatedPlace, type Task } from '../audit-tasks.js'
import type { RecordingPaths } from '../open-recording.js'
import type { PlanOptions } from '../plan-jobs.js'
import { type AskedAttacks, askTasks } from './ask-tasks.js'

export function ladderTasks(place: SimulatedPlace): Task[] {
  const { scenario, run, repeats, trained } = place
  return askTasks(
    {
      repeat: trained.repeat,
      repeats,
      model: trained.name,
      clients: trained.clients,
      baseSeed: scenario.seed,
      pathsOf: (target) => pathsAt(place, target),
      withoutOf(target) {
        const folder = trained.without.get(target)
        return folder === undefined ? null : `${below(run, folder)}/transcript`
      },
      ranked: trained.seats,
      dealtElsewhere: false,
      live: liveAt(place),
      kept: keptAt(place),
    },
    planAt(place),
    attacksAmong(askedAttacks(scenario)),
  )
}

interface Planned {
  readonly plan: Omit<PlanOptions, 'controls' | 'attacks'>
  readonly attacks: ReturnType<typeof askedAttacks>
  readonly kept: string
}

/** One recording is one training: other clients' messages stand in for a federation without the target. */
export function recordedTasks(
  pathsOf: (target: string | null) => RecordingPaths,
  { transcript }: Sources,
  { plan, attacks, kept }: Planned,
): Task[] {
  const { clients, recordedFor } = transcript.manifest
  const all = 'count' in clients || recordedFor.kind === 'eavesdropper' ? plan.targets : clients.map(({ id }) => id)
  const place = {
    repeat: 0,
    repeats: 1,
    model: null,
    clients: all,
    baseSeed: plan.seed,
    pathsOf,
    withoutOf: () => null,
    ranked: null,
    dealtElsewhere: true,
    kept,
  }
  return askTasks(place, plan, attacksAmong(attacks))
}

/** Oracles are told the truth: they answer no question. */
const attacksAmong = (asked: ReturnType<typeof askedAttacks>): AskedAttacks =>
  asked.flatMap(({ attack, params }) =>
    'run' in attack && 'plant' in attack ? [{ attack: attack as Attack, params }] : [],
  )
