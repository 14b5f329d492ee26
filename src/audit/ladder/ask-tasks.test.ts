import { describe, expect, test } from 'vitest'
import { attacks } from '../../attacks/index.js'
import type { Sources } from '../../threat/grant.js'
import type { Task } from '../audit-tasks.js'
import { oracles } from '../oracles/index.js'
import { type AskedAttacks, type AskedPlace, askTasks } from './ask-tasks.js'
import { recordedTasks } from './ladder-tasks.js'

const asked = (...ids: string[]): AskedAttacks =>
  ids.map((id) => ({ attack: (attacks as unknown as Record<string, AskedAttacks[number]['attack']>)[id]!, params: {} }))
const clients = Array.from({ length: 14 }, (_, i) => `c${i}`)
const plan = { observers: ['server'], targets: ['c3'], recordedFor: 'server', seed: 7 } as const
const place: AskedPlace = {
  ...{ repeat: 2, repeats: 5, model: 'm', clients, baseSeed: 1, ranked: ['c1'], dealtElsewhere: false, kept: 'k' },
  pathsOf: (target) => ({ transcript: `of ${target}` }),
  withoutOf: (target) => `without ${target}`,
}
const ask = (more: Partial<AskedPlace> = {}, ids = ['last-returned'], changed: object = {}): Task[] =>
  askTasks({ ...place, ...more }, { ...plan, ...changed }, asked(...ids))
const idsOf = (tasks: readonly Task[]) => tasks.map(({ planned }) => planned.job.attack)

describe('an attack that is asked', () => {
  test('has the files of its target, and no controls', () => {
    const [task] = ask()
    expect(task).toMatchObject({ model: 'm', kept: 'k', paths: { transcript: 'of c3' }, planned: { job: { target: 'c3', observer: 'server', controls: false } } }) // biome-ignore format: a line
    expect(task).not.toHaveProperty('live')
    expect(ask({ live: { run: 'r' } as never })[0]!.live).toEqual({ run: 'r' })
    expect(task!.ask).toMatchObject({
      repeat: 2,
      client: 'c3',
      ranked: ['c1'],
      without: 'without c3',
      dealtElsewhere: false,
    })
    expect(ask({}, ['last-returned'], { targets: [] })).toEqual([])
  })

  test('about all clients has the files of the first, no seats, and nobody’s line', () => {
    const id = Object.values(attacks).find(({ target }) => target === 'property')!.id
    const [task] = ask({}, [id], { observers: Object.keys({ 'secagg-server': 0, server: 0 }) })
    expect(task!.paths).toEqual({ transcript: 'of c3' })
    expect(task!.ask).toMatchObject({ client: null, without: null, otherLine: null, seats: [] })
  })

  test('comes with the last global model where models are asked about, and never about how clients train', () => {
    expect(idsOf(ask())).toEqual(['last-returned', 'global-model'])
    expect(idsOf(ask({}, ['membership-loss']))).toEqual(['membership-loss'])
    const about = (target: string) =>
      Object.values(attacks)
        .filter((one) => one.target === target)
        .map(({ id }) => id)
    expect(idsOf(ask({}, [...about('protocol'), ...about('participation')]))).toEqual([])
  })

  test('is asked of those alone who hear what it takes', () => {
    const [task] = ask({}, ['last-returned'], { observers: ['participant', 'eavesdropper', 'secagg-server', 'server', 'malicious-server'] }) // biome-ignore format: a line
    expect([task!.planned.job.observer, ...task!.planned.alsoFor]).toEqual([
      'eavesdropper',
      'server',
      'malicious-server',
    ])
  })
})

describe('what is drawn for a training', () => {
  test('seats are the client and nine others at most, in order, the same in all trainings', () => {
    const seatsOf = (more: Partial<AskedPlace> = {}) => ask(more)[0]!.ask!.seats
    const seats = seatsOf()
    expect(seats).toHaveLength(10)
    expect(seats).toContain('c3')
    expect(seats).toEqual(clients.filter((id) => seats.includes(id)))
    expect(seatsOf({ repeat: 4 })).toEqual(seats)
    expect(seatsOf({ baseSeed: 2 })).not.toEqual(seats)
    expect(seatsOf({ clients: ['c3', 'c4'] })).toEqual(['c3', 'c4'])
    expect(seatsOf({ clients: ['c3'] })).toEqual(['c3'])
  })

  test('another line is that of some other client, by the seed of the training', () => {
    const lineOf = (seed: number, more: Partial<AskedPlace> = {}) =>
      ask(more, ['last-returned'], { seed })[0]!.ask!.otherLine
    const lines = Array.from({ length: 40 }, (_, seed) => lineOf(seed))
    expect(lines).not.toContain('c3')
    expect(lines.every((id) => clients.includes(id!))).toBe(true)
    expect(new Set(lines).size).toBeGreaterThan(8)
    expect(lineOf(1, { clients: ['c3', 'c4'] })).toBe('c4')
    expect(lineOf(1, { clients: ['c3'] })).toBeNull()
  })

  test('one training alone is relabelled more often, and lists are diluted', () => {
    expect(ask()[0]!.ask).toMatchObject({ candidates: 199, diluted: false })
    expect(ask({ repeats: 1 })[0]!.ask).toMatchObject({ candidates: 1999, diluted: true })
  })
})

describe('a recording', () => {
  const tasks = (manifest: object, ids: readonly object[] = asked('last-returned')) =>
    recordedTasks((target) => ({ transcript: `of ${target}` }), { transcript: { manifest } } as unknown as Sources, { plan, kept: 'k', attacks: ids as never }) // biome-ignore format: a line
  const named = { clients: clients.map((id) => ({ id })), recordedFor: { kind: 'server' } }

  test('is one training of halves that somebody else has dealt, without a federation that lacks the target', () => {
    const [task] = tasks(named)
    expect(task).toMatchObject({ model: null, kept: 'k', ask: { repeat: 0, ranked: null, without: null, dealtElsewhere: true, diluted: true, candidates: 1999 } }) // biome-ignore format: a line
    expect(task!.ask!.seats).toHaveLength(10)
  })

  test('of one line, or of clients that are only counted, has the seats of its targets alone', () => {
    expect(tasks({ ...named, recordedFor: { kind: 'eavesdropper', client: 'c3' } })[0]!.ask!.seats).toEqual(['c3'])
    expect(tasks({ clients: { count: 14 }, recordedFor: { kind: 'server' } })[0]!.ask!.seats).toEqual(['c3'])
  })

  test('oracles answer no question', () => {
    const oracle = { attack: Object.values(oracles)[0]!, params: {} }
    expect(idsOf(tasks(named, [oracle, ...asked('membership-loss')]))).toEqual(['membership-loss'])
  })
})
