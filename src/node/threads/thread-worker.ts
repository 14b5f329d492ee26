/** What runs in a worker thread: it takes up one role after another, and answers what it is asked in it. */
import { parentPort, workerData } from 'node:worker_threads'
import { adoptKernels } from '../../numeric/engine/kernels.js'
import { lockIntrinsics } from './lock-intrinsics.js'
import type { Opening, ThreadStart } from './thread-line.js'

/** Answers one message. */
type Serve = (message: never) => Promise<void> | void

const clients = () => import('./client-worker.js')
const jobs = () => import('./job-worker.js')

const { kernels, warm } = workerData as ThreadStart
adoptKernels(kernels)
lockIntrinsics()

async function serving(opening: Opening): Promise<Serve> {
  if (opening.role === 'clients') return (await clients()).serveClients(opening.input)
  return (await jobs()).serveJobs(opening.input)
}

let serve: Promise<Serve> | undefined

// A failure is nobody's answer: it ends the thread, which is heard.
parentPort?.on('message', async (message: Opening | { readonly role?: undefined }) => {
  if (message.role !== undefined) {
    serve = serving(message)
    await serve
  } else await (await serve!)(message as never)
})

if (warm) await Promise.all([clients(), jobs()])
