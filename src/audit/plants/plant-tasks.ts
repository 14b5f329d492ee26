/** The jobs on a training in which a leak was planted: every attack once, about the first target, from where it can stand. */
import { askedAttacks } from '../asked-attacks.js'
import { keptAt, liveAt, pathsAt, planAt, type SimulatedPlace, type Task } from '../audit-tasks.js'
import { observersOf, planJobs } from '../plan-jobs.js'

export function plantTasks(place: SimulatedPlace): Task[] {
  const { scenario, trained } = place
  const { name: model, targets, plant } = trained
  const live = liveAt(place)
  return askedAttacks(scenario).flatMap(({ attack, params }) => {
    if (!('plant' in attack)) return [] // oracles are told the truth
    const able = observersOf(attack, params)
    const planned = planJobs({
      ...planAt(place),
      targets: targets.slice(0, 1),
      attacks: [{ attack, params }],
      controls: false,
    })
    return planned
      .filter(({ job }) => able.includes(job.observer))
      .map(
        (one): Task => ({
          planned: one,
          model,
          paths: pathsAt(place, one.job.target ?? targets[0]!),
          live,
          kept: keptAt(place),
          ...(plant !== undefined && { plant }),
        }),
      )
  })
}
