/** What the command and its worker processes ask of studies, loaded together and only when one of them is asked for. */
export { runReproduce } from '../commands/reproduce-command.js'
export { answerToCell } from './cell-task.js'
export { listedStudies } from './listed-studies.js'
