/** The table of attacks: one file and one line each. */
import type { Attack } from './attack.js'
import { idlg } from './idlg.js'
import { lastReturned } from './last-returned.js'

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  [lastReturned, idlg].map((one) => [one.id, one]),
)
