/** Doors of sweeps, queues and the page, as `doors.ts` has those of audits. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryPorts } from '../../src/audit/memory-ports.js'
import { idOf, readAnswer, readJob, type TrialJob, versions } from '../../src/node/queue/queue-job.js'
import { freshJob } from '../../src/node/serve/job-progress.js'
import { pageApp } from '../../src/node/serve/page-app.js'
import { runList } from '../../src/node/serve/run-list.js'
import { uploads } from '../../src/node/serve/uploads.js'
import { loadSweep } from '../../src/node/sweep/sweep-file.js'
import { openTrialLog } from '../../src/node/sweep/trial-log-file.js'
import type { Door } from './doors.js'

const work = mkdtempSync(join(tmpdir(), 'overhear-fuzz-newer-'))
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Queues hand over what is JSON, and nothing else. */
function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text(bytes))
  } catch {
    return undefined
  }
}

/** A job is for this version, unless a mutation struck just there, and has the id that belongs to it. */
async function job(bytes: Uint8Array): Promise<void> {
  const kept = text(bytes).replace('VERSION', versions.overhear).replace('KERNELS', versions.kernels)
  const told = json(new TextEncoder().encode(kept))
  if (told === undefined) return
  let id = 'unknown'
  try {
    id = await idOf(told as TrialJob)
  } catch {
    // what has no scenario has no id
  }
  await readJob(id, told)
}

function application() {
  const root = join(work, 'runs')
  mkdirSync(root, { recursive: true })
  return pageApp({
    runs: runList(root, () => null),
    uploads: uploads(root, { file: 20_000, bytes: 200_000, files: 20 }),
    jobs: { start: freshJob, stop: freshJob, get: () => null, follow: () => () => {}, close: async () => {} },
    always: [],
    token: null,
  })
}
let app: ReturnType<typeof application> | undefined

/** A first line "METHOD PATH", then the body: an answer that blames us is an error. */
async function request(bytes: Uint8Array): Promise<void> {
  app ??= application()
  const end = bytes.indexOf(10)
  const [method = 'GET', path = '/'] = text(bytes.subarray(0, Math.max(0, end))).split(' ')
  const body = bytes.slice(end + 1)
  let asked: Request
  try {
    const sent = method === 'GET' || method === 'HEAD' ? {} : { body }
    const headers = { 'content-type': 'application/json', host: '127.0.0.1:1' }
    asked = new Request(new URL(path, 'http://127.0.0.1:1/'), { method, headers, ...sent })
  } catch {
    return // what no request can be made of comes from nobody
  }
  const answer = await app.fetch(asked)
  await answer.body?.cancel()
  if (answer.status >= 500) throw new Error(`${method} ${path}: status ${answer.status}`)
}

export const newerDoors: Readonly<Record<string, Door>> = {
  sweep: {
    file: 'sweep.yaml',
    oneIn: 4,
    knock(bytes) {
      const path = join(work, 'sweep.yaml')
      writeFileSync(path, bytes)
      return loadSweep(path, { ports: memoryPorts(), quiet: true })
    },
  },
  'finished trials': {
    file: 'trials.jsonl',
    async knock(bytes) {
      writeFileSync(join(work, 'trials.jsonl'), bytes)
      const log = await openTrialLog(work, { reading: true })
      try {
        for (const id of log.ids()) await log.read(id)
      } finally {
        await log.close()
      }
    },
  },
  'a job of a queue': { file: 'queue-job.json', knock: job },
  'an answer of a queue': {
    file: 'queue-answer.json',
    async knock(bytes) {
      const told = json(bytes)
      if (told !== undefined) readAnswer('one', told)
    },
  },
  'a request of the page': { file: 'request.txt', knock: request },
}
