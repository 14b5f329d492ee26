/** What another thread does that is asked to train a federation with a planted leak. */
import { OverhearError } from '../../errors.js'
import { inlinePool } from '../../federation/pool.js'
import type { Population } from '../../federation/population.js'
import type { FederationSpec } from '../../federation/spec.js'
import { poolsFrom } from '../../scenario/pools.js'
import type { SimulateEvent, SimulatePorts } from '../../scenario/simulate.js'
import { below } from '../audit-tasks.js'
import type { PlantReply, PlantRequest } from '../ports.js'
import { trainPlant } from './train-plant.js'

export interface PlantRunnerPorts {
  /** The folder that a path names. */
  folder: SimulatePorts['folder']
  /** Whether one thread can train it while others wait for nothing. */
  isSmall(spec: FederationSpec, population: Population): boolean
}

class Large extends Error {}

/** Trains in this thread, one after the other. */
export function plantRunner({ folder, isSmall }: PlantRunnerPorts): (request: PlantRequest) => Promise<PlantReply> {
  return async ({ scenario, pools, run, planted, repair }) => {
    const events: SimulateEvent[] = []
    const ports: SimulatePorts = {
      folder: (path, options) => folder(below(run, path), options),
      clients(spec, population) {
        if (!isSmall(spec, population)) throw new Large()
        return inlinePool(spec, { population })
      },
    }
    const emit = (event: SimulateEvent): void => {
      if (event.kind !== 'round') events.push(event)
    }
    try {
      const trained = await trainPlant(scenario, planted, { ports, repair, emit, pools: poolsFrom(pools) })
      return trained instanceof OverhearError ? { kind: 'diverged' } : { kind: 'made', trained, events }
    } catch (error) {
      if (error instanceof Large) return { kind: 'large' }
      throw error
    }
  }
}
