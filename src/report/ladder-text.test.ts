import { describe, expect, test } from 'vitest'
import { ofEveryWord, questionWith, stepWith } from '../../test/audit-results.js'
import type { Ladder } from '../audit/ladder/question.js'
import { ladderText } from './ladder-text.js'

/** What comes after the legend. */
const lines = (...questions: Parameters<typeof ladderText>[0]) => {
  const all = ladderText(questions)
  return all.slice(all.indexOf(''))
}
const barOf = (ladder: Partial<Ladder>) => /\|(.*)\|/.exec(lines(questionWith({ ladder }))[2]!)![1]!

describe('the ladder on a terminal', () => {
  test('has a block for each question that was tested, the worst first; of nothing there is nothing', () => {
    expect(ladderText([])).toEqual([])
    expect(ladderText([ofEveryWord[5]!])).toEqual([])
    const heads = lines(...[...ofEveryWord].reverse()).filter((line) => /^[A-Z]/.test(line))
    expect(heads).toEqual([
      'LEAKS RECORDS     union of client 0, heard by eavesdropper',
      'LEAKS THE CLIENT  metaclass-counts of client 0, heard by server',
      'INCONCLUSIVE      members of client 0, heard by server',
      'KNOWN ANYWAY      smoker of client 0, heard by server',
      'NO LEAK FOUND     inversion of clients, heard by secagg-server',
    ])
  })

  test('names the stronger observers who hear the same, and has no block for them', () => {
    const copies = ['server', 'malicious-server'].map((observer) => questionWith({ observer, sameAs: 'eavesdropper' }))
    const other = questionWith({ observer: 'server', name: 'race', sameAs: 'eavesdropper' })
    const found = lines(questionWith({ observer: 'eavesdropper' }), ...copies, other)
    expect(found.filter((line) => /^[A-Z]/.test(line))).toEqual([
      'LEAKS RECORDS     union of client 0, heard by eavesdropper, server, malicious-server',
    ])
  })

  test('has no block for a stronger observer who learns no more, and one for who does', () => {
    const weak = questionWith({ observer: 'eavesdropper' })
    const heads = (...more: Parameters<typeof ladderText>[0]) =>
      lines(weak, ...more).flatMap((line) => /, heard by (.*)$/.exec(line)?.[1] ?? [])
    expect(heads(questionWith({ observer: 'server' }))).toEqual(['eavesdropper, server'])
    expect(heads(questionWith({ observer: 'server', level: 'inconclusive' }))).toEqual(['eavesdropper, server'])
    const more = questionWith({ observer: 'server', test: { record: stepWith({ effect: 0.2 }) } })
    expect(heads(more)).toEqual(['server', 'eavesdropper'])
  })

  test('shows a property of clients beside a guess, and explains only the letters that it uses', () => {
    const all = ladderText([ofEveryWord[4]!])
    expect(all.slice(1, 3)).toEqual([
      '  g  a guess, nothing heard',
      '  p  a property of clients, from all that is heard',
    ])
    expect(all.at(-2)).toBe(`  |.........g==p${'.'.repeat(27)}|  AUC: g 0.500  p 0.550`)
    expect(ladderText([questionWith()]).join()).not.toContain('everybody')
  })

  test('puts a guess and everything in the same columns for all questions', () => {
    const bar = barOf({ guess: 0.5, federation: null, client: 0.75, record: 1 })
    expect(bar).toHaveLength(40)
    expect(bar.indexOf('g')).toBe(9)
    expect(bar.indexOf('r')).toBe(39)
    expect(bar.indexOf('c')).toBe(24) // half-way
    expect(bar.slice(25, 39)).toBe('='.repeat(14))
    const error = barOf({ better: 'lower', best: 0, guess: 4, federation: null, client: 2, record: 0 })
    expect(error).toBe(bar)
  })

  test('keeps what is far below a guess at the edge, and shows the higher rung where two meet', () => {
    expect(barOf({ guess: 0.8, federation: 0.1, client: 0.8, record: 0.8 })).toBe(`f........r${'.'.repeat(30)}`)
  })

  test('says of each step how large it is, how sure, what would have been seen, and by which attack', () => {
    const question = questionWith({
      test: {
        record: stepWith({ interval: [Number.NEGATIVE_INFINITY, 0.2], leastSeen: null, repeats: 1 }),
        client: stepWith({ effect: -0.01, interval: null }),
      },
    })
    expect(lines(question).slice(3)).toEqual([
      '  its records  +0.080 (? to +0.200), p 0.0040, this training, by aia-linear',
      '  the client   -0.010, p 0.0040, would have seen 0.030, 10 trainings, by aia-model',
    ])
    // JSON knows no infinity: what was read back has null there.
    const read = JSON.parse(JSON.stringify(question))
    expect(lines(read)).toEqual(lines(question))
  })
})
