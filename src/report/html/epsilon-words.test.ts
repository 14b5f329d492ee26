import { expect, test } from 'vitest'
import { documentWith } from '../../../test/audit-results.js'
import { tableIn } from '../../../test/html-tables.js'
import type { PrivacyFacts } from '../../audit/document.js'
import { epsilonTable, epsilonWords } from './epsilon-words.js'

const facts: PrivacyFacts = {
  mechanism: 'dp-sgd',
  unit: 'record',
  claimed: 2,
  delta: 1e-5,
  accounted: { lower: 1, upper: 1.5 },
  client: 'a<b',
  clients: [4, 5],
}
const of = (more: Partial<PrivacyFacts> = {}) => documentWith([], { privacy: { ...facts, ...more } })
const words = (more: Partial<PrivacyFacts> = {}) => epsilonWords(of(more))
const none: readonly (null | undefined)[] = [null, undefined]

test('without differential privacy nothing bounds what better attacks learn, and there is no table', () => {
  for (const privacy of none) {
    const audit = documentWith([], { privacy } as never)
    expect(epsilonWords(audit)).toEqual([
      'None is claimed: there is no differential privacy, so no proof bounds what better attacks learn.',
    ])
    expect(epsilonTable(audit)).toBe('')
  }
})

test('what is claimed, what is accounted, and that nothing was measured', () => {
  expect(words({ notMeasured: 'no <time>' })).toEqual([
    'Claimed: 2.00, of one record',
    'Accounted: 1.00 to 1.50 at delta 0.00001, of client a&lt;b. The claim is kept.',
    'Empirical: not measured, no &lt;time&gt;',
  ])
  expect(words({ claimed: null })[0]).toBe('Claimed: no figure, of one record')
  expect(words({ client: null })[1]).toContain(', of client -.')
  expect(words()[2]).toBe('Empirical: not measured, for no reason that was given')
  expect(words({ accounted: null, why: 'no & norm' })[1]).toBe('Accounted: none, no &amp; norm')
  expect(words({ accounted: null })[1]).toBe('Accounted: none, for no reason that was given')
})

test('a claim below what is spent at the least is broken; without both figures there is no word on it', () => {
  expect(words({ claimed: 0.99 })[1]).toContain('The claim is <b class="leak">broken</b>.')
  expect(words({ claimed: 1 })[1]).toContain('The claim is kept.')
  expect(words({ claimed: null })[1]).not.toContain('The claim')
  expect(words({ accounted: null }).join()).not.toContain('The claim')
})

test('canaries that show more than is accounted for their training say so', () => {
  const empirical = { epsilon: 4, confidence: 0.95, canaries: 300, accounted: { lower: 3, upper: 4 } }
  expect(words({ empirical })[2]).toBe('Empirical: at least 4.00, by 300 canaries, sure to 95 %.')
  expect(words({ empirical: { ...empirical, epsilon: 4.5 } })[2]).toContain(
    ' That is more than the 4.00 accounted for the same training: the noise <b class="leak">does not do what it says</b>.',
  )
})

test('what it means is told up to its bracket, and from an advantage of 0.99 on that it is next to nothing', () => {
  const means = 'At most 8 points (of 100)'
  expect(words()).toHaveLength(3)
  expect(words({ means })[3]).toBe('At most 8 points.')
  expect(words({ means, advantage: 0.989 })[3]).toBe('At most 8 points.')
  expect(words({ means, advantage: 0.99 })[3]).toContain('So the proof promises next to nothing')
})

test('the table has a row for each, with what it speaks of', () => {
  const table = (more: Partial<PrivacyFacts> = {}) => tableIn(epsilonTable(of(more)), 'epsilons')!
  const { rows, figures } = table({ means: 'So much.' })
  expect(figures).toEqual([1])
  expect(rows).toEqual([
    ['claimed', '2.00', 'what the settings of dp-sgd say; delta 0.00001, one record'],
    [
      'accounted',
      '1.00 to 1.50',
      'of client a&lt;b, who spends most of the 4 of 5 clients that were accounted for; delta 0.00001, one record. So much.',
    ],
    ['empirical', '-', 'not measured: for no reason that was given'],
  ])
  const other = table({ claimed: null, delta: null, accounted: null, notMeasured: 'no time', unit: 'client' }).rows
  expect(other.map(([, value, what]) => [value, what])).toEqual([
    ['-', 'what the settings of dp-sgd say; delta -, one client'],
    ['-', 'for no reason that was given'],
    ['-', 'not measured: no time'],
  ])
  expect(table({ accounted: null, why: 'no norm' }).rows[1]![2]).toBe('no norm')
  expect(table({ client: null }).rows[1]![2]).toContain('of client -, who')
  const empirical = { epsilon: 4.5, confidence: 0.95, canaries: 300, accounted: { lower: 3, upper: 4 } }
  expect(table({ empirical }).rows[2]).toEqual([
    'empirical',
    'at least 4.50',
    'by 300 canaries in one more training, sure to 95 %; for that training 3.00 to 4.00 is accounted',
  ])
})
