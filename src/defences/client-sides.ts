/** The clients' sides of the defences that exchange messages, by the name of the defence: what a worker plays. */
import type { ClientSide } from '../federation/exchange.js'
import type { Primitives } from './secure-aggregation/primitives.js'
import { secureSeat } from './secure-aggregation/secure-seat.js'

export const clientSides: Readonly<Record<string, (primitives: Primitives) => ClientSide>> = {
  'secure-aggregation': secureSeat,
}
