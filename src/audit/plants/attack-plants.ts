/** Attacks on trainings with planted leaks, and on more of them where these leave open whether an attack is broken. */
import type { AttacksAtWork } from '../attacks-at-work.js'
import type { SimulatedPlace } from '../audit-tasks.js'
import type { Job } from '../plan-jobs.js'
import { looks } from './compared-shares.js'
import { plantTasks } from './plant-tasks.js'
import { beginPlants, type PlantOptions, type PlantsBegun, plantsOf } from './plant-trainings.js'
import { inDoubt, plantedKey } from './with-plants.js'

export interface AttackPlantsOptions extends PlantOptions {
  /** The first of them. */
  readonly begun: PlantsBegun
  /** Models that were given up. */
  readonly without: ReadonlySet<string>
}

export async function attackPlants(
  where: Omit<SimulatedPlace, 'trained'>,
  attacking: AttacksAtWork,
  { begun, without, ...options }: AttackPlantsOptions,
): Promise<void> {
  const { scenario } = where
  if (plantsOf(scenario).length === 0) return
  for await (const trained of begun.finished(without)) attacking.add(plantTasks({ ...where, trained }))
  for (let again = 1; again < looks; again++) {
    const doubted = inDoubt((await attacking.settled()) ?? [])
    if (doubted.size === 0) return
    const models = new Set(doubted.values())
    const among = (model: string): boolean => models.has(model) && !without.has(model)
    const more = await beginPlants(scenario, options, { again, among })
    for await (const trained of more.finished(without)) {
      const wanted = (job: Job): boolean => doubted.has(plantedKey({ ...job, model: trained.name }))
      attacking.add(plantTasks({ ...where, trained }, wanted))
    }
  }
}
