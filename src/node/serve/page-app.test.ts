import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { documentWith, questionWith, resultWith } from '../../../test/audit-results.js'
import { printedBy } from '../../../test/printed-by.js'
import type { JobState } from '../../api/answers.js'
import { OverhearError } from '../../errors.js'
import { type PageOptions, pageApp } from './page-app.js'
import { runList } from './run-list.js'
import { uploads } from './uploads.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'overhear-app-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
const write = (path: string, value: unknown): void => {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), typeof value === 'string' ? value : JSON.stringify(value))
}
const document = () => documentWith([resultWith()], { questions: [questionWith({})] })

const started: unknown[] = []
const appWith = (over: Partial<PageOptions> = {}) => {
  started.length = 0
  const jobs = {
    start: (id: string, args: readonly string[]) => {
      started.push([id, args])
      return { id, state: 'waiting' } as JobState
    },
    stop: (id: string) => ({ id, state: 'stopped' }) as JobState,
    get: () => null,
    follow: () => () => {},
  } as unknown as PageOptions['jobs']
  return pageApp({ runs: runList(root, () => null), uploads: uploads(root), jobs, always: ['--x'], token: null, ...over }) // biome-ignore format: a line
}
const ask = async (path: string, init: RequestInit = {}, app = appWith()) => {
  const headers = { host: 'localhost', ...(init.headers as Record<string, string>) }
  const answer = await app.request(`http://localhost${path}`, { ...init, headers })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) }
}
const send = (path: string, value: unknown, method = 'POST') =>
  ask(path, {
    ...{ method, headers: { 'content-type': 'application/json' } },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  })

describe('the server of the page', () => {
  test('tells of runs that are there', async () => {
    write('a/audit.json', document())
    write('b/run.json', {})
    expect((await ask('/api/runs')).json().map(({ id }: { id: string }) => id).sort()).toEqual(['a', 'b'])
    expect((await ask('/api/runs/a')).json()).toMatchObject({ summary: { id: 'a' } })
    expect((await ask('/api/runs/a/questions')).json()).toMatchObject({ from: 0 })
    expect((await ask('/api/runs/a/audit.json')).json()).toEqual(JSON.parse(JSON.stringify(document())))
    expect((await ask('/api/compare?before=a&after=a')).status).toBe(200)
    expect((await ask('/api/compare?before=a&after=b')).status).toBe(400)
    expect((await ask('/api/describe')).json()).toHaveProperty('fields')
    const none = await ask('/api/runs/none')
    expect([none.status, none.json()]).toEqual([404, { error: 'there is no run "none"' }])
  }) // biome-ignore format: lines

  test('shows reports whole or without people, under a policy of their own', async () => {
    const exposed = { ids: ['ann-1987'], of: 9 }
    write('a/audit.json', documentWith([resultWith()], { questions: [questionWith({ level: 'leaks-records', exposed })] }))
    const [whole, redacted] = [await ask('/api/runs/a/report'), await ask('/api/runs/a/report?redact')]
    expect([whole.status, whole.text.includes('ann-1987'), redacted.text.includes('ann-1987')]).toEqual([200, true, false])
    expect(whole.headers.get('content-security-policy')).toBe("sandbox allow-scripts allow-downloads; frame-ancestors 'self'")
    expect((await ask('/api/runs/none/report.pdf')).status).toBe(404)
  }) // biome-ignore format: lines

  test('prints one PDF after the other, also after one that could not be printed', async () => {
    write('a/audit.json', document())
    const { PATH } = process.env
    process.env.PATH = root
    try {
      const app = appWith()
      const two = await Promise.all([1, 2].map(() => ask('/api/runs/a/report.pdf', {}, app)))
      expect(two.map(({ status }) => status)).toEqual([400, 429])
      expect(two[0]!.json().error).toMatch(/^no browser was found that prints PDF/)
      expect(two[1]!.json().error).toBe('another PDF is being printed; wait for its end')
      expect((await ask('/api/runs/a/report.pdf', {}, app)).status).toBe(400)
    } finally {
      process.env.PATH = PATH
    }
  })

  test('begins audits, goes on with them and stops them', async () => {
    const yaml = 'name: mine\ndata: { name: cps-wages, rows: 20 }\nmodels: [{ kind: linear }]\n'
    const begun = await send('/api/runs', { yaml })
    expect(begun.status).toBe(201)
    const { id } = begun.json() as JobState
    expect(started).toEqual([[id, [join(root, id, 'scenario.yaml'), '--out', join(root, id), '--x']]])
    const again = await send(`/api/runs/${id}/resume`, {})
    expect([again.status, started.length]).toEqual([201, 1])
    expect((started[0] as [string, string[]])[1]).toContain('--resume')
    expect((await send(`/api/runs/${id}/cancel`, {})).json()).toEqual({ id, state: 'stopped' })
  })

  test('reads texts and edits', async () => {
    expect((await send('/api/check', { yaml: 'models: 3' })).json()).toMatchObject({ values: { models: 3 } })
    const edits = [{ path: ['seed'], value: 4 }]
    expect((await send('/api/edit', { yaml: 'seed: 3\n', edits })).json()).toMatchObject({ yaml: 'seed: 4\n' })
  })

  test('keeps uploads', async () => {
    const put = (path: string, body: string) => ask(`/api/uploads/${path}`, { method: 'PUT', body })
    expect((await put('t.csv', 'age,wage\n31,2\n40,3\n')).status).toBe(201)
    expect((await put('run/rounds/0.json', '{}')).status).toBe(201)
    expect((await ask('/api/uploads')).json().sort()).toEqual(['run', 't.csv'])
    expect((await ask('/api/uploads/t.csv')).json()).toMatchObject({ kind: 'table', name: 't.csv', rows: 2 })
    expect((await ask('/api/uploads/t.csv', { method: 'DELETE' })).json()).toEqual({})
    expect((await ask('/api/uploads')).json()).toEqual(['run'])
  })

  test('tells of sweeps, the latest first, and of studies', async () => {
    const line = { format: 'overhear-trial/1', id: '0'.repeat(64), seed: 1, at: { x: 1 }, result: null, reason: 'r', took: { seconds: null, attempts: 1, worker: null } } // biome-ignore format: a line
    for (const [k, id] of ['c', 'a', 'b', 'late'].entries()) {
      write(`${id}/trials.jsonl`, `${JSON.stringify(line)}\n`)
      utimesSync(join(root, id, 'trials.jsonl'), k === 3 ? 2000 : 1000, k === 3 ? 2000 : 1000)
    }
    write('.hidden/trials.jsonl', '')
    write('none/x', '')
    write('file', '')
    mkdirSync(join(root, 'odd/trials.jsonl'), { recursive: true })
    const sweeps = (await ask('/api/sweeps')).json() as { id: string; changed: number; bytes: number }[]
    expect(sweeps.map(({ id }) => id)).toEqual(['late', 'a', 'b', 'c'])
    expect(sweeps[0]).toEqual({ id: 'late', changed: 2_000_000, bytes: JSON.stringify(line).length + 1 })
    const app = appWith()
    expect((await ask('/api/sweeps/a', {}, app)).json()).toMatchObject({ id: 'a', trials: 0, failed: 1, reasons: ['r'] })
    // What is read again is what stands there now.
    write('a/trials.jsonl', '{"torn\n{}\n')
    expect((await ask('/api/sweeps/a', {}, app)).json().error).toContain('line 1 is not JSON')
    write('a/trials.jsonl', `${JSON.stringify(line)}\n`)
    expect((await ask('/api/sweeps/a/columns', {}, app)).json()).toEqual({ drawn: 0, trials: 0, columns: [] })
    expect((await ask('/api/sweeps/a/multiples', {}, app)).json()).toEqual({ error: 'the sweep has no figure 0; there are 0' })
    expect((await ask('/api/sweeps/none')).json()).toEqual({ error: 'there is no sweep "none"' })
    expect((await ask('/api/studies')).status).toBe(200)
    expect((await ask('/api/studies/none')).json()).toEqual({ error: 'there is no study "none"' })
  }) // biome-ignore format: lines

  test('streams states of audits', async () => {
    write('b/run.json', {})
    const app = appWith()
    for (const path of ['/api/events', '/api/runs/b/events']) {
      const answer = await app.request(`http://localhost${path}`, { headers: { host: 'localhost' } })
      expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
      await answer.body!.cancel()
    }
  })
})

describe('what goes wrong', () => {
  test('is told with a number that says whose fault it is', async () => {
    expect(await ask('/nothing')).toMatchObject({ status: 404, text: '{"error":"there is nothing at /nothing"}' })
    const throwing = (error: Error) => {
      const list = (): never => {
        throw error
      }
      return printedBy(() => ask('/api/runs', {}, appWith({ runs: { root, list } as never })))
    }
    const bug = await throwing(new TypeError('x is undefined'))
    expect(bug.value).toMatchObject({ status: 500, text: '{"error":"a bug of ours; the terminal of the server says more"}' }) // biome-ignore format: a line
    expect(bug.err).toContain('x is undefined')
    for (const [code, status] of [
      ['E_INTERNAL', 500],
      ['E_WORK', 429],
      ['E_UNKNOWN_NAME', 404],
      ['E_INPUT', 400],
    ] as const) {
      // biome-ignore format: a line
      const { value, err } = await throwing(new OverhearError(code, 'words'))
      expect([value.status, value.json(), err]).toEqual([status, { error: 'words' }, ''])
    }
    expect((await throwing(Object.assign(new Error('x'), { code: 'ENOSPC' }))).value.status).toBe(400)
  })

  test('is what is no JSON, or too much of it', async () => {
    const plain = await ask('/api/check', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } })
    expect([plain.status, plain.json().error]).toEqual([400, 'the request is no JSON; send it as application/json'])
    expect((await send('/api/check', '{')).json().error).toMatch(/^the request is no JSON: /)
    const text = (length: number) => `{"yaml":"","x":"${'a'.repeat(length - 18)}"}`
    expect((await send('/api/check', text(2_000_001))).json().error).toBe('the request is longer than 2000000 characters')
    expect((await send('/api/check', text(2_000_000))).json().error).not.toContain('longer')
    expect((await send('/api/check', { yaml: 'name: é' })).json().values).toEqual({ name: 'é' })
  }) // biome-ignore format: lines

  test('is whoever comes from elsewhere', async () => {
    const foreign = await ask('/api/runs', { headers: { host: 'elsewhere.example' } })
    expect(foreign.status).toBe(403)
    expect((await ask('/bundle/a/../../package.json')).status).toBe(404)
    for (const path of ['/bundle/%2e%2e/x.js', '/bundle/x.txt', '/bundle/.x.js', '/bundle/none.js'])
      expect((await ask(path)).json()).toMatchObject({ error: expect.stringContaining('there is nothing at /') })
  })
})
