/** What commands print and how they end, in this process: those that train nothing, and what they say to wrong arguments. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { main } from '../src/node/cli.js'
import { pinResults } from './pinned-results.js'
import { storeAudits } from './stored-audits.js'

const root = mkdtempSync(join(tmpdir(), 'overhear-printed-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const at = (name: string) => join(root, name)

const scenarios = {
  plain: 'name: plain\ndata: { name: cps-wages, rows: 200 }\nmodels: [{ kind: linear }]\n',
  private: `name: private
data: { name: cps-wages, rows: 200 }
partition: { name: iid, params: { clients: 3 } }
models: [{ kind: linear }]
training: { rounds: 4, batchSize: 16, learningRate: 0.02 }
defences: [{ name: dp-sgd, params: { maxNorm: 0.5, noiseMultiplier: 1.1, sampleRate: 0.1, delta: 0.001 } }]
`,
  clipped: `name: clipped
data: { name: cps-wages, rows: 200 }
models: [{ kind: linear }]
training: { rounds: 2 }
defences: [{ name: dp-sgd, params: { maxNorm: 0.5, noiseMultiplier: 0.01, epsilon: 1, sampleRate: 0.1, delta: 0.01 } }]
`,
  sums: `name: sums
data: { name: cps-wages, rows: 200 }
partition: { name: iid, params: { clients: 4 } }
models: [{ kind: linear }]
training: { rounds: 3, sampling: { name: fraction, params: { fraction: 0.5 } } }
defences: [{ name: secure-aggregation }]
`,
  wrong: 'name: wrong\nmodels: [{ kind: linnear }]\ntraining: { rounds: -1, epochs: 2 }\n',
  torn: 'name: [',
}

let made: Promise<void> | undefined
const prepared = () => {
  made ??= (async () => {
    await storeAudits(root)
    for (const [name, text] of Object.entries(scenarios)) writeFileSync(at(`${name}.yaml`), text)
  })()
  return made
}

/** How a command ends and what it printed, without the names of folders. A file that it is told to write is part of it. */
const running = (line: string) => async () => {
  await prepared()
  const args = line.split(' ').map((word) => word.replaceAll('@', `${root}/`).replaceAll('_', ' '))
  const out: string[] = []
  const { write } = process.stdout
  const { error } = console
  process.stdout.write = ((text: string, end?: () => void) => {
    out.push(String(text))
    end?.()
    return true
  }) as typeof write
  console.error = (...said) => void out.push(`! ${said.join(' ')}`)
  try {
    const status = await main(args)
    const file = args.find((word) => word.endsWith('.out'))
    const written = file === undefined ? '' : readFileSync(file, 'utf8')
    return [status, [` ${out.join('')}${written}`.replaceAll(root, '')]]
  } finally {
    Object.assign(process.stdout, { write })
    console.error = error
  }
}

const commands = 'audit simulate attack account lint forecast calibrate advise import data sweep query worker report compare serve list schema reproduce bench'.split(' ') // biome-ignore format: a list
const lists = 'datasets partitions observers rules samplings misbehaviours models metrics initialisers'.split(' ')
const spent = '--sample-rate 0.01 --noise-multiplier 1.1 --steps 50 --delta 1e-5'

pinResults('commands', {
  help: ['--help', 'help', 'nothing', ...commands.map((name) => `${name} --help`)].map(running),
  lists: [...lists.flatMap((name) => [`list ${name}`, `list ${name} --json`]), 'list', 'list modls', 'list models x'].map(running), // biome-ignore format: a list
  'epsilon of flags': [
    `account ${spent}`,
    `account ${spent} --json`,
    `account ${spent} --batches fixed`,
    `account ${spent} --neighbours replace --json`,
    `account ${spent} --canaries 100 --guesses 50 --correct 45 --json`,
    `account ${spent} --canaries 100 --guesses 50 --correct 45 --confidence 0.99`,
    `account ${spent} --canaries 100 --guesses 50 --correct 51`,
    `account ${spent} --canaries 100`,
    'account --epsilon 2 --delta 1e-5 --sample-rate 0.01 --steps 20',
    'account --epsilon 2 --delta 1e-5 --sample-rate 0.2 --noise-multiplier 1 --json',
    'account --epsilon 2 --delta 1e-5 --steps 20 --noise-multiplier 1 --json',
    'account --epsilon 2 --delta 1e-5 --steps 20',
    'account --sample-rate 2 --noise-multiplier 1.1 --steps 10 --delta 1e-5',
    'account --sample-rate 0.1 --noise-multiplier -1 --steps 10 --delta 1e-5',
    'account --sample-rate 0.1 --noise-multiplier 1 --steps 0.5 --delta 1e-5',
    'account --sample-rate 0.1 --noise-multiplier 1 --steps 10 --delta 1',
    'account --sample-rate x --noise-multiplier 1 --steps 10 --delta 1e-5',
    'account --sample-rate 1 --noise-multiplier 1 --steps 1 --delta 1e-5 --json',
    'account',
  ].map(running),
  'epsilon of scenarios and recordings': [
    ...['plain', 'private', 'clipped', 'sums', 'wrong', 'torn', 'none'].flatMap((name) => [`account @${name}.yaml`, `account @${name}.yaml --json --delta 1e-4`]), // biome-ignore format: a list
    'account @tiny/transcript',
    'account @tiny/transcript --json',
    'account @tiny/nothing',
  ].map(running),
  'what lint finds': [
    ...['plain', 'private', 'clipped', 'sums', 'wrong', 'torn', 'none'].flatMap((name) => [`lint @${name}.yaml`, `lint @${name}.yaml --json`]), // biome-ignore format: a list
    'lint @tiny/transcript',
    'lint @clipped.yaml --disable no-such-rule',
    'lint @private.yaml --junit @a.out',
    'lint',
  ].map(running),
  forecasts: [
    'forecast --clients 20 --per-round 5 --rounds 60 --signal 3',
    'forecast --clients 20 --per-round 5 --rounds 60 --signal 3 --json',
    'forecast --clients 20 --per-round 5 --rounds 60 --signal 2 --share 0.3 --client 4 --seed 3 --json',
    'forecast --clients 20 --per-round 21 --rounds 60 --signal 3',
    'forecast --clients 1 --per-round 1 --rounds 6 --signal 3',
    'forecast --clients 20 --per-round 5 --rounds 0 --signal 3',
    'forecast --clients 20 --per-round 5 --rounds 6 --signal -1',
    'forecast --clients 20 --per-round 5 --rounds 6 --signal 1 --share 2',
    'forecast --clients 20 --per-round 5 --rounds 6 --signal 1 --client 20',
    'forecast --clients 20',
  ].map(running),
  comparisons: [
    'compare @tiny @sums',
    'compare @tiny @tiny',
    'compare @tiny @sums --json',
    'compare @tiny',
    'compare @tiny @none',
    'compare @tiny @sums @sums',
  ].map(running),
  schemas: ['schema transcript', 'schema knowledge', 'schema truth', 'schema', 'schema x'].map(running),
  'wrong arguments': [
    ...commands.map((name) => `${name} --no-such-flag`),
    'simulate',
    'simulate @plain.yaml',
    'simulate @none.yaml --out @x',
    'simulate @plain.yaml --out @x --workers 0',
    'simulate @plain.yaml --out @x --workers x',
    'simulate @plain.yaml --out @x --set training.rounds',
    'simulate @plain.yaml --out @x --set training.round=3',
    'audit @wrong.yaml',
    'audit @torn.yaml',
    'audit @plain.yaml --set seed=x',
    'audit @plain.yaml --fail-on nothing',
    'audit @plain.yaml --seed 1.5',
    'audit @plain.yaml @private.yaml',
    'attack',
    'attack last-returned',
    'attack last-retuned @tiny/transcript',
    'import',
    'import npz',
    'import npz @none --out @y',
    'import zip @tiny --out @y',
    'report',
    'report @none',
    'query',
    'query select_1 --runs @none --out @q.txt',
    'sweep',
    'sweep @none.yaml',
    'worker',
    'worker --queue http://x',
    'serve --port 99999999',
    'calibrate --audits 0',
    'advise @torn.yaml',
    'reproduce no-such-study',
    'data no-such-data',
  ].map(running),
})
