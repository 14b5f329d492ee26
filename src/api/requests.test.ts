import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { clientRequest, exploreRequest, participationRequest, recordsRequest, roundRequest, timelineRequest } from './explore.js' // biome-ignore format: a line
import { checkRequest, editRequest, placeName, questionsRequest, startRequest } from './requests.js'
import { storedKey, studyInShort } from './study-summary.js'
import { columnsRequest, multiplesRequest, type StoredStudy, storedStudy } from './sweeps.js'

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success
const words = (n: number): string => 'a'.repeat(n)

describe('a request', () => {
  test('that says nothing has what is usual', () => {
    expect(exploreRequest.parse({})).toEqual({ place: '' })
    expect(timelineRequest.parse({})).toEqual({ place: '', from: 0, count: 60 })
    expect(roundRequest.parse({ round: '3' })).toEqual({ place: '', round: 3, from: 0, count: 50 })
    expect(clientRequest.parse({ client: '0' })).toEqual({ place: '', client: '0', from: 0, count: 60 })
    expect(participationRequest.parse({})).toEqual({ place: '', from: 0, count: 60, fromRound: 0, rounds: 120 })
    expect(recordsRequest.parse({ client: '0' })).toEqual({ client: '0', from: 0, count: 50 })
    expect(questionsRequest.parse({})).toEqual({ from: 0, count: 50, tested: 'yes', find: '' })
    expect(columnsRequest.parse({})).toEqual({ figures: '0' })
    expect(multiplesRequest.parse({ x: '2' })).toEqual({ figure: 0, x: 2 })
  })

  const edit = (path: readonly unknown[], times = 1) => ({ yaml: '', edits: Array(times).fill({ path }) })
  const table = (over: object) => ({ recording: 'r', table: { upload: 'u', label: 'l', client: 'c', ...over } })

  test.each<[string, z.ZodType, unknown, unknown]>([
    ['a place', exploreRequest, { place: words(400) }, { place: words(401) }],
    ['a first one', timelineRequest, { from: 1e9 }, { from: 1e9 + 1 }],
    ['a first one', timelineRequest, { from: 0 }, { from: -1 }],
    ['a number', timelineRequest, { count: '1' }, { count: '0' }],
    ['a number of rounds', timelineRequest, { count: 120 }, { count: 121 }],
    ['a round', roundRequest, { round: 0 }, { round: -1 }],
    ['a round', roundRequest, { round: 1e9 }, { round: 1e9 + 1 }],
    ['a number of messages', roundRequest, { round: 1, count: 200 }, { round: 1, count: 201 }],
    ['a client', clientRequest, { client: 'a' }, { client: '' }],
    ['a client', clientRequest, { client: words(128) }, { client: words(129) }],
    ['a number of turns', clientRequest, { client: 'a', count: 120 }, { client: 'a', count: 121 }],
    ['a number of clients', participationRequest, { count: 200 }, { count: 201 }],
    ['a number of rounds', participationRequest, { rounds: 400 }, { rounds: 401 }],
    ['a number of records', recordsRequest, { client: 'a', count: 200 }, { client: 'a', count: 201 }],
    ['a number of questions', questionsRequest, { count: 200 }, { count: 201 }],
    ['a number of questions', questionsRequest, { count: 1 }, { count: 0 }],
    ['a first question', questionsRequest, { from: 0 }, { from: -1 }],
    ['a first question', questionsRequest, { from: 1e9 }, { from: 1e9 + 1 }],
    ['words to find', questionsRequest, { find: words(200) }, { find: words(201) }],
    ['figures', columnsRequest, { figures: '1,2,3,4,5,6,7,8' }, { figures: '1,2,3,4,5,6,7,8,9' }],
    ['a figure', columnsRequest, { figures: '999' }, { figures: '1000' }],
    ['a figure', multiplesRequest, { figure: 999 }, { figure: 1000 }],
    ['an axis', multiplesRequest, { by: 0 }, { by: -1 }],
    ['a text', checkRequest, { yaml: words(1_000_000) }, { yaml: words(1_000_001) }],
    ['a text to start', startRequest, { yaml: words(1_000_000) }, { yaml: words(1_000_001) }],
    ['a text to edit', editRequest, { ...edit(['a']), yaml: words(1_000_000) }, { ...edit(['a']), yaml: words(1_000_001) }], // biome-ignore format: a line
    ['edits', editRequest, edit(['a'], 20), edit(['a'], 21)],
    ['edits', editRequest, edit(['a'], 1), edit(['a'], 0)],
    ['a path', editRequest, edit(Array(6).fill('a')), edit(Array(7).fill('a'))],
    ['a path', editRequest, edit([0]), edit([])],
    ['a key', editRequest, edit([words(200)]), edit([words(201)])],
    ['a key', editRequest, edit(['a']), edit([''])],
    ['a place in a list', editRequest, edit([99]), edit([100])],
    ['a place in a list', editRequest, edit([0]), edit([-1])],
    ['a table', startRequest, table({ sensitive: Array(20).fill('a') }), table({ sensitive: Array(21).fill('a') })],
    ['a column', startRequest, table({ label: 'a' }), table({ label: '' })],
    ['a column', startRequest, table({ label: words(1000) }), table({ label: words(1001) })],
  ])('%s has its limits: %#', (_, schema, allowed, refused) => {
    expect([takes(schema, allowed), takes(schema, refused)]).toEqual([true, false])
  })

  test('names a folder or a file by plain letters', () => {
    for (const name of ['a', '0', 'A.b_c-d', words(128)]) expect(placeName.test(name), name).toBe(true)
    for (const name of ['', '.a', '-a', '_a', 'a/b', 'a b', 'a\n', words(129)]) expect(placeName.test(name)).toBe(false)
  })
})

describe('a stored study', () => {
  const run = { quick: false, seeds: [1], cells: 1, planned: 1, seconds: 2, version: '1', date: 'then', trouble: [] }
  const claims = [{ text: 'a', holds: true }, { text: 'b', holds: false }, { text: 'c', holds: null }, { text: 'd', holds: true }] // biome-ignore format: a line
  const rows = [{ panel: 'p', series: 's', ours: { mean: 1, std: 0, n: 1 } }]
  const study = {
    study: 's',
    title: 't',
    paper: 'p',
    where: 'w',
    unit: 'u',
    axis: null,
    rows,
    claims,
    departs: [],
    run,
  }

  test('is told in short by how many of its claims hold', () => {
    const stored = study as unknown as StoredStudy
    expect(studyInShort('k', stored, 'runs-1')).toEqual({ key: 'k', study: 's', title: 't', where: 'w', paper: 'p', quick: false, date: 'then', holds: 2, fails: 1, claims: 4, run: 'runs-1' }) // biome-ignore format: a line
    expect(storedKey(stored)).toBe('stored.s')
    expect(storedKey({ ...stored, run: { ...run, quick: true } })).toBe('stored.s-quick')
  })

  test('may lack what the paper does not say, and is of no more than a page holds', () => {
    expect(storedStudy.parse(study).rows).toEqual([{ ...rows[0], paper: null, note: '' }])
    const limits: [object, object][] = [
      [{ title: words(5000) }, { title: words(5001) }],
      [{ rows: Array(20_000).fill(rows[0]) }, { rows: Array(20_001).fill(rows[0]) }],
      [{ claims: Array(1000).fill(claims[0]) }, { claims: Array(1001).fill(claims[0]) }],
      [{ departs: Array(1000).fill('a') }, { departs: Array(1001).fill('a') }],
      [{ run: { ...run, seeds: Array(10_000).fill(1) } }, { run: { ...run, seeds: Array(10_001).fill(1) } }],
      [{ run: { ...run, trouble: Array(1000).fill('a') } }, { run: { ...run, trouble: Array(1001).fill('a') } }],
    ]
    for (const [allowed, refused] of limits) {
      expect(takes(storedStudy, { ...study, ...allowed })).toBe(true)
      expect(takes(storedStudy, { ...study, ...refused })).toBe(false)
    }
  })
})
