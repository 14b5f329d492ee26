/** Attacks on trainings with planted leaks, and on more of them where these leave open whether an attack is broken. */
import { modelName } from '../../scenario/scenario-schema.js'
import type { AttacksAtWork } from '../attacks-at-work.js'
import type { SimulatedPlace } from '../audit-tasks.js'
import type { Job } from '../plan-jobs.js'
import { looks } from './compared-shares.js'
import { plantTasks } from './plant-tasks.js'
import { type PlantOptions, plantsOf, plantTrainings } from './plant-trainings.js'
import { inDoubt, plantedKey } from './with-plants.js'

type Where = Omit<SimulatedPlace, 'trained'>

export async function attackPlants(where: Where, attacking: AttacksAtWork, options: PlantOptions): Promise<void> {
  const { scenario } = where
  if (plantsOf(scenario).length === 0) return
  for await (const trained of plantTrainings(scenario, options)) attacking.add(plantTasks({ ...where, trained }))
  for (let again = 1; again < looks; again++) {
    const doubted = inDoubt((await attacking.settled()) ?? [])
    if (doubted.size === 0) return
    const models = new Set(doubted.values())
    const sure = scenario.models.map((_, model) => modelName(scenario, model)).filter((name) => !models.has(name))
    const without = new Set([...options.without, ...sure])
    for await (const trained of plantTrainings(scenario, { ...options, again, without })) {
      const wanted = (job: Job): boolean => doubted.has(plantedKey({ ...job, model: trained.name }))
      attacking.add(plantTasks({ ...where, trained }, wanted))
    }
  }
}
