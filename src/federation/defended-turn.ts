/** A client's turn under the defences: what it is told before, what becomes of its update after. */
import { OverhearError } from '../errors.js'
import type { Update } from '../transcript/round-messages.js'
import { checkUpdate } from './clients.js'
import type { Defence, SumExchange } from './hooks.js'
import type { Population } from './population.js'
import type { Settled } from './spec.js'
import { type Turn, turnStream } from './turn.js'

export function turnOf(
  turn: Omit<Turn, 'privacy' | 'mixing' | 'memory'> & { readonly memory: Float64Array | undefined },
  defences: readonly Defence[],
): Turn {
  const { memory, ...rest } = turn
  const privacy = defences.find(({ step }) => step !== undefined)?.step
  const mixing = defences.find((one) => one.mixing !== undefined)?.mixing
  return {
    ...rest,
    ...(memory !== undefined && { memory }),
    ...(privacy !== undefined && { privacy }),
    ...(mixing !== undefined && { mixing }),
  }
}

interface Place {
  readonly settled: Settled
  readonly population: Population
  readonly defences: readonly Defence[]
}

/** The update after every defence on a turn. */
export async function defended(trained: Update, turn: Turn, { settled, population, defences }: Place): Promise<Update> {
  const learningRate = settled.rateIn(turn.round)
  const client = population.id(turn.client)
  let update = trained
  for (const defence of defences) {
    if (defence.turn === undefined) continue
    const own = turnStream(settled, turn).fork('defence', defence.name)
    const at = {
      ...{ round: turn.round, client, received: turn.theta, samples: population.samples(turn.client) },
      ...{ model: settled.model, records: () => population.records(turn.client) },
    }
    update = await defence.turn(update, { ...at, learningRate, rng: own })
    const who = `round ${turn.round}, client "${client}", defence ${defence.name}`
    checkUpdate(update, { who, length: turn.theta.length, learningRate })
  }
  return update
}

export type Exchanging = Defence & { readonly exchange: SumExchange }

/** The defence under which updates stay with the clients. */
export const exchangingIn = (defences: readonly Defence[]): Exchanging | undefined =>
  defences.find((defence): defence is Exchanging => defence.exchange !== undefined)

/** An exchange leaves the federation no updates: nothing that needs them can stand beside it. */
export function checkExchange(defences: readonly Defence[]): void {
  const first = exchangingIn(defences)
  if (first === undefined) return
  const found = (defence: Defence): string => `defence ${defence.name} beside ${first.name}`
  const at = defences.indexOf(first)
  for (const [i, defence] of defences.entries()) {
    if (defence === first) continue
    if (defence.turn !== undefined) {
      throw new OverhearError(
        'E_VALUE',
        `${found(defence)}: it acts on updates`,
        'they stay with the clients: keep one',
      )
    }
    if (defence.exchange !== undefined) {
      throw new OverhearError('E_VALUE', `${found(defence)}: both exchange messages for updates`, 'keep one')
    }
    if (defence.aggregate !== undefined && i < at) {
      throw new OverhearError('E_VALUE', `${found(defence)}: it acts on the sum first`, `put ${first.name} before it`)
    }
  }
}
