/**
 * [labels] 6.1: one model trained centrally, and the gradient of one client's batch before some of its epochs, each written
 * down as a recording of one round. The thesis trains no federation; what is granted and graded is as in any other recording.
 */
import type { Records } from '../data/records.js'
import { manifestFor } from '../federation/manifest-for.js'
import { pooledRecords } from '../federation/utility.js'
import { functionsOf } from '../models/functions.js'
import { parametersOf } from '../models/index.js'
import { initialise } from '../models/initialise.js'
import { trainer } from '../models/trainer.js'
import { type Rng, rng } from '../numeric/random/rng.js'
import { poolsOf } from '../scenario/simulate.js'
import { stageOf } from '../scenario/simulate-model.js'
import type { World } from '../scenario/world.js'
import { writeKnowledges, writeTruths } from '../scenario/write-world.js'
import { openWriter } from '../transcript/write-transcript.js'
import type { Recorder } from './recorded-run.js'
import type { StudyPorts } from './study.js'

export interface Central {
  /** Epochs before which the client's gradient is taken. */
  readonly epochs: readonly number[]
  readonly learningRate: number
  readonly batchSize: number
  /** What is done to the auxiliary records before the attacker has them: [labels] Eq. (6.1). */
  spoil?(auxiliary: Records, rng: Rng): Records
}

/** The folder of the transcript of an epoch. */
export const epochPart = (epoch: number): string => `epoch-${epoch}`

/** Client 0 holds the batch; all clients' records are trained on, by Adam. */
export function centralTraining({ epochs, learningRate, batchSize, spoil }: Central, ports: StudyPorts): Recorder {
  return async (scenario, folder) => {
    const stage = await stageOf(scenario, 0, { pools: await poolsOf(scenario, ports) })
    const { world, choice, spec, population } = stage
    const root = rng(scenario.seed).fork('studies', 'central')
    const [all, batch] = [pooledRecords(population), population.records(0)]
    await writeKnowledges(folder(''), scenario, spoil === undefined ? world : spoilt(world, spoil, root.fork('spoilt')))
    await writeTruths(folder('truth'), scenario, { world, batches: [], properties: {} })
    const central = trainer(choice.model, { data: all, adam: {}, precision: 'f32', loss: choice.loss })
    const functions = functionsOf(choice.model, { loss: choice.loss })
    try {
      central.load(initialise(choice.model, root.fork('theta')))
      for (let epoch = 0, last = Math.max(...epochs); ; epoch++) {
        if (epochs.includes(epoch)) {
          const global = central.theta()
          const grad = functions.gradient(global, batch).grad.map(Math.fround)
          const clients = new Map([['0', { kind: 'gradient' as const, grad }]])
          const manifest = manifestFor(spec, population)
          const writer = await openWriter(folder(epochPart(epoch)), manifest, { parametersOf })
          await writer.append({ round: 0, participants: ['0'], global, clients })
        }
        if (epoch === last) break
        const order = root.fork('epoch', epoch).permutation(all.labels.length)
        for (let s = 0; s < order.length; s += batchSize) central.step(order.subarray(s, s + batchSize), learningRate)
      }
    } finally {
      central.release()
    }
    return { targets: ['0'] }
  }
}

/** The world in which the adversary's records are other ones. */
function spoilt(world: World, spoil: NonNullable<Central['spoil']>, own: Rng): World {
  const encode: World['encode'] = (rows) => {
    const made = world.encode(rows)
    return rows === world.auxiliary ? { ...made, records: spoil(made.records, own) } : made
  }
  return { ...world, encode }
}
