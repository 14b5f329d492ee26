/** The table of attacks: one file and one line each. */
import type { Attack } from './attack.js'
import { blr } from './blr.js'
import { dlg } from './dlg.js'
import { idlg } from './idlg.js'
import { ilrg } from './ilrg.js'
import { lastReturned } from './last-returned.js'
import { llg } from './llg.js'
import { llgPlus } from './llg-plus.js'
import { llgStar } from './llg-star.js'

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  [lastReturned, idlg, blr, llg, llgStar, llgPlus, ilrg, dlg].map((one) => [one.id, one]),
)
