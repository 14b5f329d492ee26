import { describe, expect, test } from 'vitest'
import type { OverhearError } from '../../errors.js'
import type { Bytes } from '../secure-aggregation/primitives.js'
import { joined } from '../secure-aggregation/wire-messages.js'
import { graphSize } from './graph-bounds.js'
import { checkTerms, encodeTerms, equal, type Policy, sizeFor, type Terms, termsReader, toHex } from './terms.js'

const pairs: Policy = {
  ...{ variant: 'pairs', least: 3, directory: 'given' },
  ...{ corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10 },
}
const graph: Policy = { ...pairs, variant: 'graph', secureBits: 10, correctBits: 5 }
const cohort = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay']
const terms: Terms = {
  ...{ session: '000102030405060708090a0b0c0d0eff', run: 'f'.repeat(32), round: 0 },
  ...{ threshold: 5, degree: null, shares: 5, roster: 5, challenge: 'a'.repeat(64) },
  ...{ clip: 1, levels: 2, largest: 4, length: 0, cohort },
}
const refusal = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return `${(error as OverhearError).code} ${(error as Error).message}`
  }
  return 'not refused'
}
const invited = (change: object = {}, place = 2) => {
  const all = encodeTerms({ ...terms, ...change } as Terms)
  return all.get(place)!
}

describe('invitations', () => {
  test('go to every place of the cohort, from 1, and hold the session and the terms as text', () => {
    const all = encodeTerms(terms)
    expect([...all.keys()]).toEqual([1, 2, 3, 4, 5, 6])
    const session = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]
    expect([...all.get(3)!.subarray(0, 19)]).toEqual([8, ...session, 3, 0])
    expect(JSON.parse(new TextDecoder().decode(all.get(3)!.subarray(19)))).toEqual(terms)
  })

  test('are read as they were written', () => {
    const many = Array.from({ length: 300 }, (_, i) => `c${i}`)
    const message = invited({ cohort: many }, 259)
    const read = termsReader()(message)
    expect(read.place).toBe(259)
    expect(toHex(read.session)).toBe(terms.session)
    expect(read.terms).toEqual({ ...terms, cohort: many })
    expect(read.bytes).toEqual(message.slice(19))
  })

  test('may be to one alone', () => {
    expect(termsReader()(invited({ cohort: ['ann'] }, 1)).terms.cohort).toEqual(['ann'])
  })

  test('with the same terms give the same ones; other terms of the same length are read anew', () => {
    const read = termsReader()
    const first = read(invited({}, 1))
    expect(read(invited({}, 2)).terms).toBe(first.terms)
    expect(read(invited({ largest: 5 }, 2)).terms.largest).toBe(5)
    expect(read(invited({ largest: 50 }, 2)).terms.largest).toBe(50)
  })

  test('of another kind, without terms, or to another session than they say are refused', () => {
    const read = termsReader()
    const message = invited()
    const other = message.slice()
    other[0] = 1
    for (const one of [other, message.slice(0, 19), message.slice(0, 18), new Uint8Array(0)]) {
      expect(refusal(() => read(one))).toContain('a first message that is no "invite"')
    }
    expect(refusal(() => read(message.slice(0, 20)))).toContain('an invitation whose terms cannot be read')
    const stray = message.slice()
    stray[16]! ^= 1
    expect(refusal(() => read(stray))).toContain('an invitation to another session than it says')
    expect(refusal(() => read(joined(message.slice(0, 19), new TextEncoder().encode('no terms'))))).toContain('E_INPUT')
  })

  test.each([
    { session: 'f'.repeat(31) },
    { session: 'g'.repeat(32) },
    { run: 'f'.repeat(33) },
    { challenge: 'a'.repeat(63) },
    { challenge: 'a'.repeat(65) },
    { round: -1 },
    { round: 0.5 },
    { threshold: 0 },
    { threshold: 4294967296 },
    { degree: 0 },
    { shares: 0 },
    { roster: 0 },
    { clip: 0 },
    { levels: 1 },
    { largest: 0 },
    { length: -1 },
    { cohort: [] },
    { cohort: ['ann', ''] },
    { extra: 1 },
  ])('with %o cannot be read', (change) => {
    const body = new TextEncoder().encode(JSON.stringify({ ...terms, ...change }))
    const message = joined(invited().slice(0, 19), body)
    expect(refusal(() => termsReader()(message))).toContain('terms cannot be read')
  })

  test.each([
    { round: 7 },
    { threshold: 1 },
    { threshold: 4294967295 },
    { degree: 1 },
    { levels: 2 },
    { cohort: ['ann', 'bob'] },
  ])('with %o can', (change) => {
    expect(termsReader()(invited(change)).terms).toEqual({ ...terms, ...change })
  })
})

test('bytes are equal where all of them and their number are', () => {
  const bytes = (...values: number[]): Bytes => Uint8Array.from(values)
  expect(equal(bytes(), bytes())).toBe(true)
  expect(equal(bytes(1, 2), bytes(1, 2))).toBe(true)
  expect(equal(bytes(1, 2), bytes(1, 2, 3))).toBe(false)
  expect(equal(bytes(1, 2, 3), bytes(1, 2))).toBe(false)
  for (const other of [bytes(0, 2, 3), bytes(1, 0, 3), bytes(1, 2, 0)]) {
    expect(equal(bytes(1, 2, 3), other)).toBe(false)
  }
  expect(toHex(bytes(0, 15, 16, 255))).toBe('000f10ff')
})

describe('the size of a sum', () => {
  test('of pairs is more than two thirds, everywhere', () => {
    for (const [n, t] of [
      [3, 3],
      [6, 5],
      [9, 7],
      [10, 7],
    ] as const) {
      // biome-ignore format: one line
      expect(sizeFor(n, pairs)).toEqual({ threshold: t, degree: null, shares: t, roster: t })
    }
  })

  test('of a graph follows from every bound', () => {
    for (const n of [150, 151]) {
      const found = sizeFor(n, graph)
      expect(found).toEqual({ threshold: Math.floor((2 * n) / 3) + 1, ...graphSize(n, graph) })
      expect(found.degree).not.toBeNull()
    }
    const changes = [{ corrupt: 0.1 }, { dropouts: 0.2 }, { secureBits: 20 }, { correctBits: 40 }, { least: 11 }]
    for (const change of changes) {
      expect(sizeFor(150, { ...graph, ...change })).toMatchObject(graphSize(150, { ...graph, ...change }))
      expect(graphSize(150, { ...graph, ...change })).not.toEqual(graphSize(150, graph))
    }
    expect(sizeFor(150, { ...graph, variant: 'pairs' }).degree).toBeNull()
  })

  test('is found once', () => {
    expect(sizeFor(150, graph)).toBe(sizeFor(150, { ...graph }))
  })
})

describe('a client takes part', () => {
  const own = { id: 'bob', weight: 4 }
  const about = (change: object, { place = 2, policy = pairs, who = own } = {}) =>
    refusal(() => {
      const changed = { ...terms, ...change } as Terms
      checkTerms({ terms: changed, place, bytes: new Uint8Array(0), session: new Uint8Array(16) }, policy, who)
    })
  const fine = 'not refused'

  test('under terms that its own policy gives', () => {
    expect(about({})).toBe(fine)
    expect(about({}, { policy: { ...pairs, least: 6 } })).toBe(fine)
    expect(about({ threshold: 6, shares: 6 })).toBe(fine)
    expect(about({ roster: 6 })).toBe(fine)
    expect(about({}, { who: { id: 'bob', weight: 3.5 } })).toBe(fine)
  })

  test('not at the place of somebody else', () => {
    expect(about({}, { place: 3 })).toContain('place 3 for client bob: it is that of cat')
    expect(about({}, { place: 7 })).toContain('place 7 for client bob: it is that of undefined')
  })

  test('not with somebody twice, too few, or too many', () => {
    expect(about({ cohort: [...cohort.slice(0, 5), 'ann'] })).toContain('a cohort with somebody twice')
    expect(about({}, { policy: { ...pairs, least: 7 } })).toContain('a cohort of 6: at least 7 must be in a sum')
    const crowd = Array.from({ length: 65536 }, (_, i) => (i === 1 ? 'bob' : `c${i}`))
    expect(about({ cohort: crowd })).toContain('a cohort of 65536: at most 65535 clients can sum')
    const t = 43691 // the first whole number over two thirds of 65,535
    const sizes = { threshold: t, shares: t, roster: t }
    expect(about({ cohort: crowd.slice(0, 65535), ...sizes })).toBe(fine)
  })

  test('not under a threshold of two thirds, or one that all of them do not reach', () => {
    const why = 'for 6 clients: more than two thirds are needed, 5'
    expect(about({ threshold: 4, shares: 4 })).toContain(`a threshold of 4 ${why}`)
    expect(about({ threshold: 7, shares: 7 })).toContain(`a threshold of 7 ${why}`)
  })

  test('not with other neighbours or shares than follow from the bounds', () => {
    expect(about({ degree: 4, shares: 5 })).toContain('4 neighbours of whom 5 give a secret back: 5 and 5 follow')
    expect(about({ shares: 4 })).toContain('5 neighbours of whom 4 give a secret back: 5 and 5 follow')
    expect(about({ threshold: 6, shares: 5 })).toContain('5 neighbours of whom 5 give')
    const many = Array.from({ length: 150 }, (_, i) => (i === 1 ? 'bob' : `c${i}`))
    const due = sizeFor(150, graph)
    const large = { ...due, cohort: many }
    expect(about(large, { policy: graph })).toBe(fine)
    expect(about({ ...large, threshold: due.threshold + 1 }, { policy: graph })).toBe(fine)
    const follow = `${due.degree} and ${due.shares} follow from the bounds`
    expect(about({ ...large, shares: due.threshold }, { policy: graph })).toContain(follow)
    expect(about({ ...large, degree: null, shares: due.threshold }, { policy: graph })).toContain(
      `149 neighbours of whom ${due.threshold} give a secret back: ${follow}`,
    )
  })

  test('not before the keys of enough are there', () => {
    expect(about({ roster: 4 })).toContain('keys of 4 clients as enough: 5 follow from the bounds')
  })

  test('not where its own weight is larger than the largest, or none', () => {
    expect(about({ largest: 3 })).toContain('a largest weight of 3: client 2 has 4')
    expect(about({}, { who: { id: 'bob', weight: Number.NaN } })).toContain('client 2 has NaN')
  })

  test('not where the sum of all could wrap', () => {
    // 6 clients of 715,827,883 levels: 6 * 715,827,882 = 2^32 - 4.
    expect(about({ levels: 715827883 })).toBe(fine)
    expect(about({ levels: 715827884 })).toContain('E_VALUE 6 participants of 715827884 levels each')
  })
})
