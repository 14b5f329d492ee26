// A page's server for tests, with a folder of runs of its own, and what a page would ask it.
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Door from 'overhear/node'
import type { PageServer, ServerOptions } from 'overhear/node'
import type { JobState } from '../src/api/answers.js'

// By Node itself: Vitest would take seconds to look through the whole bundle.
const { servePage } = createRequire(import.meta.url)('overhear/node') as typeof Door

export interface TestServer extends PageServer {
  readonly root: string
  /** As plainly as it can be: paths and headers go out as they are given. */
  ask(path: string, options?: AskOptions): Promise<Asked>
  /** Posts JSON, and reads the answer; anything but success throws. */
  post<T>(path: string, value?: unknown): Promise<T>
  get<T>(path: string): Promise<T>
  /** The last state of a run, from its stream of events. */
  ended(id: string): Promise<JobState>
  end(): Promise<void>
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface Asked {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

const json = { 'content-type': 'application/json' }

export async function testServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const root = mkdtempSync(join(tmpdir(), 'overhear-serve-'))
  const server = await servePage({ host: '127.0.0.1', port: 0, root, always: ['--workers', '1'], ...options })
  const { hostname, port } = new URL(server.url)
  const ask = (path: string, { method = 'GET', headers = {}, body }: AskOptions = {}): Promise<Asked> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: hostname, port, path, method, headers }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
        answer.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const read = async <T>(path: string, options?: AskOptions): Promise<T> => {
    const { status, text } = await ask(path, options)
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
    return JSON.parse(text) as T
  }
  return {
    ...server,
    root,
    ask,
    get: (path) => read(path),
    post: (path, value) =>
      read(path, { method: 'POST', headers: json, ...(value !== undefined && { body: JSON.stringify(value) }) }),
    ended: (id) =>
      new Promise((resolve, reject) => {
        const sent = request({ host: hostname, port, path: `/api/runs/${id}/events` }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (piece: string) => {
            text += piece
            const jobs = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as JobState)
            const last = jobs.at(-1)
            if (last === undefined || last.state === 'running' || last.state === 'waiting') return
            sent.destroy()
            resolve(last)
          })
          answer.on('error', () => {})
        })
        sent.on('error', reject)
        sent.end()
      }),
    async end() {
      await server.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** A scenario that takes a second or two, and has something to say. */
export const tinyScenario = `# a tiny one
name: tiny
repeats: 2
data: { name: cps-wages, params: { wage: log }, rows: 120, auxiliary: 0.2 }
partition: { name: iid, params: { clients: 3 } }
models: [{ kind: linear }]
training: { rounds: 3, localEpochs: 5, batchSize: null, learningRate: 0.05 }
knowledge: { sensitive: [union] }
observers: [eavesdropper]
attacks: [last-returned, aia-model]
controls: false
`
