import { describe, expect, test } from 'vitest'
import { resultWith } from '../../../test/audit-results.js'
import { rng } from '../../numeric/random/rng.js'
import type { AttackResult } from '../attack-result.js'
import type { Answer } from './answer.js'
import type { AskedResult } from './asked-results.js'
import { type QuestionOptions, questionsOf } from './questions.js'
import { brokenKey } from './why-not-tested.js'

const repeats = 10
const options: QuestionOptions = {
  observers: ['eavesdropper', 'server'],
  repeats,
  alpha: 0.05,
  margin: 0.1,
  errorMargin: 0.25,
  seed: 1,
  broken: new Set(),
  diverged: {},
}

/** An area that is higher by `leak` where records were trained on, with noise of its own in every training. */
function answerWith({ leak = 0, how = 'swap', repeat = 0, base = 0.6, ...more }: Partial<Answer> & Spread): Answer {
  const noise = rng(more.seed ?? 7).fork(repeat, how)
  const draw = (): number => base + 0.05 * noise.normal()
  const M = how === 'swap' ? 1 : 49
  const halves = Array.from({ length: M + 1 }, (_, k) => [draw() + (k === 0 ? leak : 0), draw()] as const)
  const [first] = halves
  return {
    kind: 'attribute',
    name: 'union',
    metric: 'AUC',
    better: 'higher',
    best: 1,
    how,
    trained: how === 'swap' ? [first![0], first![1]] : halves.map(([a]) => a),
    held: how === 'swap' ? [first![1], first![0]] : halves.map(([, b]) => b),
    contrast: how === 'swap' ? [1, -1] : halves.map((_, k) => (k === 0 ? 1 : 0)),
    federation: base,
    guess: { words: 'a guess', trained: base - 0.02, held: base - 0.02, right: 6 },
    ...more,
  }
}

interface Spread {
  readonly leak?: number
  readonly repeat?: number
  readonly base?: number
  readonly seed?: number
}

const jobOf = (attack: string): AskedResult['planned']['job'] => ({
  attack,
  params: {},
  observer: 'eavesdropper',
  target: '0',
  seed: 1,
  controls: false,
})

/** One attack in all trainings. */
function runsOf(attack: string, answers: (repeat: number) => readonly Answer[], more: Partial<AttackResult> = {}) {
  return Array.from({ length: repeats }, (_, repeat): AskedResult => {
    const result = { ...resultWith(), attack, params: {}, findings: [], target: '0', model: null, ...more }
    return {
      planned: { job: jobOf(attack), alsoFor: ['server'] },
      attack: { id: attack, target: 'attribute' },
      result: { ...result, ladder: { repeat, answers: answers(repeat) } },
    }
  })
}

const asked = (leak: number, how: Answer['how'] = 'swap') =>
  runsOf('a', (repeat) => [answerWith({ leak, how, repeat })])

describe('questions', () => {
  test('leak records where trained ones are told better than held-back ones, in every training', () => {
    for (const how of ['swap', 'relabel'] as const) {
      const [question] = questionsOf(asked(0.3, how), options)
      expect(question).toMatchObject({ level: 'leaks-records', kind: 'attribute', name: 'union', notTested: null })
      const { record } = question!.test
      expect(record!.adjusted).toBeLessThan(0.05)
      expect(record!.effect).toBeCloseTo(question!.ladder.record! - question!.ladder.client!, 10)
      expect(record!.interval![0]).toBeGreaterThan(0.15)
      expect(record!.leastSeen).toBeLessThan(0.3)
      expect(question!.ladder).toMatchObject({ guesser: 'a guess', best: 1, better: 'higher', metric: 'AUC' })
      expect(question!.ladder.federation).toBeCloseTo(0.6, 12)
      expect(question!.ladder.guess).toBeCloseTo(0.58, 12)
      expect(question!.by).toMatchObject({ record: 'a', client: 'a', federation: 'a', guess: 'a guess' })
    }
  })

  test('find nothing where there is nothing: known anyway where the federation beats the guess', () => {
    const [known] = questionsOf(asked(0), options)
    expect(known!.level).toBe('known-anyway')
    expect(known!.test.record!.interval![1]).toBeLessThan(0.1)
    const silent = runsOf('a', (repeat) => [answerWith({ repeat, federation: 0.5 })])
    expect(questionsOf(silent, options)[0]!.level).toBe('none-found')
    const loose = runsOf('a', (repeat) => [answerWith({ repeat, leak: 0.04 })])
    expect(questionsOf(loose, { ...options, margin: 0.01 })[0]!.level).toBe('inconclusive')
  })

  test('name the client step as a gap where the clients are too few to test it, and rest on the others', () => {
    const matrix = (seats: number, own: number) =>
      Array.from({ length: seats }, (_, i) =>
        Array.from({ length: seats }, (_, j) => 0.6 + (i === j ? own : 0.001 * i)),
      )
    const asking = (seats: number | null, own = 0) =>
      questionsOf(
        runsOf('a', (repeat) => [
          answerWith({ repeat, how: 'relabel', federation: 0.5, ...(seats !== null && { seats: matrix(seats, own) }) }),
        ]),
        options,
      )[0]!
    const few = asking(4, 0.2)
    expect(few).toMatchObject({ level: 'none-found', test: { client: null }, repeatsNeeded: null })
    expect(few.gaps).toEqual(['the client step: it takes 5 clients whose messages are heard to tell whose are whose'])
    expect(asking(null).gaps).toHaveLength(1)
    const enough = asking(6, 0.2)
    expect(enough).toMatchObject({ level: 'leaks-client', gaps: [] })
    expect(enough.test.client!.effect).toBeCloseTo(0.2, 2)
    expect(questionsOf(asked(0), options)[0]!.gaps).toEqual([]) // lists have no client step
  })

  test('are closed where those who answer hear the federation alone, and all others lack messages', () => {
    const [trained, held] = [
      [Number.NaN, Number.NaN],
      [Number.NaN, Number.NaN],
    ]
    const federation = runsOf('global', (repeat) => [{ ...answerWith({ repeat }), trained, held, contrast: [1, -1] }])
    const lacking = (missing: string) => runsOf('b', () => [], { status: 'not-applicable', missing: [missing] })
    const asking = (...runs: readonly AskedResult[][]) => questionsOf(runs.flat(), options)[0]!
    const closed = asking(federation, lacking('exchanges'))
    expect(closed).toMatchObject({ level: 'not-tested', unheard: true })
    // Whoever lacks something else may have it tomorrow, and where nobody else was asked nobody lacks anything.
    expect(asking(federation, lacking('records'))).not.toHaveProperty('unheard')
    expect(asking(federation)).not.toHaveProperty('unheard')
    // Clients are too few to tell whose messages are whose, but there are messages.
    const seats = [
      [0.6, 0.6],
      [0.6, 0.6],
    ]
    const few = runsOf('c', (repeat) => [{ ...answerWith({ repeat }), trained, held, contrast: [1, -1], seats }])
    expect(asking(few, lacking('exchanges'))).not.toHaveProperty('unheard')
  })

  test('say nothing of a model that diverged in some training', () => {
    const runs = runsOf('a', (repeat) => [answerWith({ repeat, leak: 0.3 })], { model: 'mlp' })
    const [question] = questionsOf(runs, { ...options, diverged: { mlp: 'training 3 of 10, it diverged' } })
    expect(question).toMatchObject({
      level: 'not-tested',
      notTested: 'training 3 of 10, it diverged',
      test: { record: null },
    })
    expect(questionsOf(runs, { ...options, diverged: { linear: 'training 3' } })[0]!.level).toBe('leaks-records')
  })

  test('do not call a leak what stays below the guess', () => {
    const poor = runsOf('a', (repeat) => [
      answerWith({ repeat, leak: 0.3, base: 0.4, guess: { words: 'a guess', trained: 0.9, held: 0.9 } }),
    ])
    expect(questionsOf(poor, options)[0]).toMatchObject({ level: 'inconclusive' })
  })

  test('do not call a leak what an attack on a list gains where another attack knows it of everybody', () => {
    const list = asked(0.3)
    const knows = runsOf('b', (repeat) => [
      answerWith({ how: 'relabel', repeat, base: 0.97, seed: 8, federation: 0.5 }),
    ])
    expect(questionsOf(list, options)[0]!.level).toBe('leaks-records')
    const [question] = questionsOf([...list, ...knows], options)
    expect(question!.level).not.toBe('leaks-records')
    expect(question!.test.record!.effect).toBeLessThan(0.05)
  })

  test('of errors have their sign turned, and their margin is a share of the error', () => {
    const error = (repeat: number, leak: number): Answer => ({
      ...answerWith({ repeat }),
      metric: 'MAE',
      better: 'lower',
      best: 0,
      trained: [1 - leak + 0.02 * rng(repeat).normal(), 1],
      held: [1, 1 - leak + 0.02 * rng(repeat).normal()],
      federation: 1.2,
      guess: { words: 'a mean', trained: 1.5, held: 1.5 },
    })
    const [leaks] = questionsOf(
      runsOf('a', (repeat) => [error(repeat, 0.4)]),
      options,
    )
    expect(leaks).toMatchObject({ level: 'leaks-records' })
    expect(leaks!.test.record!.effect).toBeCloseTo(0.4, 1)
    expect(leaks!.test.record!.errorRemoved).toBeCloseTo(0.4, 1)
    expect(
      questionsOf(
        runsOf('a', (repeat) => [error(repeat, 0)]),
        options,
      )[0]!.level,
    ).toBe('known-anyway')
  })

  test('of a stronger observer who learns nothing more repeat those of the weaker', () => {
    const [first, second, ...more] = questionsOf(asked(0.3), options)
    expect(more).toEqual([])
    expect(first!.observer).toBe('eavesdropper')
    expect(second).toEqual({ ...first, observer: 'server', sameAs: 'eavesdropper' })
  })

  test('say why nothing can be said', () => {
    const why = (runs: AskedResult[], more: Partial<QuestionOptions> = {}) =>
      questionsOf(runs, { ...options, ...more })[0]!.notTested
    const time = { code: 'E_TIME', message: 'stopped after 1 s' }
    expect(why(runsOf('a', () => [], { status: 'failed', error: time }))).toMatch(/^out of time: a/)
    const value = { code: 'E_VALUE', message: 'too large' }
    expect(why(runsOf('a', () => [], { status: 'failed', error: value }))).toBe('a failed: too large')
    expect(why(runsOf('a', () => [], { status: 'not-applicable', missing: ['records'] }))).toBe(
      'no applicable attack: a: it lacks records',
    )
    const unasked = asked(0).map((one) => ({
      ...one,
      result: { ...one.result, ladder: { repeat: 0, answers: [], notAsked: 'no held-back records of client 0' } },
    }))
    expect(why(unasked)).toBe('no held-back records of client 0')
    expect(
      why(asked(0), {
        broken: new Set([brokenKey({ attack: 'a', params: {}, observer: 'eavesdropper', model: null })]),
      }),
    ).toMatch(/^blind here: a/)
    const unlike = runsOf('a', (repeat) => [
      answerWith({ repeat, guess: { words: 'a guess', trained: 0.9, held: 0.5, p: 0.0005 } }),
    ])
    expect(why(unlike)).toMatch(/not kept back at random/)
    expect(why(asked(0).slice(0, 3), { repeats: 3 })).toMatch(/too few repeats/)
  })

  test('stay an alarm where an attack was stopped and another has found the leak; silence does not count then', () => {
    const time = { code: 'E_TIME', message: 'stopped after 1 s' }
    const stopped = runsOf('slow', () => [], { status: 'failed', error: time })
    expect(questionsOf([...asked(0.3), ...stopped], options)[0]!.level).toBe('leaks-records')
    expect(questionsOf([...asked(0), ...stopped], options)[0]).toMatchObject({ level: 'not-tested' })
  })

  test('count people of the first training, and name only the surest', () => {
    const person = (id: number, right: boolean, sure: number) => ({ id: `p${id}`, right, sure })
    const people = {
      trained: [person(0, true, 0.999), person(1, true, 0.96), person(2, false, 0.6), person(3, true, 0.98)],
      held: [person(4, false, 0.7), person(5, true, 0.8)],
    }
    const runs = runsOf('a', (repeat) => [{ ...answerWith({ repeat, leak: 0.3 }), ...(repeat === 0 && { people }) }])
    const [question] = questionsOf(runs, options)
    expect(question!.people).toEqual({
      trained: { right: 3, of: 4 },
      heldBack: { right: 1, of: 2 },
      guessed: { right: 6, of: 4 },
    })
    expect(question!.exposed).toEqual({ ids: ['p0', 'p3', 'p1'], of: 4, sure: [0.999, 0.98, 0.96], rehearsed: 0 })
  })
})
