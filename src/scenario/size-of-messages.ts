/** How much one training sends, before it is trained. */
import { parameterCount } from '../models/model.js'
import type { Scenario } from './scenario-schema.js'
import { poolsOf, type SimulatePorts } from './simulate.js'
import { chooseModel, dealWorld } from './world.js'

const bytesEach = 4

/** Of the largest model, were every client to take part in every round: an upper bound. */
export async function bytesOfMessages(scenario: Scenario, ports: Pick<SimulatePorts, 'dataset'>): Promise<number> {
  const world = dealWorld(scenario, await poolsOf(scenario, ports))
  const sizes = scenario.models.map((model) => {
    return parameterCount(chooseModel(model, world, scenario.training.learningRate).model)
  })
  return Math.max(...sizes) * bytesEach * scenario.training.rounds * world.clients.length
}
