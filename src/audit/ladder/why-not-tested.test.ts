import { describe, expect, test } from 'vitest'
import type { AskedAttack, AskedQuestion } from './asked-results.js'
import { brokenKey, isUnheard, whyNotTested } from './why-not-tested.js'

const attack = (id: string, results: readonly object[] = [], answers: readonly unknown[] = []): AskedAttack =>
  ({ id, params: {}, answers, results: results.map((one) => ({ attack: id, ...one })) }) as unknown as AskedAttack
const why = (attacks: readonly AskedAttack[], broken: readonly string[] = []): string | null =>
  whyNotTested({ attacks, observer: 'server', model: 'm' } as unknown as AskedQuestion, new Set(broken))
const keyOf = (model: string | null, observer = 'server', params = {}) =>
  brokenKey({ attack: 'a', params, observer, model })
const absent = (more: object) => ({ status: 'not-applicable', ...more })
const answered = [{ status: 'claimed' }]
const late = { status: 'failed', error: { code: 'E_TIME', message: 'late' } }

describe('a question counts as tested', () => {
  test('where an attack answered that is not broken', () => {
    expect(why([attack('a', answered, [undefined, { guess: { p: 0.5 } }])])).toBeNull()
    expect(why([attack('a', answered, [{}]), attack('b', answered, [{}])], [keyOf('m')])).toBeNull()
    const elsewhere = [keyOf(null), keyOf('n'), keyOf('m', 'participant'), keyOf('m', 'server', { from: 'b' })]
    expect(why([attack('a', answered, [{}])], elsewhere)).toBeNull()
  })

  test('not where all that answered are broken, whoever else did not answer', () => {
    const attacks = [attack('a', answered, [{}]), attack('a', answered, [{}]), attack('c', [absent({})], [undefined])]
    expect(why(attacks, [keyOf('m')])).toBe('blind here: a did not find a leak that was planted')
  })

  test('not where one ran out of time, even if others answered', () => {
    const others = { status: 'failed', error: { code: 'E_WORK', message: 'x' } }
    const attacks = [attack('a', answered, [{}]), attack('b', [others, late]), attack('c', [late])]
    expect(why(attacks)).toBe('out of time: b, c; --resume goes on, secondsPerAttack is the limit')
  })

  test('not where a guess tells the halves apart, from below one in a thousand', () => {
    const guessed = (p: number) => why([attack('a', answered, [undefined, { guess: { p } }])])
    expect(guessed(0.000999)).toMatch('the held-back records are unlike the trained ones')
    expect(guessed(0.001)).toBeNull()
    expect(guessed(0.0011)).toBeNull()
  })
})

describe('where nobody answered, the reason is', () => {
  test('what went wrong, before what was not asked, before what is missing', () => {
    const failed = { status: 'failed', error: { code: 'E_VALUE', message: 'too large' } }
    const unasked = { status: 'claimed', ladder: { notAsked: 'nothing was held back' } }
    const lacking = absent({ missing: ['records', 'labels'] })
    expect(why([attack('a', [lacking, unasked]), attack('b', [failed])])).toBe('b failed: too large')
    expect(why([attack('b', [{ status: 'failed' }])])).toBe('b failed: ')
    expect(why([attack('a', [lacking, { status: 'claimed', ladder: {} }, unasked])])).toBe('nothing was held back')
    expect(why([attack('a', [lacking])])).toBe('no applicable attack: a: it lacks records, labels')
    expect(why([attack('a', answered)])).toBe('the truth lacks what it takes to grade the claims')
    expect(why([])).toBe('the truth lacks what it takes to grade the claims')
  })

  test('one of each attack, that of its first training, and of three attacks at most', () => {
    const reasons = ['a', 'b', 'c', 'd', 'e'].map((id) =>
      attack(id, [absent({ why: `${id} one` }), absent({ why: 'two' })]),
    )
    expect(why(reasons.slice(0, 1))).toBe('no applicable attack: a: a one')
    expect(why(reasons.slice(0, 3))).toBe('no applicable attack: a: a one; b: b one; c: c one')
    expect(why(reasons)).toBe('no applicable attack: a: a one; b: b one; c: c one; and 2 more')
    expect(why([attack('a', [absent({})])])).toBe('no applicable attack: a: it lacks ')
  })

  test('that nobody hears, only where every attack lacks messages', () => {
    const unheard = (...results: object[]) => isUnheard({ attacks: [attack('a', results)] })
    const lacking = absent({ missing: ['records', 'exchanges'] })
    expect(unheard(lacking, absent({ missing: ['rounds without some client'], why: 'sums only' }))).toBe(true)
    expect(unheard(lacking, absent({ missing: ['records'] }))).toBe(false)
    expect(unheard(lacking, { status: 'claimed', missing: ['exchanges'] })).toBe(false)
    expect(unheard({ ...lacking, ladder: { notAsked: 'nothing was held back' } })).toBe(false)
    expect(unheard()).toBe(false)
  })
})
