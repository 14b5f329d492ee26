import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AttackResult } from '../src/audit/attack-result.js'
import type { AuditDocument } from '../src/audit/document.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const small = 'test/scenarios/small.yaml'
const start = ['bin/overhear.mjs']

let work = ''
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'overhear-audit-'))
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

function overhear(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...start, ...args], { cwd: root, encoding: 'utf8' })
  return { stdout, stderr, status }
}

/** Everything but times and places. */
function facts(json: string): unknown {
  const { report: _, ...audit } = JSON.parse(json) as AuditDocument
  return JSON.parse(JSON.stringify(audit, (key, value) => (key === 'millis' ? 0 : value)))
}
const resultsOf = (json: string): AttackResult[] =>
  (JSON.parse(json) as AuditDocument).observers.flatMap(({ attacks }) => attacks)

function filesBelow(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (statSync(path).isFile()) found.set(relative(folder, path), readFileSync(path).toString('base64'))
  }
  return found
}

describe('an audit', () => {
  let out = ''
  let whole = ''
  beforeAll(() => {
    out = join(work, 'whole')
    const files = ['--sarif', join(work, 'found.sarif'), '--junit', join(work, 'found.xml')]
    const { stdout, stderr, status } = overhear('audit', small, '--out', out, '--json', '--workers', '2', ...files)
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    whole = stdout
  })

  test('prints one JSON document with a verdict, and writes a report that stands alone', () => {
    const audit = JSON.parse(whole) as AuditDocument
    expect(Object.keys(audit)).toEqual(
      expect.arrayContaining([
        'scenario',
        'hash',
        'questions',
        'observers',
        'verdict',
        'utility',
        'report',
        'versions',
      ]),
    )
    expect(audit.observers.map(({ observer }) => observer)).toEqual([
      'participant',
      'eavesdropper',
      'secagg-server',
      'malicious-secagg-server',
      'server',
      'malicious-server',
    ])
    expect(Object.keys(audit.verdict)).toEqual(
      expect.arrayContaining(['level', 'sentences', 'tested', 'notTested', 'advice']),
    )
    const attribute = resultsOf(whole).find(({ attack, status }) => attack === 'aia-model' && status === 'claimed')!
    expect(attribute).toMatchObject({
      observer: 'eavesdropper',
      findings: [{ score: { metric: 'auc', guesser: expect.any(String) } }],
    })
    expect(attribute.controls).toMatchObject({ planted: { status: 'passed' } })
    const report = readFileSync(join(out, 'report.html'), 'utf8')
    expect(report).toContain('<svg')
    expect(report).not.toMatch(/src=|href="[^#]/)
  })

  test('writes SARIF and JUnit of the same questions, at the scenario, and a folder for its owner alone', () => {
    const { questions } = JSON.parse(whole) as AuditDocument
    const own = questions.filter(({ sameAs }) => sameAs === undefined)
    const sarif = JSON.parse(readFileSync(join(work, 'found.sarif'), 'utf8'))
    expect(sarif.version).toBe('2.1.0')
    const [{ results, tool }] = sarif.runs
    expect(results).toHaveLength(own.length)
    const alarms = own.filter(({ level }) => level.startsWith('leaks'))
    expect(results.filter(({ level }: { level: string }) => level === 'error')).toHaveLength(alarms.length)
    expect(own.length).toBeGreaterThan(0)
    for (const { locations, ruleIndex, ruleId } of results) {
      expect(locations[0].physicalLocation.artifactLocation.uri).toBe(small)
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
    }
    const junit = readFileSync(join(work, 'found.xml'), 'utf8')
    expect(junit).toContain(`<testsuites name="overhear audit" tests="${own.length}" failures="${alarms.length}"`)
    expect(statSync(out).mode & 0o077).toBe(0)
  })

  test('has the same bits with another number of workers, and other bits with another seed', () => {
    const one = overhear('audit', small, '--out', join(work, 'one'), '--json', '--workers', '1', '--quiet')
    expect(one).toMatchObject({ status: 0, stderr: '' })
    expect(facts(one.stdout)).toEqual(facts(whole))
    const other = overhear('audit', small, '--out', join(work, 'other'), '--json', '--seed', '2', '--quiet', '--redact')
    // Who is exposed is neither printed nor in the report; the folder keeps it for its owner.
    const kept = JSON.parse(readFileSync(join(work, 'other', 'audit.json'), 'utf8')) as AuditDocument
    expect(
      kept.observers
        .flatMap(({ attacks }) => attacks)
        .some(({ findings }) => findings.some(({ score }) => score?.perRecord)),
    ).toBe(true)
    expect(other.stdout).not.toContain('"perRecord"')
    expect(readFileSync(join(work, 'other', 'report.html'), 'utf8')).not.toContain('found against false alarms')
    expect(facts(JSON.stringify(kept))).not.toEqual(facts(whole))
  })

  test('gives the same bits as `simulate` and then `attack` on the files', () => {
    const run = join(work, 'simulated')
    expect(overhear('simulate', small, '--out', run, '--quiet').status).toBe(0)
    const files = [
      '--transcript',
      `${run}/transcript`,
      '--truth',
      `${run}/truth`,
      '--knowledge',
      `${run}/knowledge.json`,
    ]
    const { stdout, status } = overhear(
      'attack',
      'aia-model',
      ...files,
      '--set',
      'prior=frequency',
      '--json',
      '--quiet',
    )
    expect(status).toBe(0)
    const inside = resultsOf(whole).find(
      (one) => one.attack === 'aia-model' && one.status === 'claimed' && one.target === '0',
    )!
    const again = JSON.parse(stdout) as AttackResult
    expect(again.findings).toEqual(inside.findings)
    expect(again).toMatchObject({ attack: 'aia-model', status: 'claimed', oracle: false, observer: 'eavesdropper' })
    // Without knowledge no target is named: every client is attacked, and of none the records are known.
    const without = overhear('attack', 'aia-model', ...files.slice(0, 2), '--json', '--quiet')
    const each = JSON.parse(without.stdout) as AttackResult[]
    expect(each.map(({ target }) => target)).toEqual(['0', '1', '2', '3'])
    for (const one of each) {
      expect(one).toMatchObject({ status: 'not-applicable', missing: expect.arrayContaining(['records']) })
    }
  })

  test('fails by a rule that was not tested with exit code 3, and says why; unless that is allowed', () => {
    // An eavesdropper's attacks are granted no sums: nothing about properties is asked of it.
    const rule = ['audit', small, '--observer', 'eavesdropper', '--quiet', '--fail-on', 'property.client>0.9']
    const { status, stderr } = overhear(...rule, '--out', join(work, 'rule'))
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: 'overhear: --fail-on property.client>0.9: not tested, it matches no question of this audit\n',
    })
    const allowed = overhear(...rule, '--allow-untested', '--out', join(work, 'allowed'))
    expect(allowed).toMatchObject({ status: 0, stderr })
    expect(overhear('audit', small, '--fail-on', 'nothing.record>1')).toMatchObject({ status: 2 })
    expect(overhear('audit', small, '--fail-on', 'aia.lift>0.1').stderr).toContain('such as attribute.record>0.05')
  })

  test('is incomplete with exit code 4 where an attack ran out of time', () => {
    const late = [small, '--observer', 'eavesdropper', '--set', 'secondsPerAttack=1e-6', '--quiet']
    const { status, stderr } = overhear('audit', ...late, '--out', join(work, 'late'))
    expect(stderr).toMatch(/^overhear: incomplete: [a-z-]+ ran out of time$/m)
    expect(status).toBe(4)
    expect(overhear('audit', ...late, '--out', join(work, 'late-2'), '--allow-untested').status).toBe(0)
    const ruled = [...late, '--out', join(work, 'late-3'), '--fail-on', 'aia.record>0.9']
    expect(overhear('audit', ...ruled)).toMatchObject({ status: 3, stderr: expect.stringContaining('not tested') })
  })

  test('knows no --seeds any more, and says what there is instead', () => {
    expect(overhear('audit', small, '--seeds', '5')).toMatchObject({
      status: 2,
      stderr: 'overhear: --seeds was given; an audit trains --repeats N times, and judges all of them\n',
    })
    const recorded = overhear('audit', '--transcript', 'x', '--repeats', '3')
    expect(recorded).toMatchObject({ status: 2, stderr: expect.stringContaining('a recording is one training') })
    expect(overhear('audit', small, '--repeats', '0')).toMatchObject({ status: 2 })
  })

  test('cut off half-way it resumes, and finished results are not computed again', () => {
    const cut = join(work, 'cut')
    expect(overhear('audit', small, '--out', cut, '--quiet').status).toBe(0)
    const log = join(cut, 'results.jsonl')
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
    // Lines come in any order: answers to questions, and what was planted, are in no table of attacks.
    const inTheTable = ({ ladder, plant }: AttackResult) => ladder === undefined && plant === undefined
    const read = (line: string) => (JSON.parse(line) as { result?: AttackResult }).result
    const [torn, ...finished] = lines.filter((line) => read(line) !== undefined && inTheTable(read(line)!))
    // A finished result is recognised by a mark that no run would leave; the last line is torn.
    const marked = finished.slice(0, 3).map((line) => line.replace(/"millis":\d+/, '"millis":987654321'))
    writeFileSync(log, `${marked.join('\n')}\n${torn!.slice(0, 40)}`)
    const { stdout, status } = overhear('audit', small, '--out', cut, '--json', '--resume', '--quiet')
    expect(status).toBe(0)
    expect(facts(stdout)).toEqual(facts(whole))
    const kept = new Set(marked.map((line) => read(line)!.attack))
    expect(kept.size).toBeGreaterThan(0)
    const shown = resultsOf(stdout).filter(({ millis }) => millis === 987654321)
    expect(new Set(shown.map(({ attack }) => attack))).toEqual(kept)
  })

  test('a folder of another scenario, or of another version, is left alone', () => {
    expect(overhear('audit', small, '--seed', '9', '--out', out).stderr).toContain('the audit of another scenario')
    const old = join(work, 'old')
    mkdirSync(old)
    const run = readFileSync(join(out, 'run.json'), 'utf8').replace(/"kernels": "/, '$&0')
    writeFileSync(join(old, 'run.json'), run)
    expect(overhear('audit', small, '--out', old)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('an audit by another version of overhear'),
    })
  })

  test('a recording is audited like a simulation', () => {
    const files = ['--transcript', join(out, 'transcript'), '--knowledge', join(out, 'knowledge.json')]
    const rest = ['--observer', 'server', '--json', '--quiet']
    const { stdout, status } = overhear('audit', ...files, '--out', join(work, 'recording'), ...rest)
    expect(status).toBe(0)
    const result = resultsOf(stdout).find(({ attack, status: s }) => attack === 'aia-model' && s === 'claimed')!
    expect(result.findings).toMatchObject([{ score: null }])
    const alone = overhear('audit', ...files.slice(0, 2), '--out', join(work, 'alone'), ...rest)
    const aimed = resultsOf(alone.stdout).find(
      ({ attack, observer }) => attack === 'aia-model' && observer === 'server',
    )
    expect(aimed).toMatchObject({ status: 'not-applicable', target: '0', missing: expect.arrayContaining(['records']) })
    const other = ['--out', join(work, 'recording')]
    expect(overhear('audit', '--transcript', '/nowhere', ...other).stderr).toContain('/nowhere: there is no such file')
  })
})

test('pictures that one step gave away stand in the report beside the true ones', () => {
  const out = join(work, 'pictures')
  const once = ['--workers', '1', '--repeats', '1', '--set', 'heldBack=0', '--set', 'controls=false']
  const { stdout, status } = overhear('audit', 'scenarios/pictures.yaml', '--out', out, '--json', ...once)
  expect(status).toBe(0)
  const results = resultsOf(stdout)
  expect(results.map(({ attack, findings }) => [attack, findings[0]!.score!.lift! > 0.95])).toEqual(
    ['dlg', 'idlg', 'llg-star', 'ilrg'].map((attack) => [attack, true]),
  )
  const { rebuilt } = results[0]!.findings[0]!
  expect(rebuilt).toMatchObject({ shape: [1, 16, 16] })
  expect(rebuilt!.pairs).toHaveLength(2)
  expect([...readFileSync(join(out, 'report.html'), 'utf8').matchAll(/<image /g)]).toHaveLength(4)
})

test('sums alone give clients away, and the report says after how many rounds', () => {
  const out = join(work, 'secure-sums')
  const one = ['--set', 'heldBack=0', '--set', 'attacks=["property-posterior"]']
  const only = ['--observer', 'secagg-server', ...one, '--out', out, '--json']
  const { stdout, status } = overhear('audit', 'scenarios/secure-sums.yaml', ...only)
  expect(status).toBe(0)
  const found = resultsOf(stdout).find(({ attack }) => attack === 'property-posterior')!
  expect(found).toMatchObject({
    findings: [{ score: { metric: 'F1', value: 1 } }],
    controls: { planted: { status: 'passed' } },
  })
  const { claim } = found.findings[0]!
  if (claim.kind !== 'property') throw new Error(`a claim of ${claim.kind}`)
  expect(Object.keys(claim.exposure!.exposedAt)).toEqual(expect.arrayContaining(['3', '8']))
  const report = readFileSync(join(out, 'report.html'), 'utf8')
  for (const id of ['3', '8']) expect(report).toContain(`client ${id} after round `)
  // No update of a client was ever written down.
  const rounds = readdirSync(join(out, 'transcript', 'rounds'))
  expect(rounds).toHaveLength(50)
  for (const name of rounds) {
    expect(readFileSync(join(out, 'transcript', 'rounds', name), 'latin1').slice(0, 4000)).not.toContain('client/')
  }
})

test('training that diverges is an error that says so, and no accuracy', () => {
  const path = join(work, 'diverging.yaml')
  writeFileSync(path, readFileSync(join(root, small), 'utf8').replace('learningRate: 0.05', 'learningRate: 1000'))
  const { status, stdout, stderr } = overhear('audit', path, '--out', join(work, 'diverged'), '--quiet')
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/round \d+.*client "\d".*learning rate \(?1000/)
})

test.each([
  ['dta: {}', /unknown key dta.*did you mean "data"/],
  ['data: { name: cps-wage }', /unknown dataset: "cps-wage" \(did you mean "cps-wages"\?\)/],
  ['models: []', /models is a list of 0; allowed: at least 1 long/],
  ['training: { rounds: -1 }', /training.rounds is -1; allowed: a number from 0/],
  ['attacks: [aia-modle]', /unknown attack: "aia-modle" \(did you mean "aia-model"\?\)/],
  ['observers: [server, god]', /unknown observer: "god"/],
  ['knowledge: { targets: ["9"] }', /knowledge.targets holds "9"; clients: 0, 1, 2, 3/],
  ['data: [', /not YAML/],
])('a scenario with %s is refused with what is allowed', (line, message) => {
  const key = line.slice(0, line.indexOf(':'))
  const text = readFileSync(join(root, small), 'utf8').replace(new RegExp(`^${key}:.*\n`, 'm'), '')
  const path = join(work, 'wrong.yaml')
  writeFileSync(path, `${text}${line}\n`)
  const { status, stderr } = overhear('audit', path, '--out', join(work, 'wrong'), '--quiet')
  expect(stderr).toMatch(message)
  expect(status).toBe(2)
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends an audit cleanly: exit code 130', async (signal) => {
  const long = join(work, 'long.yaml')
  writeFileSync(long, readFileSync(join(root, small), 'utf8').replace('rounds: 12', 'rounds: 100000'))
  const child = spawn(process.execPath, [...start, 'audit', long, '--out', join(work, signal)], { cwd: root })
  await new Promise<void>((resolve) => child.stderr.once('data', () => resolve()))
  child.kill(signal)
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130)
})

test('a simulation killed eight times and resumed leaves the bytes of one that was not', async () => {
  const path = join(work, 'killed.yaml')
  writeFileSync(path, readFileSync(join(root, small), 'utf8').replace('rounds: 12', 'rounds: 400'))
  const [calm, killed] = [join(work, 'calm'), join(work, 'killed')]
  expect(overhear('simulate', path, '--out', calm, '--quiet').status).toBe(0)
  let kills = 0
  for (let i = 0; kills < 8 && i < 40; i++) {
    const child = spawn(process.execPath, [...start, 'simulate', path, '--out', killed, '--resume', '--quiet'], {
      cwd: root,
    })
    const closed = new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_, signal) => resolve(signal)))
    const running = new Promise<void>((resolve) => child.once('spawn', resolve))
    await running
    const ms = 150 + ((i * 7919) % 600)
    const timer = setTimeout(() => child.kill('SIGKILL'), ms)
    if ((await closed) === 'SIGKILL') kills++
    clearTimeout(timer)
  }
  expect(overhear('simulate', path, '--out', killed, '--resume', '--quiet').status).toBe(0)
  const [a, b] = [filesBelow(calm), filesBelow(killed)].map((files) => {
    for (const name of files.keys()) if (name.startsWith('checkpoints') || name.endsWith('.tmp')) files.delete(name)
    return files
  })
  expect(kills).toBe(8)
  expect([...b!.keys()].sort()).toEqual([...a!.keys()].sort())
  expect(b).toEqual(a)
})
