// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// The twelve broken attacks, in their order: the name of the file, the attack's id, and what breaks it.
import * as nextBroadcast from './01-next-broadcast.mjs'
import * as biasFirst from './02-bias-first.mjs'
import * as sortedColumns from './03-sorted-columns.mjs'
import * as rowsFromOne from './04-rows-from-one.mjs'
import * as rateTwice from './05-rate-twice.mjs'
import * as forgottenTwo from './06-forgotten-two.mjs'
import * as noNegation from './07-no-negation.mjs'
import * as lastModel from './08-last-model.mjs'
import * as keptAsBytes from './09-kept-as-bytes.mjs'
import * as standardisedTwice from './10-standardised-twice.mjs'
import * as participantsOfBefore from './11-participants-of-before.mjs'
import * as meanOfSteps from './12-mean-of-steps.mjs'

export const broken = [
  { name: '01-next-broadcast', ...nextBroadcast },
  { name: '02-bias-first', ...biasFirst },
  { name: '03-sorted-columns', ...sortedColumns },
  { name: '04-rows-from-one', ...rowsFromOne },
  { name: '05-rate-twice', ...rateTwice },
  { name: '06-forgotten-two', ...forgottenTwo },
  { name: '07-no-negation', ...noNegation },
  { name: '08-last-model', ...lastModel },
  { name: '09-kept-as-bytes', ...keptAsBytes },
  { name: '10-standardised-twice', ...standardisedTwice },
  { name: '11-participants-of-before', ...participantsOfBefore },
  { name: '12-mean-of-steps', ...meanOfSteps },
]
