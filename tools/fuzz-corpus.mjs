// Makes the corpus of the fuzzer anew: `npm run build:ts && node tools/fuzz-corpus.mjs`. One valid file for each door.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { main } from 'overhear/node'
import { parse } from 'yaml'

const to = new URL('../test/fuzz/corpus/', import.meta.url).pathname
const work = join(tmpdir(), `overhear-corpus-${process.pid}`)
mkdirSync(work, { recursive: true })
/** @param {string} path @param {string | Uint8Array} content */
const put = (path, content) => {
  mkdirSync(dirname(join(to, path)), { recursive: true })
  writeFileSync(join(to, path), content)
}
const scenario = `name: fuzz
heldBack: 0.25
data: { name: cps-wages, params: { wage: log }, rows: 40, auxiliary: 0.2 }
partition: { name: iid, params: { clients: 2 } }
models: [{ kind: linear }, { kind: mlp, hidden: [3] }]
training: { rounds: 2, batchSize: 8, learningRate: 0.05 }
knowledge: { targets: ["0"], sensitive: [union] }
attacks: [last-returned, { id: aia-model, params: { prior: frequency } }]
`
put('scenario.yaml', scenario)
writeFileSync(join(work, 's.yaml'), scenario.replace(', { kind: mlp, hidden: [3] }', ''))
const run = join(work, 'run')
if ((await main(['simulate', join(work, 's.yaml'), '--out', run, '--quiet'])) !== 0) throw new Error('no simulation')
const take = (/** @type {string} */ from, /** @type {string} */ path) => put(path, readFileSync(join(run, from)))
take('transcript/transcript.json', 'transcript.json')
take('transcript/rounds/000000.safetensors', 'rounds/000000.safetensors')
take('transcript/rounds/000001.safetensors', 'rounds/000001.safetensors')
// Without digests: a changed round must come further than to them.
put('rounds.jsonl', readFileSync(join(run, 'transcript/rounds.jsonl'), 'utf8').replaceAll(/,"sha256":"\w+"/g, ''))
const known = JSON.parse(readFileSync(join(run, 'knowledge.json'), 'utf8'))
for (const key of ['records', 'auxiliary']) {
  const name = key === 'records' ? 'public.csv' : 'aux.csv'
  put(name, readFileSync(join(run, known[key].file)))
  known[key].file = name
}
put('knowledge.json', `${JSON.stringify(known, null, 1)}\n`)
const told = JSON.parse(readFileSync(join(run, 'truth/truth.json'), 'utf8'))
take(`truth/${told.clients['0'].file}`, 'table.csv')
told.clients = { 0: { ...told.clients['0'], file: 'table.csv', heldBack: 'held.csv' } }
take(`truth/${JSON.parse(readFileSync(join(run, 'truth/truth.json'), 'utf8')).clients['0'].heldBack}`, 'held.csv')
if (told.optimum?.['0'] !== undefined) {
  take(`truth/${told.optimum['0']}`, 'optimum.safetensors')
  told.optimum = { 0: 'optimum.safetensors' }
}
put('truth.json', `${JSON.stringify(told, null, 1)}\n`)
const checkpoints = readdirSync(join(run, 'checkpoints'))
take(`checkpoints/${checkpoints[0]}`, 'checkpoint-0.safetensors')
const table = 'age,bmi,sex,charges\n23,27.5,"f",1200.5\n61,,m,9e3\n44,31.25,"m ""x""",-12\n'
put('own.csv', table)
put('own.csv.gz', gzipSync(table))
put('own.json', '[{"age":23,"sex":"f"},{"age":61.5,"sex":null,"smoker":true}]\n')
const { DuckDBInstance } = await import('@duckdb/node-api')
const connection = await (await DuckDBInstance.create(':memory:')).connect()
await connection.run(
  `COPY (SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y') TO '${join(to, 'own.parquet')}' (FORMAT parquet)`,
)
const audited = join(work, 'audit')
const listen = ['audit', join(work, 's.yaml'), '--out', audited, '--observer', 'eavesdropper', '--repeats', '1']
await main([...listen, '--quiet', '--json', '--allow-untested'])
put(
  'results.jsonl',
  readFileSync(join(audited, 'results.jsonl'), 'utf8').split('\n').slice(0, 3).join('\n').concat('\n'),
)
put('run.lock', `${JSON.stringify({ pid: 999_999_999, host: 'nowhere', began: null, token: 'a-token' })}\n`)
// Of sweeps, queues and the page: two finished trials, a job and an answer, and a request.
const sweep = readFileSync(new URL('../test/sweeps/tiny.yaml', import.meta.url), 'utf8')
put('sweep.yaml', sweep)
writeFileSync(join(work, 'sweep.yaml'), sweep)
const swept = join(work, 'sweep')
if ((await main(['sweep', join(work, 'sweep.yaml'), '--out', swept, '--quiet'])) !== 0) throw new Error('no sweep')
const trials = readFileSync(join(swept, 'trials.jsonl'), 'utf8').split('\n').slice(0, 2)
put('trials.jsonl', `${trials.join('\n')}\n`)
const { result } = JSON.parse(trials[0] ?? '')
put('queue-answer.json', JSON.stringify({ kind: 'done', result, seconds: 1.5, worker: 'somewhere' }))
const job = {
  format: 'overhear-job/1',
  versions: { overhear: 'VERSION', kernels: 'KERNELS' },
  scenario: parse(sweep).scenario,
  files: { 'wages.csv': 'a'.repeat(64) },
  limits: { seconds: 60, megabytes: 500 },
  label: 'tiny',
}
put('queue-job.json', JSON.stringify(job))
const edits = [{ path: ['training', 'rounds'], value: 3 }, { path: ['models', 0, 'kind'] }]
put('request.txt', `POST /api/edit\n${JSON.stringify({ yaml: scenario, edits })}`)
rmSync(work, { recursive: true })
