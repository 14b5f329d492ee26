import { describe, expect, test } from 'vitest'
import { attackOn } from '../../test/attack-context.js'
import { atChance, errorWith, scoreWith } from '../../test/audit-results.js'
import type { Attack } from '../attacks/attack.js'
import { type ControlWorld, claimed, defineAttack, Inapplicable } from '../attacks/attack.js'
import { OverhearError } from '../errors.js'
import type { Score } from '../metrics/score.js'
import { rng } from '../numeric/random/rng.js'
import type { Sources } from '../threat/grant.js'
import type { View } from '../threat/granted-keys.js'
import type { Truth } from '../transcript/truth-file.js'
import { runControls } from './controls.js'

type Looks = View<'target'>
type Make = (view: Looks) => ControlWorld<Looks> | Promise<ControlWorld<Looks>>

interface Acts {
  readonly plant?: Make | { readonly none: string }
  readonly run?: (view: Looks) => void
}
const named = (view: Looks, target: string) => ({ view: { ...view, target } })

/** Claims the label that its world is called by; every world is the name of a target. */
function attackThat({ plant = (view) => named(view, 'planted'), run }: Acts = {}): Attack {
  return defineAttack({
    id: 'mimic',
    title: '',
    paper: 'lmra',
    where: '',
    target: 'label',
    needs: ['target'],
    params: {},
    run(view) {
      run?.(view)
      return claimed({ kind: 'label', client: view.target, round: 0, value: 0 })
    },
    plant: 'none' in plant ? plant : ({ view }) => plant(view),
    shuffle: { none: 'an audit draws its own null worlds' },
  })
}

const sources = {
  transcript: { manifest: { recordedFor: { kind: 'server' } } },
  knowledge: { target: 'real' },
} as unknown as Sources

/** Runs the controls where each world is graded as told. */
const controlsOf = (attack: Attack, grade: (world: string) => Score | null) =>
  runControls(
    attack,
    {},
    {
      around: { sources, observer: 'server', rng: rng(1) },
      truth: {} as Truth,
      grade: async (outcome) =>
        grade(outcome.status === 'claimed' ? (outcome.claims[0] as { client: string }).client : ''),
    },
  )
const fair = (world: string) => (world === 'planted' ? scoreWith() : atChance())

test('the mimic claims the world that it is shown', async () => {
  expect(await attackOn(attackThat(), { target: 'x' })).toMatchObject({ claims: [{ client: 'x' }] })
})

describe('a planted leak', () => {
  const planted = async (score: Score | null) =>
    (await controlsOf(attackThat(), (world) => (world === 'planted' ? score : atChance()))).planted

  test('must be found by half of the way, above chance', async () => {
    expect(await planted(scoreWith())).toMatchObject({ status: 'passed', score: { lift: 0.8 } })
    expect((await planted(scoreWith({ lift: 0.5 }))).status).toBe('passed')
    expect((await planted(errorWith(0.5))).status).toBe('passed')
    const broken = [scoreWith({ lift: 0.49 }), errorWith(0.49), atChance()]
    for (const score of broken) expect((await planted(score)).status).toBe('broken')
  })

  test('is no test where a guess is as good as can be, or nobody could guess', async () => {
    for (const chance of [1, null]) {
      expect(await planted(scoreWith({ value: 1, chance, lift: null }))).toMatchObject({
        status: 'none',
        score: { value: 1 },
        reason: 'chance leaves no room above it',
      })
    }
    const near = scoreWith({ value: 1, chance: 0.99, lift: 1, interval: [0.98, 1] })
    expect(await planted(near)).toMatchObject({ status: 'none', reason: 'found, but chance is too near to tell' })
    const alike = scoreWith({ metric: 'auc', value: 0.5, accuracy: 1, lift: 0, interval: null })
    expect(await planted(alike)).toMatchObject({ status: 'none', reason: expect.stringContaining('too alike') })
    expect(await planted({ ...alike, accuracy: 0.9 })).toMatchObject({ status: 'broken' })
  })

  test('that cannot be graded, or makes no sense, is no test and says why', async () => {
    expect(await planted(null)).toEqual({
      status: 'none',
      score: null,
      reason: 'the truth lacks what it takes to grade it',
    })
    const none = await controlsOf(attackThat({ plant: { none: 'nothing to plant' } }), fair)
    expect(none.planted).toEqual({ status: 'none', score: null, reason: 'nothing to plant' })
  })

  const whenPlanted = (act: () => void) => (view: Looks) => {
    if (view.target === 'planted') act()
  }
  test.each([
    [
      'planting fails',
      { plant: () => Promise.reject(new OverhearError('E_INPUT', 'no optimum')) },
      'failed',
      'no optimum',
    ],
    [
      'the attack fails there',
      {
        run: whenPlanted(() => {
          throw new OverhearError('E_VALUE', 'cannot')
        }),
      },
      'failed',
      'cannot',
    ],
    [
      'planting finds something missing',
      { plant: () => Promise.reject(new Inapplicable(['auxiliary'], 'no data')) },
      'none',
      'no data',
    ],
    [
      'the attack finds something missing',
      {
        run: whenPlanted(() => {
          throw new Inapplicable(['auxiliary'])
        }),
      },
      'none',
      'it lacks auxiliary',
    ],
  ] as const)('when %s is reported, and the other control is run', async (_, acts, status, reason) => {
    const { planted } = await controlsOf(attackThat(acts as Acts), fair)
    expect(planted).toEqual({ status, score: null, reason })
  })

  test.each([
    ['E_INTERRUPTED', new OverhearError('E_INTERRUPTED', 'stop')],
    ['E_INTERNAL', new OverhearError('E_INTERNAL', 'a bug')],
    ['an error of ours', new TypeError('a bug')],
  ])('does not swallow %s', async (_, error) => {
    const plant = () => Promise.reject(error)
    await expect(controlsOf(attackThat({ plant }), fair)).rejects.toBe(error)
  })
})

test('an attack that is not applicable where the observer stands has no controls', async () => {
  const attack = { ...attackThat(), needs: ['channel'] as const }
  const none = { status: 'none', score: null, reason: 'not applicable: it lacks channel' }
  expect(await controlsOf(attack, fair)).toEqual({ planted: none })
})

test('the planted world has a stream of its own, the same every time', async () => {
  const streams: number[] = []
  const attack: Attack = {
    ...attackThat(),
    plant: async ({ view, rng: own }) => {
      streams.push(own.uniform())
      return { view: { ...view, target: 'planted' } }
    },
  }
  for (let i = 0; i < 2; i++) await controlsOf(attack, () => scoreWith())
  expect(streams).toHaveLength(2)
  expect(streams[1]).toBe(streams[0])
})
