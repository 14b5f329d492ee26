/** The Python recorder, killed while it records: what it listed must be whole for whoever reads it. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parametersOf } from '../../src/models/index.js'
import { fileStore } from '../../src/node/files/file-store.js'
import type { Rng } from '../../src/numeric/random/rng.js'
import { openTranscript } from '../../src/transcript/read-transcript.js'
import { note } from './findings.js'
import type { Tally } from './torture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const own = join(root, 'node_modules/.cache/flower/bin/python')
const python = process.env.OVERHEAR_PYTHON ?? (existsSync(own) ? own : 'python3')
const env = { ...process.env, PYTHONPATH: join(root, 'recorders/python') }

/** Whether it can be run here. */
export const recorderRuns = (): boolean => spawnSync(python, ['-c', 'import numpy'], { env }).status === 0

const program = `
import sys
import numpy as np
from overhear import Recorder
rec = Recorder(sys.argv[1])
for i in range(10**6):
    with rec.round(i, [np.full((64, 64), float(i))], ["x", "y"]) as r:
        r.reply("x", [np.full((64, 64), -float(i))])
        r.reply("y", [np.full((64, 64), 2.0 * i)])
    print(i, flush=True)
`

/** One recording that is killed a moment after it has begun. */
export async function killRecorder({ work, draws, tally }: { work: string; draws: Rng; tally: Tally }): Promise<void> {
  const folder = join(work, `recorded-${draws.integer(1e9)}`)
  tally.tries++
  const child = spawn(python, ['-c', program, folder], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  await Promise.race([ended, new Promise((resolve) => child.stdout.once('data', resolve))])
  await new Promise((resolve) => setTimeout(resolve, draws.integer(400)))
  child.kill('SIGKILL')
  await ended
  tally.kills++
  try {
    // Before the first round is written there is nothing to read.
    if (existsSync(join(folder, 'transcript.json'))) await readAll(folder)
  } catch (error) {
    note(tally.losses, `a recording that was killed: ${(error as Error).message}`)
  }
  rmSync(folder, { recursive: true, force: true })
}

async function readAll(folder: string): Promise<void> {
  const { rounds, readRound } = await openTranscript(fileStore(folder), { parametersOf })
  for (const [i, { round }] of rounds().entries()) {
    const { global, clients } = await readRound(round)
    const [x, y] = ['x', 'y'].map((id) => clients.get(id))
    const told = [round, global?.[0], x?.kind === 'parameters' && x.theta[0], y?.kind === 'parameters' && y.theta[4095]]
    const wanted = [i, i, i === 0 ? 0 : -i, 2 * i]
    if (told.some((one, k) => one !== wanted[k] && !(one === 0 && wanted[k] === 0))) {
      throw new Error(`round ${i} holds ${told}`)
    }
  }
}
