import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { rng } from '../../src/numeric/random/rng.js'
import { soFar } from './findings.js'
import { auditArgs, factsOf, killAudit, overhear } from './killed-command.js'
import { killRecorder, recorderRuns } from './killed-recorder.js'
import { emptyTally, tryToLose, undisturbed } from './torture.js'
import { tortured } from './world.js'

// Briefly, with the same seeds every time. At length: npm run torture -- --minutes 60, which gives these.
const minutes = Number(process.env.TORTURE_MINUTES ?? 0)
const first = Number(process.env.TORTURE_SEED ?? 1)
const timeout = (minutes + 5) * 60_000
const until = (share: number): (() => boolean) => {
  const end = performance.now() + share * minutes * 60_000
  return () => performance.now() < end
}
const work = mkdtempSync(join(tmpdir(), 'overhear-torture-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

test(
  'a simulation is lost by no fault, kill or damage, and ends in the same bytes',
  async () => {
    const whole = await undisturbed(tortured)
    expect(whole.size).toBeGreaterThan(12)
    const tally = emptyTally()
    const going = until(0.6)
    for (let seed = first; seed < first + 60 || going(); seed++) {
      await tryToLose(tortured, { whole, seed, tally })
      soFar('simulations', tally)
    }
    soFar('simulations', tally, { end: true })
    expect(tally).toMatchObject({ losses: [], unequal: [] })
    for (const count of [tally.faults, tally.kills, tally.damages, tally.repairs]) expect(count).toBeGreaterThan(5)
  },
  timeout,
)

test(
  'an audit that is killed, stopped or starved goes on to the same document',
  async () => {
    const start = performance.now()
    const { code, stdout } = await overhear(auditArgs(join(work, 'whole')))
    expect(code).toBe(0)
    const whole = { facts: factsOf(stdout), millis: performance.now() - start }
    const tally = emptyTally()
    const draws = rng(first).fork('kills')
    const going = until(0.35)
    for (let k = 0; k < 1 || going(); k++) {
      await killAudit({ work, draws: draws.fork(k), tally, whole })
      soFar('audits', tally)
    }
    soFar('audits', tally, { end: true })
    expect(tally).toMatchObject({ losses: [], unequal: [] })
  },
  timeout,
)

test.skipIf(!recorderRuns())(
  'what a recorder listed before it was killed is whole',
  async () => {
    const tally = emptyTally()
    const draws = rng(first).fork('recorder')
    const going = until(0.05)
    for (let k = 0; k < 1 || going(); k++) await killRecorder({ work, draws: draws.fork(k), tally })
    soFar('recorders', tally, { end: true })
    expect(tally).toMatchObject({ losses: [] })
  },
  timeout,
)
