import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobState, RunDetail, RunSummary, UploadAbout } from '../src/api/answers.js'
import type { Comparison } from '../src/audit/finished/compare.js'
import { type TestServer, testServer, tinyScenario } from './page-client.js'

let server: TestServer
const own = () => new URL(server.url).host
beforeAll(async () => {
  server = await testServer({ uploadLimits: { file: 20_000, bytes: 60_000, files: 12 } })
})
afterAll(() => server.end())

describe('who may talk to it', () => {
  test.each([
    ['another host (DNS rebinding)', { host: 'evil.example' }, 403],
    ['another host that begins as ours', { host: '127.0.0.1.evil.example' }, 403],
    ['a foreign origin', { origin: 'http://evil.example' }, 403],
    ['no origin at all, as of a sandboxed frame', { origin: 'null' }, 403],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }, 403],
    ['a foreign page that loads it', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
    ['a page of the same machine on another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
    [
      'a link on a foreign page',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      200,
    ],
    ['nobody in particular', {}, 200],
  ])('%s', async (_, headers, status) => {
    const given = headers as Record<string, string>
    expect((await server.ask('/api/runs', { headers: given })).status).toBe(status)
    const posted = { method: 'POST', headers: { 'content-type': 'application/json', ...given }, body: '{"yaml":""}' }
    expect((await server.ask('/api/check', posted)).status).toBe(status)
  })

  test('its own page, by either name', async () => {
    const port = new URL(server.url).port
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const { status } = await server.ask('/api/runs', { headers: { host, origin: `http://${host}` } })
      expect(status).toBe(200)
    }
  })

  test('every answer, errors too, lets nothing of others in', async () => {
    for (const [path, headers] of [
      ['/api/runs', {}],
      ['/nowhere', {}],
      ['/api/runs', { host: 'evil.example' }],
    ] as const) {
      const answer = await server.ask(path, { headers })
      expect(answer.headers['content-security-policy']).toMatch(
        /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/,
      )
      expect(answer.headers['content-security-policy']).not.toContain('unsafe-inline')
      expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('on another address, whoever has the token', async () => {
    const open = await testServer({ host: '0.0.0.0' })
    try {
      const token = new URL(open.url).searchParams.get('token')!
      expect(token).toMatch(/^[0-9a-f]{48}$/)
      expect((await open.ask('/')).status).toBe(401)
      expect((await open.ask('/api/runs', { headers: { cookie: 'overhear=wrong' } })).status).toBe(401)
      expect((await open.ask('/?token=wrong')).status).toBe(401)
      const entered = await open.ask(`/?token=${token}`)
      expect(entered).toMatchObject({ status: 303, headers: { location: '/' } })
      const [cookie] = entered.headers['set-cookie'] as string[]
      expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/)
      expect((await open.ask('/api/runs', { headers: { cookie: cookie!.split(';')[0]! } })).status).toBe(200)
      expect((await open.ask('/api/runs', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
      const foreign = { authorization: `Bearer ${token}`, origin: 'http://evil.example' }
      expect((await open.ask('/api/runs', { headers: foreign })).status).toBe(403)
    } finally {
      await open.end()
    }
  })
})

describe('what it reaches', () => {
  test.each([
    '/api/runs/..',
    '/api/runs/../../etc/passwd',
    '/api/runs/%2e%2e%2f%2e%2e%2fetc',
    '/api/runs/..%5c..%5cwindows',
    '/api/runs/.hidden/report',
    '/api/runs/uploads/report',
    '/api/runs/a%00b/report',
    '/api/uploads/..%2f..%2fetc%2fpasswd',
    '/page/..%2f..%2fpackage.json',
    '/page/%2e%2e/%2e%2e/package.json',
    '/bundle/../../package.json',
    '/bundle/..%2f..%2fpackage.json',
    '/bundle//etc/passwd',
    '/bundle/made-of.txt',
    '/etc/passwd',
    '//etc/passwd',
  ])('not %s', async (path) => {
    const { status, text } = await server.ask(path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(text).not.toContain('root:')
    expect(text).not.toContain('"version"')
  })

  test('no run behind a link', async () => {
    mkdirSync(join(server.root, 'uploads'), { recursive: true })
    symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(server.root, 'linked'))
    expect((await server.ask('/api/runs/linked')).status).toBe(404)
    expect(await server.get<RunSummary[]>('/api/runs')).toEqual([])
  })
})

const put = (path: string, body: string | Uint8Array) => server.ask(`/api/uploads/${path}`, { method: 'PUT', body })

describe('uploads', () => {
  test.each([
    ['a name that leads out', '..%2fevil.csv', 'a'],
    ['one below that leads out', 'folder/..%2f..%2fevil.csv', 'a'],
    ['a hidden one', '.evil.csv', 'a'],
    ['one with a blank', 'a%20b.csv', 'a'],
    ['one that lies too deep', 'a/b/c/d/e/f/g/h/i.csv', 'a'],
    ['one that is too large', 'large.csv', 'x'.repeat(20_001)],
  ])('refused: %s', async (_, path, body) => {
    const before = everything()
    const { status, text } = await put(path, body)
    expect([400, 404, 429]).toContain(status)
    expect(JSON.parse(text)).toEqual({ error: expect.any(String) })
    expect(everything()).toEqual(before)
  })

  test.each([
    ['empty.csv', '', 'empty'],
    ['ragged.csv', 'a,b\n1,2,3\n', 'ragged'],
    ['twice.csv', 'a,a\n1,2\n', '"a"'],
    ['bytes.csv', new Uint8Array([0x61, 0xff, 0xfe, 0x0a]), 'UTF-8'],
    ['broken.npz', 'PK\u0003\u0004nothing', 'npz'],
    ['what.exe', 'MZ', 'cannot be told'],
    ['odd.json', '{"a":', 'odd.json'],
  ])('%s is there, and what is wrong with it is said', async (name, body, word) => {
    expect((await put(name, body)).status).toBe(201)
    const { status, text } = await server.ask(`/api/uploads/${name}`)
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('error') })
    expect(JSON.parse(text).error.length).toBeGreaterThan(10)
    if (word !== 'ragged') expect(text).toContain(word.replaceAll('"', '\\"'))
    expect((await server.ask(`/api/uploads/${name}`, { method: 'DELETE' })).status).toBe(200)
    expect((await server.ask(`/api/uploads/${name}`)).status).toBe(404)
  })

  test('a damaged recording', async () => {
    await put('damaged/transcript.json', '{"format":"nothing"}')
    expect(await server.ask('/api/uploads/damaged')).toMatchObject({ status: 400 })
    const start = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"recording":"damaged"}' }
    expect(await server.ask('/api/runs', start)).toMatchObject({ status: 400 })
    await server.ask('/api/uploads/damaged', { method: 'DELETE' })
  })

  test('of a table the columns are guessed, and a scenario is proposed that is whole', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `${20 + i},${i % 3 === 0 ? 'yes' : 'no'},${i % 2},${100 + 7 * i}`)
    await put('people.csv', `age,smoker,hospital,cost\n${rows.join('\n')}\n`)
    const about = await server.get<Extract<UploadAbout, { kind: 'table' }>>('/api/uploads/people.csv')
    expect(about).toMatchObject({
      kind: 'table',
      rows: 40,
      guess: { label: 'cost', client: 'hospital', sensitive: ['smoker'] },
    })
    expect(await server.post('/api/check', { yaml: about.yaml })).toMatchObject({ error: null })
  })

  test('they end where the limits are', async () => {
    for (let i = 0; i < 11; i++) await put(`many/${i}.csv`, 'a')
    expect(await put('many/more.csv', 'a')).toMatchObject({ status: 429 })
    await server.ask('/api/uploads/many', { method: 'DELETE' })
  })
})

/** Every path below the folder of runs. */
/** All names below, but for what a link leads to: that is no folder of ours, and others write there meanwhile. */
const namesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
    const path = join(folder, one.name)
    return one.isDirectory() ? [path, ...namesBelow(path)] : [path]
  })
const everything = (): string[] =>
  namesBelow(server.root)
    .filter((name) => !/uploads(\/folder|\/a(\/.*)?)?$/.test(name))
    .sort()

describe('requests that are none', () => {
  test.each([
    ['no JSON', '{', 'application/json'],
    ['another type', '{"yaml":""}', 'text/plain'],
    ['another shape', '{"yaml":5}', 'application/json'],
    ['more than asked for', '{"yaml":"","evil":1}', 'application/json'],
    ['a prototype', '{"yaml":"","__proto__":{"x":1}}', 'application/json'],
    ['far too long', JSON.stringify({ yaml: 'x'.repeat(2_100_000) }), 'application/json'],
  ])('%s', async (_, body, type) => {
    const answer = await server.ask('/api/runs', { method: 'POST', headers: { 'content-type': type }, body })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text)).toEqual({ error: expect.any(String) })
  })
})

describe('an audit from its start to its end', () => {
  let id: string
  test('it runs, tells how far it is, and has a report', async () => {
    const started = await server.post<JobState>('/api/runs', { yaml: tinyScenario })
    id = started.id
    expect(started).toMatchObject({ state: 'running' })
    const last = await server.ended(id)
    expect(last).toMatchObject({ state: 'done', share: 1, error: null, round: { rounds: 3 }, training: { total: 4 } })
    expect(last.trained.map(({ model }) => model)).toEqual(['linear'])
    expect(last.found.length).toBeGreaterThan(0)
    const [listed] = await server.get<RunSummary[]>('/api/runs')
    expect(listed).toMatchObject({ id, name: 'tiny', complete: true })
    const detail = await server.get<RunDetail>(`/api/runs/${id}`)
    expect(detail.yaml).toBe(tinyScenario)
    expect(detail.questions.questions.map(({ about }) => about)).toContain('union of client 0')
    const report = await server.ask(`/api/runs/${id}/report`)
    expect(report.headers['content-security-policy']).toMatch(/^sandbox /)
    expect(report.text).toContain('Audit of tiny')
  })

  test('it is compared with another, and one whose words are HTML shows them as text', async () => {
    const other = `other-20260101-000000-abcd`
    cpSync(join(server.root, id), join(server.root, other), { recursive: true })
    const file = join(server.root, other, 'audit.json')
    const evil = '<img src=x onerror=alert(1)>'
    const document = JSON.parse(readFileSync(file, 'utf8'))
    for (const question of document.questions) question.name = evil
    document.verdict.sentences = [evil]
    document.scenario.name = evil
    writeFileSync(file, JSON.stringify(document))
    const compared = await server.get<Comparison>(`/api/compare?before=${id}&after=${other}`)
    expect(compared.sameSeed).toBe(true)
    expect(compared.questions.map(({ about }) => about)).toContain('union of client 0 (linear)')
    const report = await server.ask(`/api/runs/${other}/report`)
    expect(report.text).not.toContain('<img src=x')
    expect(report.text).toContain('&lt;img src=x')
    expect((await server.ask(`/api/compare?before=${id}`)).status).toBe(400)
    expect((await server.ask(`/api/compare?before=${id}&after=nowhere`)).status).toBe(404)
  })

  test('it can be cancelled and resumed; what waits is cancelled at once', async () => {
    const long = tinyScenario.replace('rounds: 3', 'rounds: 20000').replace('name: tiny', 'name: long')
    const first = await server.post<JobState>('/api/runs', { yaml: long })
    const second = await server.post<JobState>('/api/runs', { yaml: long })
    expect(second.state).toBe('waiting')
    expect(await server.post(`/api/runs/${second.id}/cancel`)).toMatchObject({ state: 'stopped' })
    await server.post(`/api/runs/${first.id}/cancel`)
    expect(await server.ended(first.id)).toMatchObject({ state: 'stopped' })
    expect((await server.ask(`/api/runs/${first.id}/cancel`, { method: 'POST' })).status).toBe(200)
    expect((await server.get<RunDetail>(`/api/runs/${first.id}`)).summary).toMatchObject({
      resumable: true,
      level: null,
    })
    expect(await server.post(`/api/runs/${first.id}/resume`)).toMatchObject({ state: 'running' })
    await server.post(`/api/runs/${first.id}/cancel`)
    expect(await server.ended(first.id)).toMatchObject({ state: 'stopped' })
    expect((await server.ask('/api/runs/nobody/resume', { method: 'POST' })).status).toBe(404)
  })

  test('one that fails says why', async () => {
    const wrong = tinyScenario.replace('sensitive: [union]', 'sensitive: [nothing]')
    const { id: failing } = await server.post<JobState>('/api/runs', { yaml: wrong })
    const { state, error } = await server.ended(failing)
    expect([state, error]).toEqual(['failed', expect.stringContaining('nothing')])
  })
})

test('a hundred pages listen at once, and are let go', async () => {
  const [host, port] = own().split(':')
  const streams = await Promise.all(
    Array.from(
      { length: 100 },
      () =>
        new Promise<() => void>((resolve, reject) => {
          const sent = request({ host, port, path: '/api/events' }, (answer) => {
            answer.once('data', (text) => {
              expect(String(text)).toContain(': hello')
              resolve(() => sent.destroy())
            })
            answer.on('error', () => {})
          })
          sent.on('error', reject)
          sent.end()
        }),
    ),
  )
  expect((await server.ask('/api/runs')).status).toBe(200)
  for (const end of streams) end()
  expect(existsSync(server.root)).toBe(true)
})
