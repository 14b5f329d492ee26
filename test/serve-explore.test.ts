import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import type { JobState, QuestionPage } from '../src/api/answers.js'
import { clientAnswer, exploreAnswer, participationAnswer, recordsAnswer, roundAnswer, timelineAnswer } from '../src/api/explore.js' // biome-ignore format: one line
import { columnsAnswer, multiplesAnswer, storedStudy, studySummary, sweepAnswer, sweepSummary } from '../src/api/sweeps.js' // biome-ignore format: one line
import { type TestServer, testServer, tinyScenario } from './page-client.js'

let server: TestServer
let id: string
beforeAll(async () => {
  server = await testServer()
  const scenario = tinyScenario.replace('aia-model]', 'aia-model, protocol]')
  id = (await server.post<JobState>('/api/runs', { yaml: scenario })).id
  expect((await server.ended(id)).state).toBe('done')
})
afterAll(() => server?.end())

/** What is answered is what the schema says, for both sides. */
const told = async <T>(schema: z.ZodType<T>, path: string): Promise<T> => schema.parse(await server.get(path))
const explore = <T>(schema: z.ZodType<T>, path: string): Promise<T> => told(schema, `/api/runs/${id}/explore${path}`)
const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(server.root, path)), { recursive: true })
  writeFileSync(join(server.root, path), text)
}

test.skipIf(process.platform === 'win32')('the folder of a run is for its owner alone', () => {
  expect(statSync(join(server.root, id)).mode & 0o777).toBe(0o700)
})

test('a run says what was heard, and whether it fits what is stated', async () => {
  const about = await explore(exploreAnswer, '')
  expect(about).toMatchObject({ place: '', heard: 'updates', rounds: 3, clients: 3, model: 'linear', recordsOf: ['0'] })
  expect(about.places).toEqual(expect.arrayContaining(['', 'repeat-1', 'without-0', 'repeat-1/without-0']))
  expect(about.fits).toEqual([{ attack: 'protocol', observer: 'eavesdropper', target: '0', p: 1, differs: [] }])
  expect((await explore(exploreAnswer, '?place=without-0')).clients).toBeLessThanOrEqual(3)
})

test('messages by round, of one round, of one client: the same norms', async () => {
  const { rounds, total } = await explore(timelineAnswer, '/rounds?from=1&count=1')
  expect([total, rounds.map(({ round }) => round)]).toEqual([3, [1]])
  const { messages } = await explore(roundAnswer, '/round?round=1')
  const norms = messages.filter(({ way }) => way === 'from').map(({ norm }) => norm)
  const sorted = [...norms].sort((a, b) => a - b)
  expect(rounds[0]!.changes).toMatchObject({ of: 3, least: sorted[0], middle: sorted[1], most: sorted[2] })
  expect(rounds[0]!.sent).toBe(messages.find(({ way }) => way === 'to all')!.norm)
  expect(messages.every(({ bytes }) => bytes === 16 * 8)).toBe(true)
  const client = await explore(clientAnswer, '/client?client=2')
  expect(client).toMatchObject({ turns: 3, total: 3 })
  expect(client.messages[1]!.norm).toBe(messages.find(({ who }) => who === '2')!.norm)
  const later = await explore(clientAnswer, '/client?client=2&from=1&count=1')
  expect(later.messages).toEqual([client.messages[1]])
  expect(client.messages[0]!.turned).toBeNull()
  expect(Math.abs(client.messages[1]!.turned!)).toBeLessThanOrEqual(1 + 1e-12)
  const target = await explore(clientAnswer, '/client?client=0')
  // An attack has looked at the messages of the target alone, and they are as stated.
  expect(client.messages.map(({ misfit }) => misfit)).toEqual([null, null, null])
  const fits = target.messages.map(({ misfit }) => misfit!)
  for (const misfit of fits) expect(misfit).toBeGreaterThan(0)
  for (const misfit of fits) expect(misfit).toBeLessThan(10)
  expect(messages.find(({ who, way }) => who === '0' && way === 'from')!.misfit).toBe(fits[1])
  expect(rounds[0]!.misfit).toBe(fits[1])
  const elsewhere = await explore(clientAnswer, '/client?client=0&place=repeat-1')
  expect(elsewhere.messages.every(({ misfit }) => misfit === null)).toBe(true)
  expect(target.questions.map(({ about }) => about)).toContain('union of client 0')
})

test('who took part, and whom sums would tell apart', async () => {
  const all = await explore(participationAnswer, '/participation')
  expect(all.rows.map(({ id: client, cells, turns }) => [client, cells, turns])).toEqual([
    ['0', '111', 3],
    ['1', '111', 3],
    ['2', '111', 3],
  ])
  // All are in every sum: of the three only a total can be learned.
  expect(all).toMatchObject({ alone: true, separable: 0, roundsMissing: 2 })
  expect(all.rows[0]).toMatchObject({ separable: false, together: ['1', '2'] })
  const some = await explore(participationAnswer, '/participation?from=2&count=5&fromRound=1&rounds=1')
  expect(some.rows.map(({ id: client, cells }) => [client, cells])).toEqual([['2', '1']])
})

test('of records: what was claimed, how sure, and what is true', async () => {
  const { records, total } = await explore(recordsAnswer, '/records?client=0')
  const truth = readFileSync(join(server.root, id, 'truth', '0.csv'), 'utf8')
    .trim()
    .split('\n')
  const [head, ...rows] = truth.map((line) => line.split(','))
  const [union, row] = ['union_yes', 'row'].map((name) => head!.indexOf(name))
  expect(total).toBe(rows.length)
  expect(records.map((one) => [one.id, one.about[0]!.truth])).toEqual(
    rows.map((cells) => [cells[row!], cells[union!] === '1' ? 'yes' : 'no']),
  )
  for (const { about } of records) {
    const [only] = about
    expect(only!.claims.map(({ attack }) => attack)).toEqual(['aia-model'])
    const { said, right, sure } = only!.claims[0]!
    expect(right).toBe(said === only!.truth)
    expect(sure).toBeGreaterThanOrEqual(0)
  }
  const page = await explore(recordsAnswer, '/records?client=0&from=1&count=2')
  expect(page.records).toEqual(records.slice(1, 3))
})

test('questions come in pages, and are found by their words', async () => {
  const path = `/api/runs/${id}/questions`
  const all = await server.get<QuestionPage>(path)
  expect(all.total).toBe(all.questions.length)
  const last = await server.get<QuestionPage>(`${path}?from=${all.total - 1}&count=1`)
  expect(last.questions).toEqual(all.questions.slice(-1))
  const found = await server.get<QuestionPage>(`${path}?find=UNION`)
  expect(found.questions.map(({ about }) => about)).toEqual(['union of client 0'])
})

const axes = (k: number) => ({ rounds: k % 3, 'the <rate>': k % 2 === 0 ? 'low' : '<b>high</b>' })
const trial = (k: number, over: object = {}): string =>
  `${JSON.stringify({
    format: 'overhear-trial/1',
    id: k.toString(16).padStart(64, '0'),
    seed: 1,
    at: axes(k),
    result: { hash: '', level: k % 2 ? 'none-found' : 'leaks-records', tested: 1, notTested: 0, questions: [], scores: [], utility: [{ model: 'm', metric: 'R2', value: k }] }, // biome-ignore format: one line
    reason: null,
    took: { seconds: 1, attempts: 1, worker: null },
    ...over,
  })}\n`

test('a sweep as columns and as means along its axes', async () => {
  const failed = trial(6, { result: null, reason: '<i>too long</i>' })
  put(
    'sweep-a/trials.jsonl',
    [0, 1, 2, 3, 4, 5]
      .map((k) => trial(k))
      .concat(failed, trial(1), '{"torn')
      .join(''),
  )
  expect((await told(sweepSummary.array(), '/api/sweeps')).map((one) => one.id)).toEqual(['sweep-a'])
  const about = await told(sweepAnswer, '/api/sweeps/sweep-a')
  expect(about).toMatchObject({ trials: 6, failed: 1, figures: ['use, m: R2'], reasons: ['<i>too long</i>'] })
  expect(about.levels).toEqual({ 'leaks-records': 3, 'none-found': 3 })
  expect(about.axes.map(({ words, places }) => [words, places])).toEqual([[null, 3], [['low', '<b>high</b>'], 2]]) // biome-ignore format: one line
  const { columns, drawn } = await told(columnsAnswer, '/api/sweeps/sweep-a/columns?figures=0')
  expect([drawn, columns.map(({ values }) => values)]).toEqual([6, [[0, 1, 2, 0, 1, 2], [0, 1, 0, 1, 0, 1], [0, 1, 2, 3, 4, 5]]]) // biome-ignore format: one line
  const each = await told(multiplesAnswer, '/api/sweeps/sweep-a/multiples')
  expect(each.panels[0]!.points.map(({ at, mean, least, most }) => [at, mean, least, most])).toEqual([['0', 1.5, 0, 3], ['1', 2.5, 1, 4], ['2', 3.5, 2, 5]]) // biome-ignore format: one line
  const by = await told(multiplesAnswer, '/api/sweeps/sweep-a/multiples?x=0&by=1')
  expect(by.panels.map(({ title }) => title)).toEqual(['the <rate> low', 'the <rate> <b>high</b>'])
  expect(by.panels[1]!.points.map(({ mean }) => mean)).toEqual([3, 1, 5])
  appendFileSync(join(server.root, 'sweep-a/trials.jsonl'), '\n')
  const torn = await server.ask('/api/sweeps/sweep-a')
  expect([torn.status, torn.text]).toEqual([200, expect.stringContaining('"trials":6')])
})

test('studies that came with the package, and those of the folder of runs', async () => {
  const listed = await told(studySummary.array(), '/api/studies')
  const own = listed.find(({ key }) => key === 'stored.aia-table-1')!
  const study = await told(storedStudy, `/api/studies/${own.key}`)
  const [holds, fails] = [true, false].map((so) => study.claims.filter((claim) => claim.holds === so).length)
  expect(study.claims).toHaveLength(5)
  expect(own).toMatchObject({ study: 'aia-table-1', claims: 5, holds, fails, run: null })
  expect(study.rows.find(({ series }) => series === 'passive, ours')!.paper!.mean).toBe(95.9)
  put('reproduce-x/cells.jsonl', '')
  put('reproduce-x/mine.json', JSON.stringify({ ...study, study: 'mine' }))
  put('reproduce-x/other.json', '{"rows": 7}')
  const more = await told(studySummary.array(), '/api/studies')
  expect(more.filter(({ run }) => run !== null).map(({ key }) => key)).toEqual(['reproduce-x.mine'])
  expect((await server.ask('/api/studies/reproduce-x.other')).status).toBe(400)
})

test('what is malformed or leads out is answered by 4xx, in words', async () => {
  const run = `/api/runs/${id}/explore`
  const wrong = [
    ...[
      '/rounds?from=-1',
      '/rounds?count=0',
      '/rounds?count=100000',
      '/rounds?from=1e99',
      '/rounds?what=1',
      '/rounds?from=x',
    ],
    ...['/round', '/round?round=x', '/client', '/client?client=', `/client?client=${'a'.repeat(200)}`, '/records'],
    ...['/participation?rounds=9999', `?place=${'a'.repeat(500)}`],
  ]
  for (const path of wrong) expect([path, (await server.ask(run + path)).status]).toEqual([path, 400])
  const none = [
    ...[
      '?place=..',
      '?place=../..',
      '?place=%2Fetc',
      '?place=truth',
      '?place=repeat-1/..',
      '/round?round=77',
      '/client?client=nobody',
    ],
    ...['/records?client=2', '/records?client=..%2F..'],
  ]
  for (const path of none) expect([path, (await server.ask(run + path)).status]).toEqual([path, 404])
  const others = [
    ...['/api/runs/nobody/explore', '/api/runs/..%2F..%2Fetc/explore', '/api/sweeps/..', '/api/sweeps/uploads'],
    ...['/api/sweeps/..%2Fx/columns', '/api/studies/..%2F..%2Fpackage', '/api/studies/stored.nothing'],
    ...['/api/sweeps/sweep-a/columns?figures=999', '/api/sweeps/sweep-a/multiples?x=9'],
  ]
  for (const path of others) expect([path, (await server.ask(path)).status]).toEqual([path, 404])
  const bad = [
    'columns?figures=a',
    'columns?figures=1,',
    'multiples?figure=-1',
    'multiples?figure=1e9',
    'multiples?z=1',
  ]
  for (const path of bad) expect((await server.ask(`/api/sweeps/sweep-a/${path}`)).status).toBe(400)
  for (const path of ['?count=0', '?tested=maybe', '?from=x', `?find=${'a'.repeat(300)}`])
    expect((await server.ask(`/api/runs/${id}/questions${path}`)).status).toBe(400)
  put('sweep-bad/trials.jsonl', 'no JSON\nno JSON\n')
  expect((await server.ask('/api/sweeps/sweep-bad')).status).toBe(400)
})

test('a transcript that is damaged, or a link in its place, is an error and no more', async () => {
  const copy = 'copy-20260101-000000-abcd'
  cpSync(join(server.root, id), join(server.root, copy), { recursive: true })
  const rounds = join(server.root, copy, 'transcript', 'rounds')
  writeFileSync(join(rounds, '000001.safetensors'), 'nothing')
  expect((await server.ask(`/api/runs/${copy}/explore/rounds`)).status).toBe(400)
  expect((await server.ask(`/api/runs/${copy}/explore/round?round=1`)).status).toBe(400)
  rmSync(join(server.root, copy, 'transcript'), { recursive: true })
  symlinkSync(join(server.root, id, 'transcript'), join(server.root, copy, 'transcript'))
  expect((await server.ask(`/api/runs/${copy}/explore`)).status).toBe(200) // the next training that is there
  for (const one of ['without-0', 'repeat-1']) rmSync(join(server.root, copy, one), { recursive: true })
  expect((await server.ask(`/api/runs/${copy}/explore`)).status).toBe(404)
})
