import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import {
  type Defence,
  type FederationSpec,
  federate,
  heldPopulation,
  inlinePool,
  localRules,
  type Population,
  population,
  runToEnd,
  toyLeastSquares,
} from 'overhear/federation'
import { threadPool } from 'overhear/node'
import { matrix, rng } from 'overhear/numeric'
import { describe, expect, test } from 'vitest'

const records = [30, 5, 41, 16, 8, 23, 11].map((n, k) => {
  return toyLeastSquares(rng(k), { clients: 1, recordsPerClient: n, heterogeneity: 0.5 })[0]!
})
const held = heldPopulation(records)
const sliced = population({
  kind: 'sliced',
  records: { features: matrix(20, 10, rng(1).normals(200)), labels: rng(2).normals(20) },
  clients: ['a', 'b', 'c'].map((id, k) => ({ id, rows: Int32Array.of(k, 5 + k, 12, 19 - k) })),
})
const generated = population({
  kind: 'generated',
  clients: 1000,
  seed: 1,
  generator: { name: 'toy-least-squares', recordsPerClient: 6 },
})

const base: FederationSpec = {
  model: { kind: 'mlp', inputs: 10, hidden: [6], outputs: 1 },
  rule: { algorithm: 'fedavg', learningRate: 0.05, localEpochs: 2, batchSize: 8 },
  seed: 5,
  rounds: 3,
}
const rules = Object.entries(localRules).flatMap(([algorithm, { shares }]) =>
  shares.map((share) => [`${algorithm}, ${share}`, { algorithm, share, learningRate: 0.05 }] as const),
)

/** Every message of every round, by as many workers; 0: in this thread. */
async function messages(spec: FederationSpec, people: Population, workers: number, defences: Defence[] = []) {
  const options = { population: people }
  const pool = workers === 0 ? inlinePool(spec, options) : threadPool(spec, { ...options, workers })
  try {
    const rounds: unknown[] = []
    await runToEnd(federate(spec, { ...options, pool, defences }), ({ updates, next }) =>
      rounds.push({ updates, next }),
    )
    return rounds
  } finally {
    await pool.close()
  }
}

describe('the same bits here and in worker threads', () => {
  test.each(rules)('%s', async (_, rule) => {
    const spec = { ...base, rule } as FederationSpec
    expect(await messages(spec, held, 2)).toEqual(await messages(spec, held, 0))
  })
  test('models that clients would train alone, in the order that was asked for', async () => {
    const from = rng(3).normals(73)
    const searches = [4, 0, 2].map((client) => ({ client, from, maxIterations: 20 }))
    const [here, there] = [inlinePool(base, { population: held }), threadPool(base, { population: held, workers: 2 })]
    try {
      const found = await here.alone(searches)
      expect(new Set(found.map(String)).size).toBe(3)
      expect(found[1]).toEqual((await here.alone(searches.slice(1)))[0])
      expect(await there.alone(searches)).toEqual(found)
      const odd = [{ client: 1, from: from.slice(1), maxIterations: 20 }]
      await expect(there.alone(odd)).rejects.toThrow('72')
      expect(await there.alone(searches.slice(2))).toEqual(found.slice(2))
    } finally {
      await Promise.all([here.close(), there.close()])
    }
  })
  test.each([
    ['sliced', sliced, base],
    ['generated', generated, { ...base, sampling: { name: 'fraction', fraction: 0.15 } }],
    [
      'misbehaving',
      held,
      { ...base, misbehaving: { 2: { name: 'free-rider', update: 'stale' }, 4: { name: 'ascent' } } },
    ],
  ] as [string, Population, FederationSpec][])('%s clients, by 1 and 3', async (_, people, spec) => {
    const here = await messages(spec, people, 0)
    expect(await messages(spec, people, 1)).toEqual(here)
    expect(await messages(spec, people, 3)).toEqual(here)
  })
  test('private steps', async () => {
    const step = [{ name: 'dp', step: { maxNorm: 1, noiseMultiplier: 0.5 } }]
    expect(await messages(base, held, 2, step)).toEqual(await messages(base, held, 0, step))
  })
})

describe('what goes wrong in a worker', () => {
  test('is reported with round, client and learning rate', async () => {
    const rule = { algorithm: 'fedavg', learningRate: 1e8, localEpochs: 60, batchSize: 2 } as const
    const spec = { ...base, model: { kind: 'linear', inputs: 10, outputs: 1 }, rule } as const
    await expect(messages(spec, held, 2)).rejects.toMatchObject({
      code: 'E_NON_FINITE',
      message: expect.stringMatching(/^round 0, client "\d": training diverged: .*learning rate \(100000000\)/),
    })
  })
  test('leaves the pool usable when it was one turn', async () => {
    const pool = threadPool(base, { population: held, workers: 2 })
    const theta = new Float64Array(73)
    const bad = new Float64Array(2)
    const turns = records.map((_, client) => ({ round: 0, client, theta: client === 3 ? bad : theta }))
    await expect(pool.train(turns)).rejects.toThrow('round 0, client "3": theta has 2 values')
    const good = turns.map((turn) => ({ ...turn, theta }))
    expect(await pool.train(good)).toEqual(await inlinePool(base, { population: held }).train(good))
    await pool.close()
  })
  test('and its death is, with whom it played', async () => {
    // Its description of the clients is another one, which it cannot make.
    const spec = { ...generated.spec, generator: { name: 'nothing' } } as never
    const pool = threadPool(base, { population: { ...generated, spec }, workers: 1 })
    const turn = { round: 4, client: 17, theta: new Float64Array(73) }
    await expect(pool.train([turn])).rejects.toThrow(
      /worker thread 0 failed while it played client "17" in round 4: unknown generator: "nothing"/,
    )
    await expect(pool.train([turn])).rejects.toThrow('worker thread 0') // no hang the next time
    await pool.close()
  })
})

describe('a pool', () => {
  test('closes itself when it is told to stop, after the turns under way', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const pool = threadPool(base, { population: held, workers: 2, signal })
    const seen: number[] = []
    const run = runToEnd(federate({ ...base, rounds: 50 }, { population: held, pool, signal }), ({ round }) => {
      seen.push(round)
      if (round === 2) controller.abort()
    })
    await expect(run).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
    expect(seen).toEqual([0, 1, 2])
    await expect(pool.train([])).rejects.toThrow('the pool of worker threads is closed')
    await pool.close()
  })
  /** A program of its own with a pool of two threads. */
  const alone = (rest: string) => {
    const program = `
      import { heldPopulation, toyLeastSquares } from 'overhear/federation'
import { rng } from 'overhear/numeric'
      import { threadPool } from 'overhear/node'
      const population = heldPopulation(toyLeastSquares(rng(1), { clients: 40, recordsPerClient: 9 }))
      const rule = { algorithm: 'fedsgd', learningRate: 0.1 }
      const spec = { model: { kind: 'linear', inputs: 10, outputs: 1 }, rule, seed: 1, rounds: 1 }
      const pool = threadPool(spec, { population, workers: 2 })
      const turns = Array.from({ length: 40 }, (_, client) => ({ round: 0, client, theta: new Float64Array(11) }))
      ${rest}`
    const cwd = fileURLToPath(new URL('..', import.meta.url))
    const done = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd, timeout: 30_000 })
    return [String(done.stdout), String(done.stderr), done.status]
  }
  test('that nobody closes keeps no process alive', () => {
    expect(alone('console.log((await pool.train(turns)).length)')).toEqual(['40\n', '', 0])
  })
  test('that is closed while answers wait to be read is closed before the process ends', () => {
    const program = `
      await pool.train(turns.slice(0, 1))
      const last = pool.train(turns).catch(({ code }) => code)
      for (const start = performance.now(); performance.now() - start < 300; ) {}
      await pool.close()
      console.log(await last)`
    expect(alone(program)).toEqual(['E_INTERRUPTED\n', '', 0])
  })
})
