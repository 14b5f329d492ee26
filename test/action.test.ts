/** action.yml: every input is used and none becomes a part of a script; whatever did not end well fails the job. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const text = readFileSync(join(root, 'action.yml'), 'utf8')

interface Step {
  readonly name: string
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly shell?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}
const action = parse(text) as {
  readonly inputs: Readonly<Record<string, { description: string; default: string }>>
  readonly outputs: Readonly<Record<string, { value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}
const { steps } = action.runs
const step = (name: string): Step => steps.find((one) => one.name === name)!

describe.skipIf(process.platform === 'win32')('the action', () => {
  const work = mkdtempSync(join(tmpdir(), 'overhear-action-'))
  afterAll(() => rmSync(work, { recursive: true, force: true }))

  /** Runs a step as the runner does, with inputs as given, and tells its exit code and outputs. */
  function ran(name: string, env: Readonly<Record<string, string>>) {
    const output = join(work, `${name}-${Object.values(env).join('-').replaceAll(/\W/g, '')}`)
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', step(name).run!], {
      cwd: work,
      env: { ...process.env, GITHUB_ACTION_PATH: root, GITHUB_OUTPUT: output, ...env },
      encoding: 'utf8',
    })
    const told = existsSync(output) ? readFileSync(output, 'utf8').trim() : ''
    return { status, told, said: stdout + stderr }
  }

  test('is composite, with a shell for every script', () => {
    expect(action.runs.using).toBe('composite')
    for (const one of steps) expect(one.run === undefined ? one.uses : one.shell).toBeTruthy()
  })

  test('uses every input, and none inside a script', () => {
    for (const name of Object.keys(action.inputs)) expect(text).toContain(`inputs.${name}`)
    for (const [, name] of text.matchAll(/inputs\.([\w-]+)/g)) expect(Object.keys(action.inputs)).toContain(name)
    for (const { run = '' } of steps) expect(run).not.toContain('${{')
    for (const { run = '', env = {} } of steps) {
      for (const name of Object.keys(env)) expect(run).toMatch(new RegExp(`\\$\\{?${name}\\b`))
    }
  })

  test('decides last, whatever happened before', () => {
    expect(steps.at(-1)!.name).toBe('Decide')
    expect(steps.at(-1)!.if).toContain('always()')
    const decided = (AUDIT: string, LINT_CODE: string, AUDIT_CODE: string) =>
      ran('Decide', { AUDIT, LINT_CODE, AUDIT_CODE }).status
    expect(decided('true', '0', '0')).toBe(0)
    expect(decided('false', '0', 'skipped')).toBe(0)
    // A gate that could not be tested, an error, a step that never ran.
    for (const [lint, audit] of [
      ['3', '0'],
      ['0', '3'],
      ['0', '4'],
      ['0', ''],
      ['', '0'],
      ['', ''],
      ['0', 'skipped'],
    ]) {
      expect(decided('true', lint!, audit!)).toBe(1)
    }
    expect(decided('false', '2', 'skipped')).toBe(1)
  })

  test('lints for real, with SARIF, and hands on the exit code', () => {
    const out = join(work, 'a folder')
    const missing = ran('Lint', { OUT: out, SCENARIO: 'no-such-file.yaml', TRANSCRIPT: '' })
    expect([missing.status, missing.told]).toEqual([0, 'code=2'])
    const fine = ran('Lint', { OUT: out, SCENARIO: join(root, 'scenarios/default.yaml'), TRANSCRIPT: '' })
    expect(fine.status).toBe(0)
    expect(fine.told).toMatch(/^code=[03]$/)
    expect(JSON.parse(readFileSync(join(out, 'lint.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' })
  })

  test('hands words on as they are: a name is no command', () => {
    const hostile = {
      AUDIT: 'true',
      FAIL_ON: '$(touch canary)\n',
      KNOWLEDGE: '',
      MODEL: '',
      OUT: 'o',
      SCENARIO: '',
      TRUTH: '',
    }
    const { status, told } = ran('Audit', { ...hostile, TRANSCRIPT: '`touch canary`; touch canary' })
    expect([status, told]).toEqual([0, 'code=2'])
    expect(existsSync(join(work, 'canary'))).toBe(false)
    expect(ran('Audit', { ...hostile, AUDIT: 'false', TRANSCRIPT: '' }).told).toBe('code=skipped')
  })
})
