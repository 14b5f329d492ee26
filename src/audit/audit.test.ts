import { describe, expect, test } from 'vitest'
import { reportHtml } from '../report/report-html.js'
import type { ScenarioInput } from '../scenario/scenario-schema.js'
import { type AuditEvent, type AuditOptions, type AuditSubject, audit } from './audit.js'
import { memoryPorts } from './memory-ports.js'

const scenario: ScenarioInput = {
  name: 'tiny',
  heldBack: 0,
  data: { name: 'cps-wages', rows: 60 },
  partition: { name: 'iid', params: { clients: 3 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 12, learningRate: 0.05, batchSize: null },
  attacks: ['last-returned', 'aia-model', 'lmra-active-echo'],
  observers: ['eavesdropper', 'malicious-server'],
  controls: false,
}

/** Runs an audit in memory: its events, its document and the files it left. */
async function run(
  subject: AuditSubject = scenario,
  options: Partial<AuditOptions> = {},
  files = new Map<string, Uint8Array>(),
) {
  const events: AuditEvent[] = []
  const work = audit(subject, { ports: memoryPorts({ files }), ...options })
  for await (const event of work) events.push(event)
  return { events, document: await work.result, files }
}
const text = (files: ReadonlyMap<string, Uint8Array>, end: string): string => {
  const path = [...files.keys()].find((one) => one.endsWith(end))!
  return new TextDecoder().decode(files.get(path))
}
/** What does not depend on the clock. */
const timeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === 'millis' || key === 'report' ? undefined : one)))

describe('an audit of a scenario', () => {
  test('tells of every round, the training and every attack, and ends in a document', async () => {
    const { events, document } = await run()
    const kinds = (kind: AuditEvent['kind']) => events.filter((event) => event.kind === kind)
    expect(kinds('round').map((event) => event.kind === 'round' && event.round)).toEqual(
      Array.from({ length: 12 }, (_, i) => i + 1),
    )
    expect(kinds('trained')).toEqual([{ kind: 'trained', model: 'linear', utility: document.utility.linear }])
    const attacked = events.flatMap((event) => (event.kind === 'attacked' ? [event] : []))
    expect(attacked.map(({ done }) => done)).toEqual(attacked.map((_, i) => i + 1))
    expect(attacked.every(({ total }) => total === attacked.length)).toBe(true)
    expect(document.observers.map(({ observer }) => observer)).toEqual(['eavesdropper', 'malicious-server'])
    expect(document.complete).toBe(true)
    const echo = document.observers[1]!.attacks.find(({ attack }) => attack === 'lmra-active-echo')
    expect(echo?.status).toBe('claimed')
  })

  test('leaves scenario, results and document in the run, and a report where one is wanted', async () => {
    const { document, files } = await run(scenario, { report: reportHtml })
    const names = [...files.keys()].map((path) => path.slice(path.indexOf('/') + 1))
    expect(names).toEqual(
      expect.arrayContaining(['run.json', 'scenario.json', 'results.jsonl', 'audit.json', 'report.html']),
    )
    expect(JSON.parse(text(files, '/audit.json'))).toEqual(JSON.parse(JSON.stringify(document)))
    expect(text(files, '/report.html')).toBe(reportHtml(document))
    expect(document.report).toMatch(/^tiny-[0-9a-f]{12}\/report\.html$/)
    expect((await run()).document.report).toBeNull()
  })

  test('gives the same figures again, and other ones for another seed', async () => {
    const [one, again, other] = [await run(), await run(), await run({ ...scenario, seed: 2 })]
    expect(timeless(again.document)).toEqual(timeless(one.document))
    expect(timeless(other.document.observers)).not.toEqual(timeless(one.document.observers))
  })

  test('takes up what was finished when told to, and forgets it otherwise', async () => {
    const { files } = await run()
    const before = text(files, '/results.jsonl')
    const resumed = await run(scenario, { resume: true }, files)
    expect(text(files, '/results.jsonl')).toBe(before)
    expect(resumed.document.complete).toBe(true)
    await run(scenario, {}, files)
    expect(text(files, '/results.jsonl').split('\n')).toHaveLength(before.split('\n').length)
  })

  test('of several repeats trains as often, with and without the target, and asks about both halves', async () => {
    const { document, events } = await run({ ...scenario, heldBack: 0.5 }, { repeats: 3 })
    expect(Object.keys(document.utility)).toEqual(['linear'])
    expect(events.filter(({ kind }) => kind === 'trained')).toHaveLength(6)
    expect(document.questions.length).toBeGreaterThan(0)
  })

  test('refuses a scenario that is wrong, and an observer that there is not', async () => {
    await expect(run({ ...scenario, data: { name: 'cps-wage' } })).rejects.toThrow('did you mean "cps-wages"')
    await expect(run({ ...scenario, observers: ['sever'] })).rejects.toThrow('did you mean "server"')
    await expect(run(scenario, { observers: ['sever'] })).rejects.toThrow('did you mean "server"')
  })

  test('refuses the folder of another scenario', async () => {
    const { files } = await run()
    const ports = memoryPorts({ files })
    const name = [...files.keys()][0]!.split('/')[0]!
    const here = { ...ports, files: { ...ports.files, run: () => ports.files.run(name) } }
    const other = audit({ ...scenario, seed: 9 }, { ports: here })
    await expect(other.result).rejects.toThrow('holds the audit of another scenario')
    const newer = audit(scenario, { ports: { ...here, versions: { overhear: '9.9.9' } } })
    await expect(newer.result).rejects.toThrow('by another version of overhear')
  })
})

describe('an audit that is stopped', () => {
  test('while it trains fails as interrupted', async () => {
    const stop = new AbortController()
    stop.abort()
    await expect(run(scenario, { signal: stop.signal })).rejects.toMatchObject({ code: 'E_INTERRUPTED' })
  })

  test('while it attacks keeps what is finished, says so, and is taken up', async () => {
    const stop = new AbortController()
    const files = new Map<string, Uint8Array>()
    const work = audit(scenario, { ports: memoryPorts({ files }), signal: stop.signal })
    for await (const event of work) if (event.kind === 'attacked') stop.abort()
    const cut = await work.result
    expect(cut.complete).toBe(false)
    const lines = text(files, '/results.jsonl').trimEnd().split('\n')
    expect(cut.observers.flatMap(({ attacks }) => attacks.filter((one) => one.sameAs === undefined))).toHaveLength(
      lines.length,
    )
    const whole = await run(scenario, { resume: true }, files)
    expect(text(files, '/results.jsonl').startsWith(`${lines.join('\n')}\n`)).toBe(true)
    expect(timeless(whole.document)).toEqual(timeless((await run()).document))
  })
})

test('an audit of a recording has the figures of the simulation that it was made by', async () => {
  const { document, files } = await run()
  const folder = [...files.keys()][0]!.split('/')[0]!
  const paths = { transcript: `${folder}/transcript`, knowledge: `${folder}/knowledge.json`, truth: `${folder}/truth` }
  const { document: recorded } = await run(paths, { observers: ['eavesdropper'] }, files)
  expect(recorded.scenario).toBeNull()
  const figures = ({ observers }: typeof document) =>
    observers[0]!.attacks.filter(({ attack }) => attack === 'last-returned').map(({ findings }) => findings)
  expect(figures(recorded)).toEqual(figures(document))
  await expect(run({ transcript: 'none' })).rejects.toThrow('none: there is no such file or folder')
})
