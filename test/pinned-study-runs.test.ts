/**
 * What every study asks for: the scenarios that it would train and the attacks that it would run on them, at each of its
 * points, quick and in full; and what it makes of the answers, which are drawn. Nothing is trained here.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { studies } from '../src/studies/index.js'
import type { Study } from '../src/studies/study.js'
import { forget, noted, textOf } from './study-standins.js'

const standins = vi.hoisted(() => async () => import('./study-standins.js'))
const worlds = vi.hoisted(() => async () => import('./study-worlds.js'))
type Real = () => Promise<object>

vi.mock('../src/studies/recorded-run.js', async () => ({ recordedRun: (await standins()).recordedRun }))
vi.mock('../src/audit/audit.js', async () => ({ audit: (await standins()).audit }))
vi.mock('../src/models/trainer.js', async () => ({ trainer: (await standins()).trainer }))
vi.mock('../src/models/functions.js', async () => ({ functionsOf: (await worlds()).functionsOf }))
vi.mock('../src/models/initialise.js', async (real: Real) => {
  return { ...(await real()), initialise: (await worlds()).initialise }
})
vi.mock('../src/metrics/theory/optima-apart.js', async () => {
  return { optimaApart: (await worlds()).optimaApart }
})
vi.mock('../src/accounting/calibrate.js', async (real: Real) => {
  return { ...(await real()), ...(await standins()).accounting }
})
vi.mock('../src/scenario/simulate.js', async (real: Real) => ({ ...(await real()), ...(await standins()).pools }))
vi.mock('../src/scenario/simulate-model.js', async (real: Real) => {
  return { ...(await real()), ...(await standins()).stages }
})
vi.mock('../src/scenario/write-world.js', async (real: Real) => ({ ...(await real()), ...(await standins()).worlds }))
vi.mock('../src/federation/federate.js', async (real: Real) => {
  return { ...(await real()), ...(await standins()).federations }
})
vi.mock('../src/federation/manifest-for.js', async (real: Real) => {
  return { ...(await real()), ...(await standins()).manifests }
})
vi.mock('../src/federation/utility.js', async (real: Real) => ({ ...(await real()), ...(await standins()).utilities }))
vi.mock('../src/transcript/write-transcript.js', async (real: Real) => {
  return { ...(await real()), ...(await standins()).writers }
})
vi.mock('../src/threat/grant.js', async (real: Real) => {
  return { ...(await real()), grant: (await standins()).detectors.grant }
})
vi.mock('../src/attacks/properties/usable-sums.js', async (real: Real) => {
  return { ...(await real()), sumsOf: (await standins()).detectors.sumsOf }
})
vi.mock('../src/attacks/properties/property-attack.js', async (real: Real) => {
  return { ...(await real()), featureOptions: (await standins()).detectors.featureOptions }
})
vi.mock('../src/attacks/properties/detector/feature-sums.js', async (real: Real) => {
  return { ...(await real()), featureSums: (await standins()).detectors.featureSums }
})
vi.mock('../src/attacks/properties/property-estimators.js', async (real: Real) => {
  return { ...(await real()), ...(await standins()).estimators }
})

const path = fileURLToPath(new URL('pinned/study-runs.json', import.meta.url))
const kept: Record<string, Record<string, string>> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
const now: typeof kept = {}
const digest = (value: unknown): string => createHash('sha256').update(textOf(value)).digest('hex').slice(0, 12)

const ports = { dataset: () => Promise.reject(new Error('no files here')) } as never

async function runsOf(study: Study, quick: boolean, seed: number): Promise<string> {
  const found: unknown[] = []
  for (const { at, effort } of study.points({ quick })) {
    forget()
    const made = await study.measure(at, { quick, seed, ports }).catch((error: Error) => error.message)
    found.push([at, effort, noted(), made])
  }
  return digest(found)
}

describe.each(Object.values<Study>(studies).map((study) => [study.id, study] as const))('%s', (id, study) => {
  test('asks for what is kept, and makes of the answers what is kept', async () => {
    const { measure: _, points: __, claims, ...facts } = study
    const found = {
      facts: digest([facts, claims.map(({ text, believed }) => [text, believed])]),
      quick: await runsOf(study, true, 3),
      full: await runsOf(study, false, 3),
      other: await runsOf(study, false, 1),
    }
    now[id] = found
    if (process.env.UPDATE_NUMBERS === '1') writeFileSync(path, `${JSON.stringify(now, null, 1)}\n`)
    else expect(found).toEqual(kept[id])
  })
})
