import { describe, expect, test } from 'vitest'
import type { Answer } from './answer.js'
import type { AskedAttack, AskedQuestion } from './asked-results.js'
import { federationTells, rungsOf } from './rungs.js'

const answer = (more: Partial<Answer> = {}): Answer => ({
  ...{ kind: 'attribute', name: 's', metric: 'AUC', better: 'higher', best: 1, how: 'relabel' },
  ...{ trained: [0.9, 0.5], held: [0.6, 0.5], contrast: [1, -1] },
  ...more,
})
const attack = (id: string, answers: readonly (Answer | undefined)[]): AskedAttack =>
  ({ id, params: { of: id }, answers, results: [] }) as AskedAttack
const question = (attacks: readonly AskedAttack[], target: string | null = 'c0'): AskedQuestion =>
  ({ observer: 'server', model: null, target, kind: 'attribute', name: 's', attacks }) as AskedQuestion
const guess = (held: number, words = 'the majority') => ({ words, trained: held, held })

describe('the rungs of a question', () => {
  test('are those of the one attack there is, beside what could be guessed', () => {
    const one = answer({ federation: 0.55, everybody: 0.7, guess: guess(0.5) })
    const found = rungsOf(question([attack('a', [one])]))!
    expect(found.ladder).toEqual({
      ...{ metric: 'AUC', better: 'higher', best: 1, guesser: 'the majority' },
      ...{ guess: 0.5, federation: 0.55, client: 0.6, record: 0.9, everybody: 0.7 },
    })
    expect(found.by).toEqual({ guess: 'the majority', federation: 'a', client: 'a', record: 'a', everybody: 'a' })
    expect(found.attacks).toEqual([
      { attack: 'a', params: { of: 'a' }, cells: { federation: 0.55, client: 0.6, record: 0.9, everybody: 0.7 } },
    ])
  })

  test('are missing where nobody answered', () => {
    expect(rungsOf(question([]))).toBeUndefined()
    expect(rungsOf(question([attack('a', [undefined, undefined])]))).toBeUndefined()
  })

  test('take the best score of each training, and name the attack that is best on the whole', () => {
    const of = (...records: number[]) => records.map((x) => answer({ trained: [x], held: [x - 0.25] }))
    const found = rungsOf(question([attack('a', of(1, 0, 0.5)), attack('b', of(0.5, 0.75, 0.5))]))!
    expect(found.ladder).toMatchObject({ record: 0.75, client: 0.5 }) // 1, 0.75 and 0.5
    expect(found.by).toEqual({ record: 'b', client: 'b' })
    expect(found.attacks.map(({ cells }) => cells.record)).toEqual([0.5, 1.75 / 3])
    // Of equals the first.
    expect(rungsOf(question([attack('a', of(1, 0)), attack('b', of(0, 1))]))!.by.record).toBe('a')
  })

  test('are the least errors where less is better', () => {
    const of = (...errors: number[]) =>
      errors.map((x) => answer({ metric: 'MAE', better: 'lower', best: 0, trained: [x] }))
    const found = rungsOf(question([attack('a', of(4, 1)), attack('b', of(2, 2))]))!
    expect(found.ladder.record).toBe(1.5)
    expect(found.by.record).toBe('b')
  })

  test('leave out trainings and attacks that have no such score', () => {
    const silent = attack('silent', [undefined, undefined])
    const late = attack('late', [undefined, answer({ trained: [0.75], everybody: 0.25 })])
    const found = rungsOf(question([silent, late]))!
    expect(found.ladder).toMatchObject({ record: 0.75, everybody: 0.25, federation: null, guess: null, guesser: null })
    expect(found.attacks.map(({ attack: id }) => id)).toEqual(['late'])
  })

  test('of a ranking of clients are one alone, and chance', () => {
    const ranked = answer({ kind: 'property', how: 'clients', trained: [0.8], held: [0.5] })
    expect(rungsOf(question([attack('a', [ranked])], null))!.ladder).toMatchObject({
      guess: 0.5,
      client: null,
      record: 0.8,
    })
    const helps = answer({ kind: 'contribution', metric: 'rank correlation', how: 'clients', trained: [0.8] })
    expect(rungsOf(question([attack('a', [helps])], null))!.ladder).toMatchObject({ guess: 0, guesser: null })
    const members = answer({ kind: 'members', trained: [0.8] })
    expect(rungsOf(question([attack('a', [members])]))!.ladder.guess).toBe(0.5)
    expect(rungsOf(question([attack('a', [answer()])]))!.ladder.guess).toBeNull()
  })

  test('have the guess of each training from the first attack that has one, under the name that it has most often', () => {
    const of = (...guesses: (Answer['guess'] | undefined)[]) => guesses.map((one) => answer(one && { guess: one }))
    const found = rungsOf(
      question([
        attack('a', of(guess(0.5, 'x'), undefined, guess(0.25, 'y'))),
        attack('b', of(guess(0.9, 'z'), guess(0.75, 'y'), guess(0.9, 'z'))),
      ]),
    )!
    expect([found.ladder.guess, found.ladder.guesser, found.by.guess]).toEqual([0.5, 'y', 'y'])
    expect(rungsOf(question([attack('a', of(guess(0, 'x'), guess(0, 'y')))]))!.ladder.guesser).toBe('x')
  })
})

describe('a federation without the client tells more than a guess', () => {
  const heard = (
    pairs: readonly (readonly [federation: number | undefined, guessed: number | undefined])[],
    more: Partial<Answer> = {},
  ) =>
    pairs.map(([federation, guessed]) =>
      answer({
        ...more,
        ...(federation !== undefined && { federation }),
        ...(guessed !== undefined && { guess: guess(guessed) }),
      }),
    )
  const tells = (...attacks: (readonly (Answer | undefined)[])[]) =>
    federationTells(question(attacks.map((answers, i) => attack(`${i}`, answers))))

  test('where it is ahead in the one training there is', () => {
    expect([tells(heard([[0.6, 0.5]])), tells(heard([[0.5, 0.5]])), tells(heard([[0.4, 0.5]]))]).toEqual([
      true,
      false,
      false,
    ])
    expect([tells(heard([[0.6, undefined]])), tells(heard([[undefined, 0.5]])), tells([undefined]), tells()]).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(tells(heard([[0.4, 0.5]], { better: 'lower', metric: 'MAE' }))).toBe(true)
  })

  test('where it is ahead of it by more than its trainings scatter', () => {
    // Student's t of 0.95: 6.3138 for one degree of freedom, 2.9200 for two.
    expect(tells(heard([[0.6, 0.5], [0.6, 0.5]]))).toBe(true) // biome-ignore format: pairs
    const two = (half: number) => tells(heard([[1 + half, 0], [1 - half, 0]])) // biome-ignore format: pairs
    // Mean 1, and the half difference is the error of the mean.
    expect([two(1 / 6.31), two(1 / 6.32)]).toEqual([false, true])
    // 1 - a, 1, 1 + a: deviation a, error a over the root of 3.
    const three = (a: number) => tells(heard([[1 - a, 0], [1, 0], [1 + a, 0]])) // biome-ignore format: pairs
    const edge = Math.sqrt(3) / 2.919986
    expect([three(edge * 1.001), three(edge * 0.999)]).toEqual([false, true])
    expect(tells(heard([[-1, 0], [-1, 0]]))).toBe(false) // biome-ignore format: pairs
    expect(tells(heard([[1, undefined], [1, 0]]))).toBe(true) // biome-ignore format: pairs
  })

  test('by the best attack of each training', () => {
    expect(tells(heard([[0.2, 0.5]]), heard([[0.7, undefined]]))).toBe(true)
    expect(tells([undefined], heard([[0.7, 0.5]]))).toBe(true)
  })
})
