/** A second process (Python) that does a workload on request, over its standard streams, so that chunks can alternate. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { OverhearError } from '../../errors.js'
import { fromRoot } from '../package-root.js'

export type PeerName = 'torch' | 'jax' | 'numpy'

export interface PeerFacts {
  readonly version: string
  /** The library that does its products. */
  readonly blas: string | null
  /** What that library reaches on one thread. */
  readonly productGflops: number
}

/** Which workloads a peer does, each in one way or several. */
type Ways = Readonly<Record<string, readonly string[]>>

/** What to do, and in which of the peer's ways. */
export interface Task {
  readonly workload: string
  readonly way: string
}

export interface Peer {
  readonly facts: PeerFacts
  /** The ways in which it does a workload; none when it does not. */
  ways(workload: string): readonly string[]
  /** Seconds for so many repetitions. */
  time(task: Task, count: number): Promise<number>
  /** What the workload computes, in a few numbers. */
  check(task: Task): Promise<number[]>
  close(): void
}

const folder = fromRoot('bench/')
const packages: Readonly<Record<PeerName, string>> = {
  torch: 'PyTorch (Debian: python3-torch)',
  jax: 'JAX (pip install jax)',
  numpy: 'numpy (Debian: python3-numpy)',
}
export const peerNames = Object.keys(packages) as readonly PeerName[]

/** The peer, or why there is none. `OVERHEAR_PYTHON` names the interpreter; else the first that has the module serves. */
export async function startPeer(name: PeerName): Promise<Peer | string> {
  const script = fileURLToPath(new URL(`${name}-peer.py`, folder))
  if (!existsSync(script)) return `${script} is not there`
  const chosen = process.env.OVERHEAR_PYTHON
  const tried: string[] = []
  for (const python of chosen === undefined ? ['python3', '/usr/bin/python3'] : [chosen]) {
    const peer = await start(python, script)
    if (typeof peer !== 'string') return peer
    tried.push(`${python}: ${peer}`)
  }
  return `${packages[name]} was not found (${tried.join('; ')}); OVERHEAR_PYTHON may name an interpreter`
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

async function start(python: string, script: string): Promise<Peer | string> {
  const threads = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1', BLIS_NUM_THREADS: '1' }
  const env = { ...process.env, ...threads, PYTHONDONTWRITEBYTECODE: '1' }
  const child: Child = spawn(python, [script], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  let complaint = ''
  child.on('error', (error) => {
    complaint = error.message
  })
  child.stdin.on('error', () => {}) // a peer that ended is noticed by its silence
  child.stderr.on('data', (text) => {
    complaint = `${complaint}${text}`.slice(-2000)
  })
  /** Once all is heard: what it says goes by another way than what it answers, and may come later. */
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const lastWords = async (): Promise<string> => {
    await ended
    return complaint.trim().split('\n').at(-1) || 'no answer'
  }
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.done) return lastWords()
  const { ways, ...facts } = JSON.parse(first.value) as PeerFacts & { readonly ways: Ways }

  const ask = async (request: Readonly<Record<string, unknown>>): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await lines.next()
    const answer: Answer = done ? { error: `it ended: ${await lastWords()}` } : JSON.parse(value)
    if (answer.error !== undefined) {
      throw new OverhearError('E_INPUT', `${script} failed at "${request.workload}" (${request.way}): ${answer.error}`)
    }
    return answer
  }
  return {
    facts,
    ways: (workload) => (Object.hasOwn(ways, workload) ? ways[workload]! : []),
    time: async (task, count) => (await ask({ ask: 'time', ...task, count })).seconds!,
    check: async (task) => (await ask({ ask: 'check', ...task })).numbers!,
    close: () => child.stdin.end(),
  }
}

interface Answer {
  readonly seconds?: number
  readonly numbers?: number[]
  readonly error?: string
}
