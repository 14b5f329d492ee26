import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Question, StepTest } from '../ladder/question.js'
import { promisingPairs, type Single } from './pairs.js'
import { cheaper, front, keeps, safer, type Tried } from './tried.js'
import { sureness, useLost, type Weight, weigh, worstRung } from './weigh.js'

const step = (effect: number, more: Partial<StepTest> = {}): StepTest => ({
  p: 0.1,
  adjusted: 0.1,
  effect,
  errorRemoved: null,
  interval: [effect - 0.1, effect + 0.1],
  leastSeen: null,
  repeats: 4,
  ...more,
})

function question(more: Partial<Question> & { readonly metric?: string } = {}): Question {
  const { metric = 'AUC', ...given } = more
  return {
    observer: 'server',
    target: '0',
    model: 'linear',
    kind: 'attribute',
    name: 'union',
    level: 'inconclusive',
    ladder: {
      metric,
      better: 'higher',
      best: 1,
      guess: null,
      federation: null,
      client: null,
      record: null,
      everybody: null,
      guesser: null,
    },
    by: {},
    test: { record: step(0.3), client: null },
    gaps: [],
    notTested: null,
    cut: [],
    repeatsNeeded: null,
    attacks: [],
    people: null,
    exposed: null,
    rates: null,
    ...given,
  }
}

const audited = (questions: readonly Question[], value: number | null = 0.5) => ({
  questions,
  utility: { linear: { model: 'linear', rounds: 1, trainLoss: 0, heldOutLoss: 0, metric: 'R2', value } },
})

describe('the weight of an audit', () => {
  test('of several observers the one who hears most; copies of a question do not count', () => {
    const { rungs } = weigh(
      audited([
        question({ observer: 'eavesdropper', test: { record: step(0.1), client: step(0.05) } }),
        question({ observer: 'server', test: { record: step(0.2), client: step(0.01) } }),
        question({ observer: 'malicious-server', sameAs: 'server', test: { record: step(0.9), client: null } }),
      ]),
    )
    expect(rungs.map(({ step: which, size, observer }) => [which, size, observer])).toEqual([
      ['record', 0.2, 'server'],
      ['client', 0.05, 'eavesdropper'],
    ])
  })

  test('an error counts by the share that is gone, and so does its interval', () => {
    const test = { record: step(2, { errorRemoved: 0.4, interval: [1, 3] }), client: step(0) }
    const { rungs } = weigh(audited([question({ metric: 'MAE', test })]))
    expect(rungs[0]).toMatchObject({ size: 0.4, interval: [0.2, 0.6000000000000001] })
    expect(rungs[1]).toMatchObject({ size: 0, interval: null })
  })

  test('what nobody can ask any more is closed; what was not tested otherwise is open', () => {
    const before = weigh(audited([question(), question({ name: 'sex' }), question({ name: 'age' })]))
    const after = weigh(
      audited([
        question({
          level: 'not-tested',
          notTested: 'no applicable attack: aia-linear: it lacks exchanges',
          unheard: true,
        }),
        question({ name: 'age', level: 'not-tested', notTested: 'broken here: aia-linear did not find a leak' }),
      ]),
      before,
    )
    expect(after.rungs.map(({ about, size, closed }) => [about, size, closed])).toEqual([
      ['union of client 0 (linear)', 0, true],
      ['sex of client 0 (linear)', 0, true],
    ])
    expect(after.open).toEqual(['age of client 0 (linear), record: broken here: aia-linear did not find a leak'])
  })

  test('an attack that refuses closes nothing, and a share that is not known is none', () => {
    const before = weigh(audited([question()]))
    const refused = question({ level: 'not-tested', notTested: 'aia-linear: nothing that was tried fits the messages' })
    expect(weigh(audited([refused]), before).open).toHaveLength(1)
    expect(weigh(audited([{ ...refused, unheard: true }]), before).open).toEqual([])
    const unknown = { record: step(2, { errorRemoved: null }), client: null }
    const error = weigh(audited([question({ metric: 'MAE', test: unknown })]), before)
    expect([error.rungs, error.open.length]).toEqual([[], 1])
  })

  test('a step that was there and is gone though the question was tested is open', () => {
    const before = weigh(audited([question({ test: { record: step(0.1), client: step(0.2) } })]))
    const after = weigh(audited([question({ gaps: ['the client step: it takes 4 clients'] })]), before)
    expect(after.open).toEqual(['union of client 0 (linear), client: the client step: it takes 4 clients'])
  })

  test('use that is lost, of the model that loses most', () => {
    const [before, after] = [weigh(audited([], 0.5)), weigh(audited([], 0.375))]
    expect(useLost(before, after)).toBe(0.125)
    expect(useLost(before, weigh(audited([], null)))).toBe(null)
  })
})

describe('how sure it is', () => {
  const weight = (sizes: readonly number[], interval: readonly [number, number] | null = null): Weight => ({
    rungs: sizes.map((size) => ({
      about: 'x',
      step: 'record',
      observer: 'server',
      size,
      interval: interval ?? [size - 0.1, size + 0.1],
      closed: false,
    })),
    open: [],
    use: [],
  })

  test('of the step of which it is least sure', () => {
    expect(sureness(weight([0.05]), 0.05)).toBe(0.5)
    expect(sureness(weight([-0.05, 0.05]), 0.05)).toBe(0.5)
    // One and 1.96 deviations under the target.
    expect(sureness(weight([-0.05]), 0.05)).toBeCloseTo(0.975, 4)
    expect(sureness(weight([0.15]), 0.05)).toBeCloseTo(0.025, 4)
  })

  test('closed is sure, open and unknown is not known', () => {
    const closed: Weight = { rungs: [{ ...weight([0]).rungs[0]!, closed: true, interval: [0, 0] }], open: [], use: [] }
    expect(sureness(closed, 0.05)).toBe(1)
    expect(sureness({ ...closed, open: ['something'] }, 0.05)).toBe(null)
    expect(sureness({ rungs: [], open: [], use: [] }, 0.05)).toBe(null)
    expect(sureness({ ...closed, rungs: [{ ...closed.rungs[0]!, closed: false, interval: null }] }, 0.05)).toBe(null)
    expect(sureness(weight([0.04], [0.04, 0.04]), 0.05)).toBe(1)
    expect(sureness(weight([0.06], [0.06, 0.06]), 0.05)).toBe(0)
  })

  test('the worst step', () => {
    expect(worstRung(weight([0.1, 0.3, 0.2]))!.size).toBe(0.3)
    // What nobody can ask any more is no worse than what is asked, and found to be less than nothing.
    const [found] = weight([-0.2]).rungs
    const shut = { ...found!, size: 0, closed: true }
    expect(worstRung({ rungs: [shut, found!], open: [], use: [] })).toBe(found)
    expect(worstRung({ rungs: [shut], open: [], use: [] })).toBe(shut)
    expect(worstRung(weight([]))).toBe(undefined)
  })
})

let count = 0
function one(worst: number, lost: number, more: Partial<Tried> = {}): Tried {
  const rung = { about: 'x', step: 'record', observer: 'server', size: worst, interval: null, closed: false } as const
  const id = `v${count++}`
  return {
    id,
    changes: [{ id, words: id }],
    repeats: 4,
    worst: rung,
    rungs: [rung],
    open: [],
    use: [],
    useLost: lost,
    cost: { messages: 10, localSteps: 10 },
    epsilon: null,
    sure: null,
    seconds: 1,
    ...more,
  }
}

describe('how variants stand', () => {
  test('keeping to the target takes every step', () => {
    expect(keeps(one(0.05, 0), 0.05)).toBe(true)
    expect(keeps(one(0.051, 0), 0.05)).toBe(false)
    expect(keeps(one(0.01, 0, { open: ['x'] }), 0.05)).toBe(false)
    expect(keeps(one(0, 0, { worst: null }), 0.05)).toBe(false)
  })

  test('cheaper: use, then messages, then steps, then fewer changes', () => {
    const [a, b] = [one(0, 0.02), one(0, 0.04)]
    expect(cheaper(a, b)).toBeLessThan(0)
    expect(cheaper(one(0, 0.001), one(0, 0.004, { cost: { messages: 5, localSteps: 10 } }))).toBeGreaterThan(0)
    expect(cheaper(one(0, -0.2), one(0, 0, { cost: { messages: 10, localSteps: 9 } }))).toBeGreaterThan(0)
    expect(cheaper(one(0, 0), one(0, 0, { changes: [] }))).toBeGreaterThan(0)
  })

  test('safer: what is open last, then by what is over the target, then the cheaper', () => {
    const list = [one(0.01, 0, { open: ['?'] }), one(0.3, 0), one(0.04, 0.2), one(0.01, 0.3)]
    expect([...list].sort(safer(0.05))).toEqual([list[2], list[3], list[1], list[0]])
  })

  test('nothing on the front is beaten in both, and everything off it is', () => {
    const variant = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }))
    fc.assert(
      fc.property(fc.array(variant, { minLength: 1, maxLength: 8 }), (pairs) => {
        const all = pairs.map(([worst, lost]) => one(worst / 10, lost / 10))
        const on = front(all)
        const beats = (a: Tried, b: Tried) =>
          a.worst!.size <= b.worst!.size &&
          a.useLost! <= b.useLost! &&
          (a.worst!.size < b.worst!.size || a.useLost! < b.useLost!)
        for (const b of all) expect(on.includes(b)).toBe(!all.some((a) => beats(a, b)))
        for (let i = 1; i < on.length; i++) expect(on[i]!.useLost!).toBeGreaterThanOrEqual(on[i - 1]!.useLost!)
      }),
      { seed: 25, numRuns: 200 },
    )
  })
})

describe('pairs', () => {
  const single = (kind: string, sizes: Readonly<Record<string, number>>, lost = 0): Single => {
    const rungs = Object.entries(sizes).map(([about, size]) => {
      return { about, step: 'record', observer: 'server', size, interval: null, closed: false } as const
    })
    const worst = rungs.reduce((a, b) => (b.size > a.size ? b : a))
    const made = one(worst.size, lost, { rungs, worst })
    return { kind, change: { id: made.id, words: '', apply: (scenario) => scenario }, tried: made }
  }

  test('those that close what the other leaves, of different kinds, the cheapest first', () => {
    const sums = single('sums', { union: 0, inversion: 0.5 })
    const all = single('participation', { union: 0.6, inversion: 0.01 })
    const noise = single('noise', { union: 0.5, inversion: 0.02 }, 0.3)
    const other = single('sums', { union: 0.6, inversion: 0 })
    const pairs = promisingPairs([sums, all, noise, other], { target: 0.05, most: 2 })
    expect(pairs.map(({ changes }) => changes.map(({ id }) => id))).toEqual([
      [sums.change.id, all.change.id],
      [sums.change.id, noise.change.id],
    ])
    expect(pairs[0]!.left).toBe(0)
  })

  test('none where a change alone does as much', () => {
    const [a, b] = [single('a', { x: 0.01 }), single('b', { x: 0.4 })]
    expect(promisingPairs([a, b], { target: 0.05, most: 6 })).toEqual([])
  })
})
