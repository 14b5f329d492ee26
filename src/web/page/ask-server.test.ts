import { afterEach, describe, expect, test } from 'vitest'
import * as server from './ask-server.js'

const { fetch, EventSource } = globalThis as { fetch: typeof globalThis.fetch; EventSource: unknown }
afterEach(() => void Object.assign(globalThis, { fetch, EventSource }))

/** What is asked for, answered with the same for everybody. */
function answering(value: unknown, ok = true) {
  const asked: [string, RequestInit | undefined][] = []
  globalThis.fetch = (async (path: string, init?: RequestInit) => {
    asked.push([path, init])
    return { ok, json: async () => value, blob: async () => 'a blob' }
  }) as never
  return asked
}

describe('the page asks', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['/api/describe', () => server.describe()],
    ['/api/runs', () => server.listRuns()],
    ['/api/runs/a%2Fb', () => server.readRun('a/b')],
    ['/api/runs/r/questions?from=5&find=a+b', () => server.readQuestions('r', { from: 5, find: 'a b' })],
    ['/api/runs/r/explore?', () => server.exploreRun('r', {})],
    ['/api/runs/r/explore/rounds?from=0', () => server.exploreTimeline('r', { from: 0, place: undefined as never })],
    ['/api/runs/r/explore/round?round=3', () => server.exploreRound('r', { round: 3 })],
    ['/api/runs/r/explore/client?client=0', () => server.exploreClient('r', { client: '0' })],
    ['/api/runs/r/explore/participation?', () => server.exploreParticipation('r', {})],
    ['/api/runs/r/explore/records?client=0', () => server.exploreRecords('r', { client: '0' })],
    ['/api/sweeps', () => server.listSweeps()],
    ['/api/sweeps/s%20', () => server.readSweep('s ')],
    ['/api/sweeps/s/columns?figures=0%2C1', () => server.sweepColumns('s', { figures: '0,1' })],
    ['/api/sweeps/s/multiples?x=1', () => server.sweepMultiples('s', { x: 1 })],
    ['/api/studies', () => server.listStudies()],
    ['/api/studies/a%3Fb', () => server.readStudy('a?b')],
    ['/api/uploads/t.csv', () => server.aboutUpload('t.csv')],
    ['/api/compare?before=a&after=b+c', () => server.compareRuns('a', 'b c')],
  ])('%s', async (path, ask) => {
    const asked = answering({ is: 'there' })
    expect(await ask()).toEqual({ is: 'there' })
    expect(asked).toEqual([[path, {}]])
  })

  test.each<[string, () => Promise<unknown>, unknown]>([
    ['/api/runs', () => server.startAudit({ yaml: 'a' }), { yaml: 'a' }],
    ['/api/runs/r/cancel', () => server.cancelAudit('r'), {}],
    ['/api/runs/r/resume', () => server.resumeAudit('r'), {}],
    ['/api/check', () => server.checkText({ yaml: '' }), { yaml: '' }],
    ['/api/edit', () => server.editText({ yaml: '', edits: [] }), { yaml: '', edits: [] }],
  ])('for something to be done at %s', async (path, ask, body) => {
    const asked = answering({})
    await ask()
    const headers = { 'content-type': 'application/json' }
    expect(asked).toEqual([[path, { method: 'POST', headers, body: JSON.stringify(body) }]])
  })

  test('for a file to be kept, by itself or in a folder', async () => {
    const asked = answering({})
    const file = new Blob(['x'])
    await server.upload('t.csv', file)
    await server.upload('run', file, ['a b', '0.json'])
    expect(asked).toEqual([
      ['/api/uploads/t.csv', { method: 'PUT', body: file }],
      ['/api/uploads/run/a%20b/0.json', { method: 'PUT', body: file }],
    ])
  })

  test('for a report, as an address or as a file', async () => {
    expect(server.reportPath('a b')).toBe('/api/runs/a%20b/report')
    const asked = answering({})
    expect(await server.reportPdf('r')).toBe('a blob')
    expect(asked[0]![0]).toBe('/api/runs/r/report.pdf')
  })
})

test('what goes wrong is what the server says, or that it says nothing', async () => {
  answering({ error: 'there is no run' }, false)
  await expect(server.readRun('r')).rejects.toThrow(/^there is no run$/)
  await expect(server.reportPdf('r')).rejects.toThrow(/^there is no run$/)
  globalThis.fetch = () => Promise.reject(new TypeError('failed'))
  await expect(server.listRuns()).rejects.toThrow('the server does not answer; is "overhear serve" still running?')
})

test('states of audits are followed until nobody listens', () => {
  const heard: unknown[] = []
  let [address, closed] = ['', 0]
  let say: (event: { data: string }) => void = () => {}
  class Source {
    constructor(path: string) {
      address = path
    }
    addEventListener(kind: string, take: typeof say) {
      expect(kind).toBe('job')
      say = take
    }
    close() {
      closed++
    }
  }
  Object.assign(globalThis, { EventSource: Source })
  const end = server.followJobs((job) => void heard.push(job))
  say({ data: '{"id":"a"}' })
  expect([address, heard, closed]).toEqual(['/api/events', [{ id: 'a' }], 0])
  end()
  expect(closed).toBe(1)
})
