import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { population, recordFederation, runToEnd } from 'overhear/federation'
import { parametersOf } from 'overhear/models'
import { openTranscript } from 'overhear/transcript'
import { fileStore, threadPool } from 'overhear/node'

const generator = { name: 'toy-least-squares', recordsPerClient: 30 }
const people = population({ kind: 'generated', clients: 4, seed: 1, generator })
const spec = {
  model: { kind: 'linear', inputs: 10, outputs: 1 },
  rule: { algorithm: 'fedsgd', learningRate: 0.1, share: 'gradient' },
  seed: 1,
  rounds: 6,
}
const folder = mkdtempSync(join(tmpdir(), 'overhear-'))
const [transcript, checkpoints] = ['transcript', 'checkpoints'].map((name) => fileStore(join(folder, name)))
const pool = threadPool(spec, { population: people, workers: 2 })
const record = () => recordFederation(spec, { population: people, pool, transcript, checkpoints })

for await (const { round } of record()) if (round === 2) break // as if it had been killed
const { theta } = await runToEnd(record()) // goes on with round 3
await pool.close()
const recorded = await openTranscript(transcript, { parametersOf })
if (recorded.rounds().length !== 6 || theta.length !== 11) throw new Error('not resumed')
