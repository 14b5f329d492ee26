import { describe, expect, test } from 'vitest'
import { type Attack, claimed, defineAttack, Inapplicable, type Outcome } from '../attacks/attack.js'
import { OverhearError } from '../errors.js'
import { rng } from '../numeric/random/rng.js'
import { text } from '../params.js'
import type { Sources } from '../threat/grant.js'
import { contextOf, runAttack, type Surroundings } from './run-attack.js'

const attack = (id: string, run: (context: Parameters<Attack['run']>[1]) => Outcome | Promise<Outcome>): Attack =>
  defineAttack({
    id,
    title: '',
    paper: 'lmra',
    where: '',
    target: 'label',
    needs: ['target'],
    params: { from: text({ default: '', doc: '' }) },
    run: (_, context) => run(context),
    plant: { none: '' },
    shuffle: { none: '' },
  })
const label = (value: number) => claimed({ kind: 'label', client: 'a', round: 0, value })
const base = attack('base', ({ rng: own }) => label(own.uniform()))
const missing = attack('missing', () => {
  throw new Inapplicable(['auxiliary'], 'no data')
})
const failing = attack('failing', () => {
  throw new OverhearError('E_VALUE', 'cannot')
})
const building = attack('building', async ({ claimOf, params }) => claimOf(String(params.from)))

const around: Surroundings = {
  sources: {
    transcript: { manifest: { recordedFor: { kind: 'server' } } },
    knowledge: { target: 'a' },
  } as unknown as Sources,
  observer: 'server',
  rng: rng(3),
  table: { base, missing, failing, building },
}

describe('an attack where an observer stands', () => {
  test('claims, with a stream of its own that is the same every time', async () => {
    const one = await runAttack(base, {}, around)
    expect(one).toMatchObject({ status: 'claimed' })
    expect(await runAttack(base, {}, around)).toEqual(one)
    expect(await runAttack(base, {}, { ...around, rng: rng(4) })).not.toEqual(one)
  })

  test('is not applicable where it lacks something, and says what', async () => {
    expect(await runAttack({ ...base, needs: ['channel', 'target'] }, {}, around)).toEqual({
      status: 'not-applicable',
      missing: ['channel'],
    })
    expect(await runAttack(missing, {}, around)).toEqual({
      status: 'not-applicable',
      missing: ['auxiliary'],
      why: 'no data',
    })
  })

  test('that throws an error with a code has failed; a bug or an interruption goes on', async () => {
    expect(await runAttack(failing, {}, around)).toEqual({
      status: 'failed',
      error: { code: 'E_VALUE', message: 'cannot' },
    })
    expect(await runAttack(base, { form: 'x' }, around)).toMatchObject({ error: { code: 'E_UNKNOWN_NAME' } })
    for (const error of [new TypeError('a bug'), new OverhearError('E_INTERRUPTED', 'stop')]) {
      const broken = attack('broken', () => {
        throw error
      })
      await expect(runAttack(broken, {}, around)).rejects.toBe(error)
    }
  })

  test('that builds on another gets what that one claims by itself', async () => {
    expect(await runAttack(building, { from: 'base' }, around)).toEqual(await runAttack(base, {}, around))
    expect(await runAttack(building, { from: 'missing' }, around)).toMatchObject({ status: 'not-applicable' })
    const world = contextOf(building, {}, around, { base: label(42) })
    expect(await world.claimOf('base')).toEqual(label(42))
  })

  test.each([
    ['failing', 'failing failed: cannot'],
    ['building', 'attack building is asked to build on itself'],
    ['bse', 'unknown attack: "bse" (did you mean "base"?)'],
  ])('that builds on %s has failed, and says why', async (from, message) => {
    const result = await runAttack(building, { from }, around)
    expect(result).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(message) } })
  })

  test('tells how far it is, and can be stopped there', async () => {
    const ticks: number[][] = []
    const long = attack('long', ({ tick }) => {
      for (let i = 0; i < 3; i++) tick(i, 3)
      return label(0)
    })
    await runAttack(long, {}, { ...around, onTick: (...tick) => ticks.push(tick) })
    expect(ticks).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ])
    const check = () => {
      throw new OverhearError('E_TIME', 'over')
    }
    expect(await runAttack(long, {}, { ...around, check })).toMatchObject({ error: { code: 'E_TIME' } })
  })
})
