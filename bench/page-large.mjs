// How the page of `overhear serve` fares with a run of 1,000 clients, 300 rounds and 40 attacks, and a sweep of 10,000 trials,
// all made up: seconds until the screen shows what it is about, milliseconds a step of scrolling, and the longest task of the page by the clock
// and by processor time, which other work on the machine does not lengthen.
//   npm run build:ts && node bench/page-large.mjs [--clients 1000] [--rounds 300] [--attacks 40] [--trials 10000] [--keep DIR]
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { audit } from 'overhear'
import { nodePorts, servePage } from 'overhear/node'
import { chromium } from 'playwright-core'

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '300' },
    attacks: { type: 'string', default: '40' },
    trials: { type: 'string', default: '10000' },
    keep: { type: 'string' },
  },
})
const [clients, rounds, attacks] = [Number(values.clients), Number(values.rounds), Number(values.attacks)]
const trials = Number(values.trials)
/** Where what is made up is put, and left where somebody says where. */
const root = values.keep ?? mkdtempSync(join(tmpdir(), 'overhear-page-'))

/** The same draws every time. */
let state = 1
const draw = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}

/** A small audit whose document is then told of every client, by every attack. */
async function largeRun() {
  const out = join(root, 'large')
  const small = await audit(
    {
      name: 'large',
      repeats: 2,
      data: { name: 'cps-wages', params: { wage: 'log' }, rows: 120, auxiliary: 0.2 },
      partition: { name: 'iid', params: { clients: 3 } },
      models: [{ kind: 'linear' }],
      training: { rounds: 3, localEpochs: 5, batchSize: null, learningRate: 0.05 },
      knowledge: { sensitive: ['union'] },
      observers: ['eavesdropper'],
      attacks: ['last-returned', 'aia-model'],
      controls: false,
    },
    { ports: nodePorts({ out, workers: 1 }) },
  ).result
  const [observer] = small.observers
  if (observer === undefined) throw new Error('the small audit has no observer')
  const words = /** @type {const} */ (['leaks-records', 'inconclusive', 'none-found'])
  const ladders = small.questions[0]?.attacks ?? []
  const questions = Array.from({ length: clients }, (_, c) =>
    small.questions.map((one) => ({
      ...one,
      target: String(c),
      level: words[c % 3],
      attacks: Array.from({ length: attacks }, (__, a) => ({ ...ladders[0], attack: `attack-${a}` })),
    })),
  ).flat()
  const results = Array.from({ length: clients * attacks }, (_, k) => {
    const one = observer.attacks[k % observer.attacks.length]
    const target = String(Math.floor(k / attacks))
    const findings = one?.findings.map((found) => ({ ...found, claim: { ...found.claim, client: target } }))
    return { ...one, attack: `attack-${k % attacks}`, target, findings }
  })
  const sentences = questions.map(({ target }) => `somebody on the line of client ${target} learns something made up`)
  const verdict = { ...small.verdict, sentences, tested: questions.length }
  writeFileSync(join(out, 'audit.json'), JSON.stringify({ ...small, questions, verdict, observers: [{ ...observer, attacks: results }] })) // biome-ignore format: one line
  largeTranscript(join(out, 'transcript'))
  return statSync(join(out, 'audit.json')).size
}

/** Messages of 16 parameters, half of the clients in a round. @param {string} folder */
function largeTranscript(folder) {
  rmSync(folder, { recursive: true })
  mkdirSync(join(folder, 'rounds'), { recursive: true })
  const manifest = {
    format: 'overhear-transcript/1',
    recordedFor: 'server',
    model: { kind: 'linear', inputs: 15, outputs: 1 },
    loss: 'mse',
    protocol: { share: 'delta' },
    clients: Array.from({ length: clients }, (_, c) => ({ id: String(c), samples: 40 })),
    rounds: 'rounds.jsonl',
  }
  writeFileSync(join(folder, 'transcript.json'), JSON.stringify(manifest))
  for (let r = 0; r < rounds; r++) {
    const participants = Array.from({ length: clients }, (_, c) => String(c)).filter(() => draw() < 0.5)
    const owners = ['global/*', ...participants.map((id) => `client/${id}/*`)]
    const tensors = owners.map((name, k) => [name, { dtype: 'F64', shape: [16], data_offsets: [128 * k, 128 * k + 128] }]) // biome-ignore format: one line
    const header = Buffer.from(JSON.stringify(Object.fromEntries(tensors)))
    const length = Buffer.alloc(8)
    length.writeBigUInt64LE(BigInt(header.length))
    const data = Float64Array.from({ length: 16 * owners.length }, () => (draw() - 0.5) / (1 + r / 30))
    const file = `rounds/${String(r).padStart(6, '0')}.safetensors`
    writeFileSync(join(folder, file), Buffer.concat([length, header, Buffer.from(data.buffer)]))
    appendFileSync(join(folder, 'rounds.jsonl'), `${JSON.stringify({ round: r, file, participants, dropped: [], tampered: [] })}\n`) // biome-ignore format: one line
  }
}

function largeSweep() {
  mkdirSync(join(root, 'sweep'))
  const lines = Array.from({ length: trials }, (_, k) => {
    const at = { rounds: 5 + 5 * (k % 20), learningRate: 0.001 * 1.5 ** (k % 13), noise: draw() * 4, model: ['linear', 'mlp'][k % 2] } // biome-ignore format: one line
    const record = 0.5 + 0.4 * draw() - 0.05 * at.noise
    const question = { observer: 'eavesdropper', kind: 'attribute', name: 'union', model: at.model, recordStep: record - 0.5, clientStep: draw() / 5 } // biome-ignore format: one line
    const scores = ['a', 'b', 'c'].map((attack) => ({ attack, kind: 'attribute', name: 'union', model: null, metric: 'auc', value: record - draw() / 10 })) // biome-ignore format: one line
    return JSON.stringify({
      format: 'overhear-trial/1',
      id: createHash('sha256').update(String(k)).digest('hex'),
      seed: 1,
      at,
      result: { hash: '', level: record > 0.7 ? 'leaks-records' : 'none-found', tested: 1, notTested: 0, questions: [question], scores, utility: [{ model: null, metric: 'R2', value: draw() }] }, // biome-ignore format: one line
      reason: null,
      took: { seconds: 1, attempts: 1, worker: null },
    })
  })
  writeFileSync(join(root, 'sweep', 'trials.jsonl'), `${lines.join('\n')}\n`)
  return statSync(join(root, 'sweep', 'trials.jsonl')).size
}

const bytes = { audit: await largeRun(), sweep: largeSweep() }
console.log(`audit.json ${(bytes.audit / 1e6).toFixed(1)} MB, trials.jsonl ${(bytes.sweep / 1e6).toFixed(1)} MB`)
const server = await servePage({ host: '127.0.0.1', port: 0, root })
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })

/** Milliseconds of processor time of the longest task of this page's own thread: a browser has pages of its own besides. @param {Buffer} trace */
function longestWork(trace) {
  /** @type {{ name: string, pid: number, tid: number, tdur?: number, args: { data?: { url?: string } } }[]} */
  const events = JSON.parse(trace.toString()).traceEvents
  const own = events.find(({ name, args }) => name === 'CommitLoad' && args.data?.url?.startsWith(server.url))
  const tasks = events.filter(({ name, pid, tid }) => name.endsWith('RunTask') && pid === own?.pid && tid === own.tid)
  return tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1000), 0)
}

/** @type {readonly (readonly [name: string, hash: string, settled: string])[]} */
const screens = [
  ['runs, the first time', '#/', '.runs li'],
  ['runs', '#/', '.runs li'],
  ['the run, the first time', '#/run/large', '.questions li'],
  ['the run', '#/run/large', '.questions li'],
  ['explorer, messages', '#/explore/large', 'tbody tr'],
  ['explorer, a client', '#/explore/large/client/7', 'tbody tr'],
  ['explorer, records', '#/explore/large/records/7', 'tbody tr'],
  ['explorer, who took part', '#/explore/large/rounds', 'tbody tr'],
  ['sweep, the first time', '#/sweep/sweep', 'canvas[data-state=drawn]'],
  ['sweep', '#/sweep/sweep', 'canvas[data-state=drawn]'],
]
for (const [name, hash, settled] of screens) {
  const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage()
  await page.addInitScript(() => {
    const tasks = /** @type {number[]} */ ([])
    Object.assign(window, { tasks })
    new PerformanceObserver((list) => {
      for (const one of list.getEntries()) tasks.push(one.duration)
    }).observe({ type: 'longtask', buffered: true })
  })
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] })
  const start = performance.now()
  await page.goto(server.url + hash)
  const paint = performance.now() - start
  await page.locator(settled).first().waitFor({ timeout: 120_000 })
  const shown = performance.now() - start
  const scroll = await page.evaluate(async () => {
    const begun = performance.now()
    const steps = 40
    for (let k = 0; k < steps; k++) {
      window.scrollBy(0, 200)
      await new Promise((done) => requestAnimationFrame(done))
    }
    return (performance.now() - begun) / steps
  })
  const tasks = await page.evaluate(() => /** @type {{ tasks: number[] }} */ (/** @type {unknown} */ (window)).tasks)
  const worked = longestWork(await browser.stopTracing())
  const longest = tasks.length === 0 ? 'none over 50 ms' : `${Math.round(Math.max(...tasks))} ms`
  console.log(
    `${name}: loaded ${(paint / 1000).toFixed(2)} s, shown ${(shown / 1000).toFixed(2)} s, scroll ${scroll.toFixed(1)} ms a step, longest task ${longest}, ${worked.toFixed(0)} ms of processor time`,
  )
  await page.close()
}
await browser.close()
await server.close()
if (values.keep === undefined) rmSync(root, { recursive: true, force: true })
