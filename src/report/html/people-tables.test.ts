import { expect, test } from 'vitest'
import { documentWith, questionWith } from '../../../test/audit-results.js'
import { redacted } from '../../audit/finished/redacted.js'
import { clientsTable, exposedTable } from './people-tables.js'

const exposed = { ids: ['ann', 'bob'], of: 9, sure: [1, 0.9] }
const audit = documentWith([], {
  questions: [
    questionWith({ target: '7', level: 'none-found' }),
    questionWith({ target: '7', name: 'sex', level: 'not-tested' }),
    questionWith({ target: '<b>3', exposed }),
    questionWith({ target: '<b>3', name: 'sex', level: 'inconclusive' }),
    questionWith({ target: '<b>3', observer: 'malicious-server', sameAs: 'server', exposed }),
    questionWith({ target: null, kind: 'property', name: 'ascent' }),
  ],
})

/** The words of each row. */
const rowsIn = (html: string): string[][] =>
  [...html.matchAll(/<tr>(<td.*?)<\/tr>/g)].map(([, row]) =>
    [...row!.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell!.replace(/<[^>]*>/g, '')),
  )

test('each client once, the worst off first, with what was tested of it and how many are given away', () => {
  expect(rowsIn(clientsTable(audit))).toEqual([
    ['client &lt;b&gt;3', 'leaks records', 'union of client &lt;b&gt;3', 'server', '1 of 2', '0', '2'],
    ['client 7', 'no leak found', 'union of client 7', 'server', '0 of 1', '1', '0'],
  ])
  expect(clientsTable(audit)).toContain('<a href="#q1">union of client')
  expect(clientsTable(documentWith([]))).toBe('')
})

test('who is given away, by name; without people how many they are', () => {
  expect(rowsIn(exposedTable(audit)).map(([id, client]) => [id, client])).toEqual([
    ['ann', '&lt;b&gt;3'],
    ['bob', '&lt;b&gt;3'],
  ])
  const without = exposedTable(redacted(audit))
  expect(without).toContain(': 2 of 9</li>')
  expect(without).toContain('Who they are is left out of this report.')
  expect(without).not.toMatch(/ann|bob|<td/)
})
