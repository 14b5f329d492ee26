/** What goes through a queue in Redis, loaded when one is named: trials, cells of studies, attacks of audits. */
export { queueAttacks } from './queue-attacks.js'
export { queueCells } from './queue-cells.js'
export { queueCrew } from './queue-crew.js'
