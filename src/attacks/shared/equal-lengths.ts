/** Updates that are all of one length although they point elsewhere: gradients that were cut to a norm, whatever is stated. */
import { norm } from '../../numeric/linalg/vector.js'
import type { Exchange, View } from '../../threat/granted-keys.js'
import { Inapplicable } from '../attack.js'

/** How much alike lengths must be, of how many updates at least, and how many are looked at. */
const [alike, few, most] = [1e-3, 3, 12]

/** Refuses updates whose lengths say that their gradients were cut: their directions are left, their sizes are not. */
export async function requireLengths({ exchanges, protocol }: View<'exchanges' | 'protocol'>): Promise<void> {
  if (protocol.clipNorm) return // whoever states it has said so
  const lengths: number[] = []
  for (const round of exchanges.rounds.slice(0, most)) {
    const exchange = await exchanges.read(round)
    const length = lengthOf(exchange)
    if (length !== undefined) lengths.push(length)
  }
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)]
  if (lengths.length < few || !(longest > 0) || longest - shortest > alike * longest) return
  const found = `${lengths.length} updates are all ${Number(longest.toPrecision(3))} long`
  throw new Inapplicable(
    ['an unclipped gradient'],
    `${found}: their gradients were cut to a norm, and how long they were is not seen`,
  )
}

/** How far a step went, in units of the stated rate. */
function lengthOf({ received, update, learningRate }: Exchange): number | undefined {
  if (update.kind === 'gradient') return norm(update.grad)
  const change = update.kind === 'delta' ? update.dTheta : received && update.theta.map((v, j) => v - received[j]!)
  return change && norm(change) / (learningRate ?? 1)
}
