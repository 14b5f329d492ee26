/** The Node door: files, worker threads, the command. */
export { main } from './cli.js'
