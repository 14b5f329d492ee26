/** The Node door: folders on disk, worker threads and the command. */
export { main } from './cli.js'
export { dataFolders, type FileState, fileReader, fileState } from './dataset-files.js'
export { type FolderStore, fileStore } from './file-store.js'
export { nativePrimitives } from './native-primitives.js'
export { type OpenedRun, openRun, type RunPaths } from './open-run.js'
export { type Progress, type ProgressOptions, progress } from './progress.js'
export { readRows } from './rows.js'
export { threadPool } from './thread-pool.js'
