import { beforeAll, describe, expect, test } from 'vitest'
import type { Claim } from '../src/attacks/claim.js'
import { attacks } from '../src/attacks/index.js'
import type { Evidence } from '../src/audit/evidence.js'
import { halvesOf, wholeList } from '../src/audit/ladder/asked-records.js'
import { cellSources } from '../src/audit/ladder/cell-sources.js'
import { openRecording } from '../src/audit/open-recording.js'
import { readScenario } from '../src/audit/read-scenario.js'
import { runAttack } from '../src/audit/run-attack.js'
import { inlinePool } from '../src/federation/pool.js'
import { pickRows } from '../src/metrics/grading.js'
import { rng } from '../src/numeric/random/rng.js'
import { simulateModel } from '../src/scenario/simulate-model.js'
import type { Table } from '../src/transcript/encoded-table.js'
import { memoryFolder } from '../src/transcript/memory-folder.js'

// What `perRecord` promises: what is claimed of a record does not depend on the others that it is asked about with, but for
// one scale of how sure it is of all of them. Where that is so, one run over trained and held-back records together stands for a run over any of them.

let evidence: Evidence
let table: Table

beforeAll(async () => {
  const files = new Map<string, Uint8Array>()
  const scenario = readScenario({
    data: { name: 'cps-wages', params: { wage: 'log' }, rows: 240, auxiliary: 0.3 },
    partition: { name: 'iid', params: { clients: 3 } },
    models: [{ kind: 'linear' }],
    training: { rounds: 40, localEpochs: 2, learningRate: 0.05, batchSize: null, precision: 'f64' },
    knowledge: { sensitive: ['union'], candidates: 10 },
    heldBack: 0.5,
  })
  await simulateModel(scenario, 0, {
    folder: (path) => memoryFolder(files, path),
    poolFor: (spec, population) => inlinePool(spec, { population }),
  })
  const locate = async (path: string) => {
    const cut = path.lastIndexOf('/')
    return { store: memoryFolder(files, path.slice(0, Math.max(0, cut))), path: path.slice(cut + 1) }
  }
  evidence = await openRecording(
    { transcript: 'transcript/transcript.json', knowledge: 'knowledge.json', truth: 'truth/truth.json' },
    { locate },
  )
  const halves = await halvesOf('0', evidence.truth!, evidence.sources.knowledge)
  table = wholeList(halves!, rng(3)).table
})

/** What the attack claims of each of some records, as numbers: a value and a place among the sure ones. */
/** undefined where the attack refuses these records. */
async function claimsAbout(id: string, rows: readonly number[]): Promise<number[][] | undefined> {
  const attack = attacks[id]!
  const asked = pickRows(table, rows)
  const as = attack.needs.includes('candidates') ? 'candidates' : 'records'
  const result = await runAttack(
    attack,
    {},
    {
      sources: await cellSources(evidence.sources, { line: '0', table: asked, as }),
      observer: 'server',
      rng: rng(1),
    },
  )
  if (result.status === 'not-applicable') return undefined
  if (result.status !== 'claimed') throw new Error(JSON.stringify(result))
  return result.claims.map(valuesOf)
}

function valuesOf(claim: Claim): number[] {
  if (claim.kind === 'members') return Array.from(claim.scores!)
  if (claim.kind === 'labels') return Array.from(claim.labels)
  if (claim.kind !== 'attribute') throw new Error(claim.kind)
  // How sure it is may be measured against all of them: which of two it is surer of may not.
  return Array.from(claim.values, (value, i) => (value === 1 ? 1 : -1) * (claim.confidence?.[i] ?? 1))
}

/** Whether the same records are claimed alike among others, and in another order. */
async function alike(id: string): Promise<boolean> {
  const order = Array.from(rng(5).permutation(table.features.rows))
  const n = Math.floor(order.length / 2)
  const [shared, some, others] = [order.slice(0, 12), order.slice(12, n), order.slice(n, 2 * n - 12)]
  const first = await claimsAbout(id, [...some, ...shared])
  const second = await claimsAbout(id, [...[...shared].reverse(), ...others])
  // Who they are among decides whether anything is said of them at all.
  if (first === undefined || second === undefined) return false
  return first.every((values, c) => {
    const a = values.slice(some.length)
    const b = second[c]!.slice(0, shared.length).reverse()
    return a.every((x, i) => {
      if (Math.sign(x) !== Math.sign(b[i]!)) return false
      return a.every((y, j) => (x - y) * (b[i]! - b[j]!) >= -1e-12)
    })
  })
}

describe('claims about each record by itself', () => {
  const said = Object.values(attacks).filter(({ perRecord }) => perRecord)

  test.each(said.map(({ id }) => [id]))('%s', async (id) => {
    expect(await alike(id)).toBe(true)
  })

  test('are not those of attacks on a list, which this would notice', async () => {
    expect(said.map(({ id }) => id)).toEqual(['lmra-label', 'membership-loss', 'aia-model'])
    expect(await alike('aia-linear')).toBe(false)
  })
})
