/** `overhear/advice`: what to change: variants of a scenario that are run, audited and weighed against each other. */

export { type Advice, type AdviseOptions, advise } from '../audit/advise/advise.js'
export type { AdviseEvent, AdvisePorts } from '../audit/advise/attempts.js'
export type { Tried } from '../audit/advise/tried.js'
export type { WeighedRung } from '../audit/advise/weigh.js'
