/** The Node door: worker threads and the command. */
export { main } from './cli.js'
export { type Progress, type ProgressOptions, progress } from './progress.js'
export { threadPool } from './thread-pool.js'
