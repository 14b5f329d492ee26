/** The Node door: folders on disk, worker threads and the command. */
export { main } from './cli.js'
export { dataFolders, type FileState, fileReader, fileState } from './files/dataset-files.js'
export { type FolderStore, fileStore } from './files/file-store.js'
export { readRows } from './files/table-rows.js'
export { type NodePortsOptions, nodePorts } from './node-ports.js'
export { type Progress, type ProgressOptions, progress } from './progress.js'
export { nativePrimitives } from './threads/native-primitives.js'
export { threadPool } from './threads/thread-pool.js'
