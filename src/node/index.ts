/** The Node door: folders on disk, worker threads and the command. */
export { main } from './cli.js'
export { fileStore } from './file-store.js'
export { type Progress, type ProgressOptions, progress } from './progress.js'
export { threadPool } from './thread-pool.js'
