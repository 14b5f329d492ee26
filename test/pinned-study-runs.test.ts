/**
 * What every study asks for: the scenarios that it would train and the attacks that it would run on them, at each of its
 * points, quick and in full; and what it makes of the answers, which are drawn. Nothing is trained here.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { studies } from '../src/studies/index.js'
import type { Figures, Study } from '../src/studies/study.js'

const asked = vi.hoisted(() => ({ log: [] as unknown[] }))

/** A number in 0..1 that follows from what was asked. */
const drawnOf = vi.hoisted(() => (value: unknown): number => {
  let state = 7
  for (const char of String(JSON.stringify(value))) state = (state * 48_271 + char.charCodeAt(0)) % 2_147_483_647
  return state / 2_147_483_647
})

vi.mock('../src/studies/recorded-run.js', () => ({
  recordedRun: async (scenario: unknown, _: unknown, record: unknown) => {
    asked.log.push({ scenario, record: typeof record })
    const score = async (attack: string, how: object) => {
      asked.log.push({ attack, how })
      const value = drawnOf([scenario, attack, how])
      const also = new Proxy<Record<string, number>>({}, { get: (_, name) => drawnOf([scenario, attack, how, name]) })
      const metric = value < 0.3 ? 'accuracy' : value < 0.6 ? 'cAcc' : 'iAcc'
      return { metric, value, also, chance: value / 2, better: 'higher', notes: [] }
    }
    const attack = async (id: string, how: object) => {
      const one = await score(id, how)
      return { attack: id, status: 'claimed', warnings: [], findings: [{ claim: {}, score: one }], details: {} }
    }
    const sources = async () => Promise.reject(new Error('no sources here'))
    return { targets: ['0', '1', '2'], score, scoreIfAny: score, attack, sources }
  },
}))
vi.mock('../src/studies/central-training.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  centralTraining: (how: object) => {
    asked.log.push({ central: how })
    return async () => ({ targets: ['0'] })
  },
}))
vi.mock('../src/scenario/simulate.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  simulate: (scenario: unknown) => {
    asked.log.push({ simulate: scenario })
    throw new Error('nothing is simulated here')
  },
  poolsOf: async (scenario: unknown) => {
    asked.log.push({ pools: scenario })
    throw new Error('nothing is read here')
  },
}))

const path = fileURLToPath(new URL('pinned/study-runs.json', import.meta.url))
const kept: Record<string, Record<string, string>> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
const now: typeof kept = {}
const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12)

const ports = { dataset: () => Promise.reject(new Error('no files here')) } as never

async function runsOf(study: Study, quick: boolean): Promise<unknown[]> {
  const found: unknown[] = []
  for (const { at, effort } of study.points({ quick })) {
    asked.log = []
    // One that trains nothing computes for as long as ever.
    if (study.id === 'ours-property-posterior' && (found.length > 0 || !quick)) continue
    const made = await study.measure(at, { quick, seed: 3, ports }).catch((error: Error) => error.message)
    found.push([at, effort, asked.log, made])
  }
  return found
}

/** Figures on steps of their own, so that some lie where a claim begins to hold. */
const figuresOf =
  (draw: number): Figures =>
  (...place) => {
    const steps = [4, 8, 20, 100, 200][draw % 5]!
    const value = Math.round(drawnOf([draw % 3 === 0 ? place : [draw, place]]) * steps) * [1, 0.25, 5, 0.5][draw % 4]!
    return { mean: value, std: 0, median: value, n: 10 }
  }

describe.each(Object.values<Study>(studies).map((study) => [study.id, study] as const))('%s', (id, study) => {
  test('asks for what is kept, and makes of the answers what is kept', async () => {
    const { seconds, seeds, revision, published, data, axis } = study
    const claims = study.claims.map(({ holds }) => Array.from({ length: 400 }, (_, draw) => holds(figuresOf(draw))))
    const found = {
      facts: digest({ seconds, seeds, revision, published, data, axis }),
      claims: `${claims.map((said) => `${said.filter((one) => one === true).length}`).join(' ')}: ${digest(claims)}`,
      quick: digest(await runsOf(study, true)),
      full: digest(await runsOf(study, false)),
    }
    now[id] = found
    if (process.env.UPDATE_NUMBERS === '1') writeFileSync(path, `${JSON.stringify(now, null, 1)}\n`)
    else expect(found).toEqual(kept[id])
  })
})
