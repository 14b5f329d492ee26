import { expect, test } from 'vitest'
import { resultWith } from '../../../test/audit-results.js'
import { observers } from '../../threat/observers.js'
import { threatWords } from './threat-words.js'

const of = (observer: string, ...attacks: string[]) => ({
  observer,
  title: '',
  attacks: attacks.map((attack) => resultWith({ attack, observer })),
})

test('every observer is told of by what it hears, and whoever may send what it likes by that', () => {
  const words = Object.keys(observers).map((name) => threatWords(of(name)))
  expect(words.every((one) => one.startsWith('It hears '))).toBe(true)
  expect(words.filter((one) => one.includes('may send'))).toEqual([threatWords(of('malicious-server'))])
  expect(threatWords(of('eavesdropper'))).toBe(
    'It hears what one client is sent and what it returns, in every round in which it takes part.',
  )
  expect(threatWords(of('secagg-server'))).toContain('sums over clients, and no single update, and who took part')
  expect(threatWords(of('<b>stranger'))).toBe('')
})
