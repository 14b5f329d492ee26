/** The jobs on a training in which a leak was planted: every attack once, about the first target, from where it can stand. */
import { plants } from '../../scenario/plants/grades.js'
import { askedAttacks } from '../asked-attacks.js'
import { keptAt, liveAt, pathsAt, planAt, type SimulatedPlace, type Task } from '../audit-tasks.js'
import { type Job, observersOf, planJobs } from '../plan-jobs.js'

/** All attacks unless told which; on the first plants they are told the same otherwise too, and once with other labels. */
export function plantTasks(place: SimulatedPlace, wanted: (job: Job) => boolean = () => true): Task[] {
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
      .filter(({ job }) => able.includes(job.observer) && wanted(job))
      .map(
        (one): Task => ({
          planned: { ...one, job: { ...one.job, ...retellingOf(plant), withoutCurve: true } },
          model,
          paths: pathsAt(place, one.job.target ?? targets[0]!),
          live,
          kept: keptAt(place),
          ...(plant !== undefined && { plant }),
        }),
      )
  })
}

/** Whoever reads no labels reads none on any plant: that is seen on one. */
function retellingOf(plant: number | undefined): Pick<Job, 'retold'> {
  if (plant === undefined || !plants.includes(plant)) return {}
  return { retold: plant === plants[0] ? 'all' : 'same-labels' }
}
