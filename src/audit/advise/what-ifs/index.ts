/** The table of what-ifs: one file and one line each, in the order in which they are tried. */
import type { WhatIf } from '../what-if.js'
import { participation } from './clients-per-round.js'
import { compressed } from './compressed.js'
import { fewerRounds } from './fewer-rounds.js'
import { localWork } from './local-work.js'
import { privateClients } from './private-clients.js'
import { privateSteps } from './private-steps.js'
import { secureSums } from './secure-sums.js'

export const whatIfs: readonly WhatIf[] = [
  secureSums,
  participation,
  privateSteps,
  privateClients,
  fewerRounds,
  localWork,
  compressed,
]
