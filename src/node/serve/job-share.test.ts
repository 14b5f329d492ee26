import { describe, expect, test } from 'vitest'
import type { JobState } from '../../api/answers.js'
import type { Told } from '../tell-parent.js'
import { afterTold, freshJob } from './job-progress.js'

const told = (...all: Told[]): JobState => all.reduce((job, one) => afterTold(job, one, 10), freshJob('run'))
const training = (number: number, total: number): Told => ({ kind: 'training', number, total })
const round = (at: number, rounds: number): Told => ({ kind: 'round', model: 'm', round: at, rounds })
const attacked = (done: number, total: number, over: object = {}): Told => ({ kind: 'attacked', done, total, attack: 'a', found: null, ...over }) // biome-ignore format: a line
const found = (attack: string, about: string, trained: number, held: number) => ({ attack, about, metric: 'AUC', trained, held }) // biome-ignore format: a line

test('an audit that has told nothing waits, at nothing of nothing', () => {
  expect(freshJob('run')).toEqual({
    ...{ id: 'run', state: 'waiting', training: { number: 0, total: 0 }, round: null, attacks: { done: 0, total: 0 } },
    ...{ lastAttack: null, trained: [], found: [], remarks: [], share: 0, seconds: 0, secondsLeft: null, error: null },
  })
})

describe('the share of the work that is done', () => {
  test.each<[number, readonly Told[]]>([
    [0, [{ kind: 'remark', text: 'odd' }]],
    // Of a recording, attacks alone.
    [0.25, [attacked(1, 4)]],
    [1, [attacked(4, 4)]],
    // Half a training of four, and as long again for what is not known yet.
    [0, [training(1, 4)]],
    [0.0625, [training(1, 4), round(5, 10)]],
    [0.375, [training(3, 4), round(10, 10)]],
    [0.0625, [training(0, 4), round(5, 10)]],
    // Six attacks of two trainings are twelve of four.
    [0.375, [training(2, 4), round(10, 10), attacked(3, 6)]],
    [1, [training(1, 1), round(2, 2), attacked(1, 1)]],
    [0.75, [training(1, 1), round(2, 2), attacked(1, 2)]],
    // What was told of no training yet is taken for the first.
    [0.125, [training(0, 2), attacked(2, 4)]],
    // More trainings than were told of are no more than all.
    [0.5, [training(3, 1)]],
    [1, [training(3, 1), attacked(1, 1)]],
  ])('is %d', (share, messages) => {
    expect(told(...messages).share).toBe(share)
  })

  test('says how long the rest takes, once there is a fiftieth', () => {
    expect(told(attacked(1, 50)).secondsLeft).toBeCloseTo(490, 9)
    expect(told(attacked(1, 51)).secondsLeft).toBeNull()
    expect(told(attacked(50, 50))).toMatchObject({ share: 1, seconds: 10, secondsLeft: 0 })
  })
})

test('the last word of each attack about each thing is shown, the widest six gaps first', () => {
  const say = (...all: ReturnType<typeof found>[]) => told(...all.map((one) => attacked(1, 9, { attack: one.attack, found: one }))) // biome-ignore format: a line
  const job = say(found('a', 'x', 0.9, 0.9), found('b', 'x', 0.1, 0.4), found('a', 'y', 0.6, 0.5), found('a', 'x', 0.7, 0.5)) // biome-ignore format: a line
  expect(job.found.map(({ attack, about, trained }) => [attack, about, trained])).toEqual([['b', 'x', 0.1], ['a', 'x', 0.7], ['a', 'y', 0.6]]) // biome-ignore format: a line
  const many = say(...Array.from({ length: 8 }, (_, k) => found(`a${k}`, 'x', k, 0)))
  expect(many.found.map(({ attack }) => attack)).toEqual(['a7', 'a6', 'a5', 'a4', 'a3', 'a2'])
})

test('models are told once, and of remarks the last twenty', () => {
  const trained = (model: string, value: number): Told => ({ kind: 'trained', trained: { model, trainLoss: 1, heldOutLoss: 1, metric: 'R2', value } }) // biome-ignore format: a line
  const job = told(trained('m', 1), trained('n', 2), trained('m', 3))
  expect(job.trained.map(({ model, value }) => [model, value])).toEqual([['n', 2], ['m', 3]]) // biome-ignore format: a list
  const remarks = Array.from({ length: 22 }, (_, k): Told => ({ kind: 'remark', text: `${k}` }))
  expect(told(...remarks).remarks).toEqual(Array.from({ length: 20 }, (_, k) => `${k + 2}`))
})
