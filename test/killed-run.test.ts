import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeCheckpoint } from 'overhear/federation'
import { afterAll, expect, test } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'overhear-killed-'))
afterAll(() => rmSync(root, { recursive: true }))
const rounds = 40

const program = `
  import { heldPopulation, recordFederation, runToEnd, toyLeastSquares } from 'overhear/federation'
import { rng } from 'overhear/numeric'
  import { fileStore } from 'overhear/node'
  const population = heldPopulation(toyLeastSquares(rng(1), { clients: 4, recordsPerClient: 30, heterogeneity: 0.4 }))
  const rule = { algorithm: 'fedavg', learningRate: 0.05, batchSize: 8, share: 'delta' }
  const spec = { model: { kind: 'mlp', inputs: 10, hidden: [5], outputs: 1 }, rule, seed: 1, rounds: ${rounds} }
  const [transcript, checkpoints] = ['transcript', 'checkpoints'].map((name) => fileStore(process.argv[1] + '/' + name))
  await transcript.makeFolder('')
  console.log('ready')
  await runToEnd(recordFederation(spec, { population, transcript, checkpoints }))`

/** Runs the program on a folder; it is killed so long after it is ready. Whether it came to its end. */
function run(folder: string, killAfterMs = Number.POSITIVE_INFINITY): Promise<boolean> {
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder], { cwd })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  child.stdout.once('data', () => {
    if (Number.isFinite(killAfterMs)) setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  })
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(code === 0)
      else reject(new Error(errors))
    })
  })
}

const files = (folder: string) =>
  readdirSync(join(root, folder, 'transcript'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'base64')])
    .sort()

async function lastModel(folder: string): Promise<Float64Array> {
  const stored = [0, 1].map((i) => readFileSync(join(root, folder, 'checkpoints', `checkpoint-${i}.safetensors`)))
  const found = await Promise.all(stored.map((bytes) => decodeCheckpoint(bytes)))
  return found.find(({ checkpoint }) => checkpoint.nextRound === rounds)!.checkpoint.theta
}

test('a run killed again and again ends with the bytes of one that was left alone', async () => {
  const start = performance.now()
  expect(await run(join(root, 'whole'))).toBe(true)
  const usual = performance.now() - start
  let kills = 0
  let done = false
  // Moments spread over the run; every start is killed a little later, so that the last one gets through.
  for (let k = 0; k < 8 && !done; k++) {
    done = await run(join(root, 'killed'), ((k * k + 1) * usual) / 200)
    if (!done) kills++
  }
  if (!done) done = await run(join(root, 'killed'))
  expect([done, kills > 1]).toEqual([true, true])
  expect(files('killed')).toEqual(files('whole'))
  expect(await lastModel('killed')).toEqual(await lastModel('whole'))
})
