import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { captured as run } from './captured-command.js'
import { faulty } from './lint-corpus.js'
import { sarifSchema } from './sarif-schema.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-lint-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

const scenario = join(folder, 'leaky.yaml')
writeFileSync(
  scenario,
  `data: { name: cps-wages }
partition: { name: iid, params: { clients: 3 } }
models: [{ kind: linear }]
heldBack: 0
training:
  rounds: 20
  batchSize: null
defences:
  - name: dp-sgd
    params:
      noiseMultiplier: 0
      delta: 0.05
`,
)

interface Sarif {
  runs: {
    tool: { driver: { rules: { id: string; properties: Record<string, unknown> }[] } }
    results: {
      ruleId: string
      ruleIndex: number
      level: string
      partialFingerprints: Record<string, string>
      locations: { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[]
    }[]
  }[]
}

describe('overhear lint', () => {
  test('a scenario: findings at their lines, and exit code 3', async () => {
    const { code, out } = await run('lint', scenario, '--json')
    expect(code).toBe(3)
    const { findings } = JSON.parse(out) as {
      findings: { code: string; line: number; fix: string; evidence: string }[]
    }
    expect(findings.map(({ code: rule, line }) => [rule, line])).toEqual([
      ['OH108', 11],
      ['OH302', 6],
      ['OH107', 12],
      ['OH304', 4],
    ])
  })

  test('as text, with rules left out: no error is left', async () => {
    const { code, out } = await run('lint', scenario, '--disable', 'OH108', '--disable', 'linear-model-solved')
    expect(code).toBe(0)
    expect(out).toMatch(/leaky\.yaml:12: warning OH107 delta-above-one-over-n: .*\n {2}found: delta is 0.05/)
    expect(out).toMatch(/0 errors, 2 warnings$/)
    expect((await run('lint', scenario, '--disable', 'OH999')).err).toContain('OH999 is no rule; known: OH101')
  })

  test('recordings: SARIF that the schema accepts, with a place for every result', async () => {
    const schema = sarifSchema()
    for (const code of ['OH103', 'OH205', 'OH301']) {
      const one = faulty.find((other) => other.code === code)!
      const place = join(folder, code)
      mkdirSync(place)
      writeFileSync(join(place, 'transcript.json'), JSON.stringify(one.manifest, null, 1))
      const file = join(place, 'out.sarif')
      await run('lint', place, '--sarif', file, '--junit', join(place, 'out.xml'))
      const log = JSON.parse(readFileSync(file, 'utf8')) as Sarif
      const read = schema.safeParse(log)
      expect(read.error?.issues ?? []).toEqual([])
      const [{ tool, results }] = log.runs as [Sarif['runs'][number]]
      expect(results.map(({ ruleId }) => ruleId)).toContain(code)
      const lines = readFileSync(join(place, 'transcript.json'), 'utf8').split('\n')
      for (const { ruleId, ruleIndex, locations, partialFingerprints } of results) {
        expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId)
        const { region, artifactLocation } = locations[0]!.physicalLocation
        expect(artifactLocation.uri).toMatch(/transcript\.json$/)
        expect(region.startLine).toBeGreaterThan(1)
        expect(region.startLine).toBeLessThanOrEqual(lines.length)
        expect(Object.values(partialFingerprints)[0]).toContain(ruleId)
      }
      for (const { properties } of tool.driver.rules) expect(Number(properties['security-severity'])).toBeGreaterThan(0)
      const xml = readFileSync(join(place, 'out.xml'), 'utf8')
      expect(xml).toMatch(new RegExp(`name="${code} [^"]*"[^>]*>\\n\\s*<failure`))
      expect(xml.match(/<testcase/g)).toHaveLength(tool.driver.rules.length)
    }
    const line = (text: string, key: string): number => text.split('\n').findIndex((one) => one.includes(key)) + 1
    const text = readFileSync(join(folder, 'OH103', 'transcript.json'), 'utf8')
    const { out } = await run('lint', join(folder, 'OH103'))
    expect(out).toContain(`transcript.json:${line(text, '"noiseStd"')}: error OH103`)
  })

  test('the schema refuses what is no SARIF', () => {
    const schema = sarifSchema()
    expect(schema.safeParse({ version: '2.1.0', runs: [{ results: [] }] }).success).toBe(false)
    expect(schema.safeParse({ version: '2.1.0', runs: [] }).success).toBe(true)
  })

  test('nothing to read, or nothing there', async () => {
    expect((await run('lint')).err).toContain('lint what?')
    expect((await run('lint', join(folder, 'none.yaml'))).code).toBe(2)
  })
})
