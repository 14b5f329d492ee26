/** The table of attacks: one file and one line each. */
import { aiaModel } from './aia-model.js'
import type { Attack } from './attack.js'
import { lastReturned } from './last-returned.js'
import { lmraExact } from './lmra-exact.js'
import { lmraOls } from './lmra-ols.js'

const list: readonly Attack[] = [lastReturned, lmraExact, lmraOls, aiaModel]

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(list.map((one) => [one.id, one]))
