/** A client's turn under the defences: what it is told before, what becomes of its update after. */
import type { Update } from '../transcript/messages.js'
import { checkUpdate } from './clients.js'
import type { Defence } from './hooks.js'
import type { Population } from './population.js'
import type { Settled } from './spec.js'
import { type Turn, turnStream } from './turn.js'

export function turnOf(
  turn: Omit<Turn, 'privacy' | 'memory'> & { readonly memory: Float64Array | undefined },
  defences: readonly Defence[],
): Turn {
  const { memory, ...rest } = turn
  const privacy = defences.find(({ step }) => step !== undefined)?.step
  return { ...rest, ...(memory !== undefined && { memory }), ...(privacy !== undefined && { privacy }) }
}

interface Place {
  readonly settled: Settled
  readonly population: Population
  readonly defences: readonly Defence[]
}

/** The update after every defence on a turn. */
export async function defended(trained: Update, turn: Turn, { settled, population, defences }: Place): Promise<Update> {
  const { learningRate } = settled.plan
  const client = population.id(turn.client)
  let update = trained
  for (const defence of defences) {
    if (defence.turn === undefined) continue
    const own = turnStream(settled, turn).fork('defence', defence.name)
    const at = { round: turn.round, client, received: turn.theta, samples: population.samples(turn.client) }
    update = await defence.turn(update, { ...at, learningRate, rng: own })
    checkUpdate(update, { who: `round ${turn.round}, client "${client}", defence ${defence.name}`, learningRate })
  }
  return update
}
