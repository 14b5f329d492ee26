// @ts-nocheck: a script that is run by hand
// Secure aggregation: time of one sum, and how it grows with the clients, for both variants. Clients are played in worker
// threads and the server in the main one; between them go bytes only.
//   node bench/secagg.mjs [--clients 20,50,100] [--values 21840] [--workers 2] [--neighbours 32] [--repeat 3] [--fail 0]
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { secureClient } from '../dist/defences/secure-aggregation/client.js'
import { quantise } from '../dist/defences/secure-aggregation/quantise.js'
import { secureServer } from '../dist/defences/secure-aggregation/server.js'
import { everyPair, regularGraph, rng, webCrypto } from '../dist/index.js'
import { nativePrimitives } from '../dist/node/index.js'

const quantisation = { clip: 8, levels: 1 << 22 }
const providers = { native: nativePrimitives, webcrypto: webCrypto }

if (isMainThread) await main()
else playClients()

/** A worker: some clients, who answer what they are sent. */
function playClients() {
  const { places, session, threshold, values, provider } = workerData
  const primitives = providers[provider]()
  const clients = new Map(places.map((place) => [place, secureClient({ session, place, threshold, primitives })]))
  const updates = new Map(
    places.map((place) => [place, quantise(rng(place).normals(values, { std: 0.1 }), quantisation).values]),
  )
  const answers = {
    keys: (client) => client.advertise(),
    shares: (client, bytes) => client.share(bytes),
    masked: (client, bytes, place) => client.mask(bytes, updates.get(place)),
    reveal: (client, bytes) => client.reveal(bytes),
  }
  parentPort.on('message', async ({ phase, sent }) => {
    for (const [place, bytes] of sent) {
      const reply = await answers[phase](clients.get(place), bytes, place)
      parentPort.postMessage({ place, bytes: reply }, [reply.buffer])
    }
    parentPort.postMessage({ done: true })
  })
  parentPort.postMessage({ done: true })
}

async function oneSum({ n, values, workers, graph, provider, fail }) {
  const primitives = providers[provider]()
  const session = primitives.random(16)
  const neighbours = graph > 0 ? regularGraph(n, graph, rng(1)) : everyPair(n)
  const threshold = Math.floor((neighbours[0].length + 1) / 2) + 1
  const server = secureServer({ session, threshold, length: values, neighbours, primitives })
  const gone = new Set(
    rng('gone')
      .sample(n, Math.round(fail * n))
      .map((i) => i + 1),
  )
  const pool = Array.from({ length: workers }, (_, w) => {
    const places = Array.from({ length: n }, (_, i) => i + 1).filter((place) => place % workers === w)
    return {
      places,
      worker: new Worker(new URL(import.meta.url), { workerData: { places, session, threshold, values, provider } }),
    }
  })
  let bytes = 0
  const heard = ({ worker }) =>
    new Promise((resolve, reject) => {
      worker.once('error', reject)
      worker.on('message', function listen({ done, place, bytes: reply }) {
        if (done) {
          worker.off('message', listen)
          resolve()
          return
        }
        bytes += reply.length
        server.receive(place, new Uint8Array(reply))
      })
    })
  await Promise.all(pool.map(heard)) // they are there
  const start = { wall: performance.now(), cpu: process.cpuUsage() }
  let sent = new Map(Array.from({ length: n }, (_, i) => [i + 1, new Uint8Array(0)]))
  for (const phase of ['keys', 'shares', 'masked', 'reveal']) {
    await Promise.all(
      pool.map((one) => {
        const own = one.places.filter((place) => sent.has(place) && !(phase === 'masked' && gone.has(place)))
        const due = heard(one)
        one.worker.postMessage({ phase, sent: own.map((place) => [place, sent.get(place)]) })
        return due
      }),
    )
    sent = server.next()
  }
  const { survivors } = await server.sum()
  const cpu = process.cpuUsage(start.cpu)
  const found = {
    seconds: (performance.now() - start.wall) / 1000,
    cpu: (cpu.user + cpu.system) / 1e6,
    bytes,
    survivors: survivors.length,
  }
  await Promise.all(pool.map(({ worker }) => worker.terminate()))
  return found
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
  const { provider } = given
  const [values, workers, neighbours, repeat] = [given.values, given.workers, given.neighbours, given.repeat].map(
    Number,
  )
  const fail = Number(given.fail)
  process.stdout.write(
    `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.version}, ${provider}, ${workers} workers\n`,
  )
  for (const n of given.clients.split(',').map(Number)) {
    for (const variant of given.variants.split(',')) {
      const runs = []
      for (let k = 0; k < repeat; k++) {
        const graph = variant === 'graph' ? neighbours : 0
        runs.push(await oneSum({ n, values, workers, provider, fail, graph }))
      }
      const best = runs.reduce((least, one) => (one.seconds < least.seconds ? one : least))
      const cpu = Math.min(...runs.map((one) => one.cpu))
      process.stdout.write(
        `${n} clients x ${values}, ${variant}: ${best.seconds.toFixed(2)} s wall, ${cpu.toFixed(2)} s cpu, ` +
          `${(best.bytes / 1e6).toFixed(1)} MB to the server, ${best.survivors} in the sum\n`,
      )
    }
  }
}
