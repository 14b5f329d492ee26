import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuditOptions, audit } from '../src/audit/audit.js'
import { memoryPorts } from '../src/audit/memory-ports.js'
import { readScenario } from '../src/audit/read-scenario.js'
import { reportHtml } from '../src/report/report-html.js'
import { simulate } from '../src/scenario/simulate.js'
import { memoryFolder } from '../src/transcript/memory-folder.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const scenario = readScenario({
  name: 'tiny',
  heldBack: 0,
  data: { name: 'cps-wages', rows: 60 },
  partition: { name: 'iid', params: { clients: 3 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 16, learningRate: 0.05, batchSize: 8 },
})
type Files = Map<string, Uint8Array>

/** Simulates into `sim/` of some files, or goes on there. */
async function run(files: Files, { repair = false } = {}): Promise<Files> {
  const { threads } = memoryPorts()
  const folder = (path: string) => memoryFolder(files, path === '' ? 'sim' : `sim/${path}`)
  await simulate(scenario, { ports: { folder, clients: threads.clients }, repair }).result
  return files
}
let whole: Files = new Map()
beforeAll(async () => {
  whole = await run(new Map())
})
const copy = (): Files => new Map([...whole].map(([path, bytes]) => [path, bytes.slice()]))
const round = (r: number): string => `sim/transcript/rounds/${String(r).padStart(6, '0')}.safetensors`
function flip(files: Files, path: string, at = -9): void {
  const bytes = files.get(path)!.slice()
  bytes[at < 0 ? bytes.length + at : at]! ^= 1
  files.set(path, bytes)
}

describe('a simulation that was damaged', () => {
  test('a changed byte and a round that is gone are noticed, and --repair makes the same bytes again', async () => {
    const files = copy()
    flip(files, round(13))
    await expect(run(files)).rejects.toThrow(
      /^round 13 \(rounds\/000013.safetensors\) was changed after it was recorded: .*--repair/,
    )
    files.delete(round(13))
    await expect(run(files)).rejects.toThrow(/000013.safetensors.*--repair/)
    expect(await run(files, { repair: true })).toEqual(whole)
  })

  test('a line of the list that is none is noticed, and --repair plays from there', async () => {
    const files = copy()
    const list = 'sim/transcript/rounds.jsonl'
    const lines = new TextDecoder().decode(files.get(list)).split('\n')
    lines[10] = '{"round":10,'
    files.set(list, new TextEncoder().encode(lines.join('\n')))
    await expect(run(files)).rejects.toThrow('line 11')
    expect(await run(files, { repair: true })).toEqual(whole)
  })

  test.each(['cut off', 'changed'])('a checkpoint that is %s is passed over for the one that is whole', async (how) => {
    const names = [...whole.keys()].filter((path) => path.startsWith('sim/checkpoints/'))
    expect(names.length).toBe(2)
    for (const hit of [[names[0]!], [names[1]!], names]) {
      const files = copy()
      for (const path of hit) {
        if (how === 'changed') flip(files, path)
        else files.set(path, files.get(path)!.slice(0, -20))
      }
      await run(files)
      const recorded = (all: Files) => [...all].filter(([path]) => !path.startsWith('sim/checkpoints/'))
      expect(recorded(files)).toEqual(recorded(whole))
    }
  })
})

/** Audits the recording in `sim/`. */
function listen(files: Files, options: Partial<AuditOptions> = {}) {
  const paths = { transcript: 'sim/transcript', knowledge: 'sim/knowledge.json', truth: 'sim/truth' }
  return audit(paths, { ports: memoryPorts({ files }), observers: ['eavesdropper'], ...options }).result
}

describe('an audit of a recording, taken up again', () => {
  const files: Files = new Map()
  beforeAll(async () => {
    for (const [path, bytes] of whole) files.set(path, bytes)
    // As somebody else records: without digests.
    const list = 'sim/transcript/rounds.jsonl'
    const text = new TextDecoder().decode(files.get(list)).replaceAll(/,"sha256":"\w+"/g, '')
    expect(text).not.toContain('sha256')
    files.set(list, new TextEncoder().encode(text))
    await listen(files, { report: reportHtml })
  })
  const results = () => [...files.keys()].find((path) => path.endsWith('results.jsonl'))!

  test('a changed round is used by no attack', async () => {
    const damaged = copy()
    flip(damaged, round(2))
    await expect(listen(damaged)).rejects.toThrow('rounds/000002.safetensors was changed after it was recorded')
  })

  test('says what was changed of the recording, the knowledge or the truth, in place of results of before', async () => {
    const before = files.get(results())
    await listen(files, { resume: true })
    expect(files.get(results())).toEqual(before)
    const table = [...files.keys()].find((path) => /^sim\/truth\/.*csv$/.test(path))!
    const changes = { 'sim/knowledge.json': 'knowledge/knowledge.json', [table]: table.slice(4) }
    for (const [path, name] of Object.entries({ ...changes, [round(1)]: round(1).slice(4) })) {
      const old = files.get(path)!
      if (path.endsWith('json')) files.set(path, Uint8Array.from([...old, 0x20]))
      else flip(files, path, path.endsWith('csv') ? -2 : -3)
      await expect(listen(files, { resume: true })).rejects.toThrow(
        new RegExp(`another recording .*: ${name} was changed; begin again without --resume`),
      )
      files.set(path, old)
    }
    await listen(files, { resume: true })
    flip(files, round(1), -3)
    // Begun anew it is another audit, with results of its own.
    await listen(files)
    await listen(files, { resume: true })
    expect(files.get(results())).not.toEqual(before)
  })

  test('a line of results that is none is refused, and passed over by --repair', async () => {
    const before = new TextDecoder().decode(files.get(results()))
    const put = (text: string) => files.set(results(), new TextEncoder().encode(text))
    const evil = '<script>alert(1)</script>'
    const tampered = before.replace(/"status":"(passed|none|broken|failed)"/, `"status":"${evil}"`)
    expect(tampered).toContain(evil)
    for (const [text, why] of [
      [`{"format":"overhear-re\n${before}`, 'line 1 is not JSON'],
      [tampered, 'controls.planted.status is "<script>'],
      [before.replace('"better":"higher"', `"better":"${evil}"`), 'better is "<script>'],
      [before.replace('"observer":"', '"observer":{"a":1},"was":"'), 'observer is an object'],
    ] as const) {
      put(text)
      await expect(listen(files, { resume: true })).rejects.toThrow(why)
      await expect(listen(files, { resume: true })).rejects.toThrow('give --repair')
    }
    put(tampered)
    const document = await listen(files, { repair: true, report: reportHtml })
    expect(JSON.stringify(document)).not.toContain('<script')
    expect(new TextDecoder().decode(files.get(results()))).not.toContain('<script')
  })
})

describe('two at once', () => {
  const work = mkdtempSync(join(tmpdir(), 'overhear-two-'))
  afterAll(() => rmSync(work, { recursive: true, force: true }))

  test('the second simulation into a folder is refused by name; once the first is dead it goes on', async () => {
    const out = join(work, 'shared')
    mkdirSync(out)
    const program = `
      import { lockFolder } from 'overhear/node'
      lockFolder(${JSON.stringify(out)})
      console.log('held')
      setTimeout(() => {}, 1e6)`
    const first = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: root })
    await new Promise((resolve) => first.stdout.once('data', resolve))
    const args = ['bin/overhear.mjs', 'simulate', 'test/scenarios/small.yaml', '--out', out, '--quiet']
    const second = () => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    const { status, stderr } = second()
    expect(status).toBe(2)
    expect(stderr).toContain(`${out} is in use by process ${first.pid} on `)
    expect(readdirSync(out)).toEqual(['run.lock'])
    const ended = new Promise((resolve) => first.on('close', resolve))
    first.kill('SIGKILL')
    await ended
    expect(second()).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(out)).not.toContain('run.lock')
  })
})
