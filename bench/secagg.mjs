// @ts-nocheck: a script that is run by hand
// Secure aggregation: time of one sum, and how it grows with the clients, for both variants. Clients are played in worker
// threads and the server in the main one; between them go bytes only. The threads stay for all rounds, as in a federation:
// the first round is shown apart, for it compiles the code.
//   node bench/secagg.mjs [--clients 20,50,100] [--values 21840] [--workers 2] [--neighbours 32] [--repeat 3] [--fail 0]
//     [--provider native|webcrypto] [--variants pairs,graph]
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { secureClient } from '../dist/defences/secure-aggregation/client.js'
import { quantise } from '../dist/defences/secure-aggregation/quantise.js'
import { phases } from '../dist/defences/secure-aggregation/run.js'
import { secureServer } from '../dist/defences/secure-aggregation/server.js'
import { everyPair, regularGraph, rng, webCrypto } from '../dist/index.js'
import { nativePrimitives } from '../dist/node/index.js'

/** @typedef {import('../dist/defences/secure-aggregation/primitives.js').Bytes} Bytes */
/** @typedef {{ places: number[], values: number, native: boolean }} Seat */
/** @typedef {{ places: number[], worker: Worker }} Bench */
/** @typedef {{ n: number, values: number, workers: number, graph: number, native: boolean, fail: number }} Settings */
/** @typedef {{ phase: typeof phases[number], sent: [number, Bytes][] } | { session: Bytes, threshold: number }} Question */
/** @typedef {{ place: number, bytes: Bytes } | 'done'} Reply */

const quantisation = { clip: 8, levels: 1 << 22 }
/** @param {boolean} native */
const primitivesOf = (native) => (native ? nativePrimitives() : webCrypto())

if (isMainThread) await main()
else if (parentPort !== null) playClients(parentPort)

/** A worker: some clients, who answer what they are sent. @param {import('node:worker_threads').MessagePort} port */
function playClients(port) {
  const { places, values, native } = /** @type {Seat} */ (workerData)
  const primitives = primitivesOf(native)
  const updates = new Map(
    places.map((place) => [place, quantise(rng(place).normals(values, { std: 0.1 }), quantisation).values]),
  )
  /** @type {Map<number, import('../dist/defences/secure-aggregation/client.js').SecureClient>} */
  const clients = new Map()
  port.on('message', async (/** @type {Question} */ question) => {
    if ('session' in question) {
      for (const place of places) clients.set(place, secureClient({ ...question, place, primitives }))
      port.postMessage('done')
      return
    }
    for (const [place, bytes] of question.sent) {
      const [client, update] = [clients.get(place), updates.get(place)]
      if (client === undefined || update === undefined) throw new Error(`nobody sits at ${place}`)
      const answers = {
        keys: () => client.advertise(),
        shares: () => client.share(bytes),
        masked: () => client.mask(bytes, update),
        reveal: () => client.reveal(bytes),
      }
      port.postMessage({ place, bytes: await answers[question.phase]() })
    }
    port.postMessage('done')
  })
  port.postMessage('done')
}

/** Threads with the clients in their seats. @param {Settings} settings */
async function seated({ n, values, workers, native }) {
  const pool = Array.from({ length: workers }, (_, w) => {
    const places = Array.from({ length: n }, (_, i) => i + 1).filter((place) => place % workers === w)
    /** @type {Seat} */
    const seat = { places, values, native }
    return { places, worker: new Worker(new URL(import.meta.url), { workerData: seat }) }
  })
  await Promise.all(pool.map(({ worker }) => heard(worker)))
  return pool
}

/** Hands over what a thread's clients send until it is done. @param {Worker} worker @param {(place: number, bytes: Bytes) => void} [take] */
function heard(worker, take) {
  /** @type {Promise<void>} */
  const finished = new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.on('message', function listen(/** @type {Reply} */ reply) {
      if (reply !== 'done') {
        take?.(reply.place, reply.bytes)
        return
      }
      worker.off('message', listen)
      worker.off('error', reject)
      resolve()
    })
  })
  return finished
}

/** @param {Bench[]} pool @param {Settings} settings */
async function oneSum(pool, { n, values, graph, native, fail }) {
  const primitives = primitivesOf(native)
  const neighbours = graph > 0 ? regularGraph(n, graph, rng(1)) : everyPair(n)
  const threshold = Math.floor(((neighbours[0]?.length ?? 0) + 1) / 2) + 1
  const gone = new Set(rng('gone').sample(n, Math.round(fail * n)))
  let bytes = 0
  const start = { wall: performance.now(), cpu: process.cpuUsage() }
  const session = primitives.random(16)
  const server = secureServer({ session, threshold, length: values, neighbours, primitives })
  /** @param {Worker} worker @param {Question} question */
  const ask = (worker, question) => {
    const finished = heard(worker, (place, message) => {
      bytes += message.length
      server.receive(place, message)
    })
    worker.postMessage(question)
    return finished
  }
  await Promise.all(pool.map(({ worker }) => ask(worker, { session, threshold })))
  /** @type {ReadonlyMap<number, Bytes>} */
  let sent = new Map(Array.from({ length: n }, (_, i) => [i + 1, new Uint8Array(0)]))
  for (const phase of phases) {
    const questions = pool.map(({ places, worker }) => {
      const here = places.filter((place) => !(phase === 'masked' && gone.has(place - 1)))
      const own = here.flatMap((place) => {
        const message = sent.get(place)
        return message === undefined ? [] : [/** @type {[number, Bytes]} */ ([place, message])]
      })
      return ask(worker, { phase, sent: own })
    })
    await Promise.all(questions)
    sent = server.next()
  }
  const { survivors } = await server.sum()
  const cpu = process.cpuUsage(start.cpu)
  const seconds = (performance.now() - start.wall) / 1000
  return { seconds, cpu: (cpu.user + cpu.system) / 1e6, bytes, survivors: survivors.length }
}

async function main() {
  const { values: given } = parseArgs({
    options: {
      clients: { type: 'string', default: '20,50,100' },
      values: { type: 'string', default: '21840' },
      workers: { type: 'string', default: '2' },
      neighbours: { type: 'string', default: '32' },
      repeat: { type: 'string', default: '3' },
      fail: { type: 'string', default: '0' },
      provider: { type: 'string', default: 'native' },
      variants: { type: 'string', default: 'pairs,graph' },
    },
  })
  const native = given.provider === 'native'
  const common = { values: Number(given.values), workers: Number(given.workers), fail: Number(given.fail), native }
  process.stdout.write(`${cpus().length} cores (${cpus()[0]?.model}), Node ${process.version}, ${given.provider}\n`)
  for (const n of given.clients.split(',').map(Number)) {
    for (const variant of given.variants.split(',')) {
      const graph = variant === 'graph' ? Number(given.neighbours) : 0
      const settings = { n, ...common, graph }
      const pool = await seated(settings)
      const first = await oneSum(pool, settings)
      const runs = []
      for (let k = 0; k < Number(given.repeat); k++) runs.push(await oneSum(pool, settings))
      await Promise.all(pool.map(({ worker }) => worker.terminate()))
      const wall = Math.min(...runs.map(({ seconds }) => seconds))
      const cpu = Math.min(...runs.map((one) => one.cpu))
      process.stdout.write(
        `${n} clients x ${common.values}, ${variant}: ${wall.toFixed(2)} s wall, ${cpu.toFixed(2)} s cpu ` +
          `(first round ${first.seconds.toFixed(2)} s), ${(first.bytes / 1e6).toFixed(1)} MB to the server, ` +
          `${first.survivors} in the sum\n`,
      )
    }
  }
}
