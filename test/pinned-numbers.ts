/** The numbers of whole audits beside those kept in test/pinned: the same seed gives the same bits. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { AttackResult } from '../src/audit/attack-result.js'
import { audit } from '../src/audit/audit.js'
import type { AuditDocument } from '../src/audit/document.js'
import { memoryPorts } from '../src/audit/memory-ports.js'
import { auditText } from '../src/report/audit-text.js'
import { reportHtml } from '../src/report/report-html.js'
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'
import type { ObserverName } from '../src/threat/observers.js'
import { rowsOf } from '../tools/audit-numbers.mjs'
import { differences } from '../tools/same-numbers.mjs'
import { peopleFiles } from './pinned-worlds.js'

type Kept = Record<string, Record<string, Record<string, unknown>>>

const keep = process.env.UPDATE_NUMBERS === '1'
const shortHash = (parts: readonly (Uint8Array | string)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex').slice(0, 16)
}

/** Bytes of what was recorded, known and true, by what they are. */
function recordedIn(files: ReadonlyMap<string, Uint8Array>) {
  const paths = [...files.keys()].sort().map((path) => ({ path, below: path.slice(path.indexOf('/') + 1) }))
  const digest = (pattern: RegExp) => {
    const found = paths.filter(({ below }) => pattern.test(below))
    return `${found.length}:${shortHash(found.map(({ path }) => files.get(path)!))}`
  }
  return {
    tensors: digest(/transcript\/.*\.safetensors$/),
    tables: digest(/^(.*\/)?(knowledge|truth).*\.csv$/),
    known: digest(/(^|\/)knowledge.*\.json$/),
  }
}

/** Figures of one group, such as "score.", as the first of them and a digest of all. */
function inShort(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const groups = new Map<string, [string, unknown][]>()
  const short: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const group = /^(\w+)\./.exec(name)?.[1]
    if (group === undefined) short[name] = value
    else groups.set(group, [...(groups.get(group) ?? []), [name.slice(group.length + 1), value]])
  }
  for (const [group, all] of groups) {
    const first = all.find(([name]) => name === 'value') ?? all[0]!
    short[group] = `${first[0]} ${first[1]}, ${all.length}:${shortHash([JSON.stringify(all)])}`
  }
  return short
}

/** Everything that an audit says, as rows of a few figures and digests. */
function rowsFrom(document: AuditDocument, files: ReadonlyMap<string, Uint8Array>) {
  const results = document.observers.flatMap(({ attacks }) => attacks)
  const notes = results.map(({ status, warnings, findings, controls }) => [
    ...[status, warnings.length, findings.map(({ score }) => [score?.metric, score?.notes.length, score?.guesser])],
    controls?.planted.status,
  ])
  const { level, sentences, tested, notTested, advice, doubts } = document.verdict
  const rows = new Map([...rowsOf(document as never)].map(([key, fields]) => [key, inShort(fields)]))
  rows.set('- | recorded', recordedIn(files))
  rows.set('- | verdict', {
    ...{ level, tested, notTested, sentences: sentences.length, advice: advice.length, doubts: doubts.length },
    ...{ notes: shortHash([JSON.stringify(notes)]) },
  })
  rows.set('- | words', wordsOf(document))
  return rows
}

/** Digests of all that is said and drawn, without what differs from machine to machine: sentences may be worded anew. */
function wordsOf(document: AuditDocument) {
  const timeless = (key: string, value: unknown) => (key === 'millis' ? 0 : value)
  const told: AuditDocument = JSON.parse(
    JSON.stringify({ ...document, hash: '', versions: { overhear: '', kernels: '' }, report: null }, timeless),
  )
  const digest = (...parts: readonly unknown[]) => shortHash(parts.map((part) => JSON.stringify(part))).slice(0, 8)
  return {
    verdict: digest(told.verdict),
    questions: digest(told.questions),
    results: digest(told.observers),
    text: digest(auditText(told), auditText(told, { verbose: true })),
    html: digest(reportHtml(told)),
  }
}

const labelOf = ({ attack, params }: AttackResult): string => `${attack} ${JSON.stringify(params)}`

/** Everything in this thread; files are made of people. */
const portsOn = (files: Map<string, Uint8Array>) => memoryPorts({ files, dataset: () => peopleFiles })

async function auditedRows(scenario: ScenarioInput) {
  const files = new Map<string, Uint8Array>()
  const options = { ports: portsOn(files) }
  const document = await audit(
    { name: 'pinned', secondsPerAttack: null, heldBack: 0, repeats: 1, ...scenario },
    options,
  ).result
  return { rows: rowsFrom(document, files), results: document.observers.flatMap(({ attacks }) => attacks) }
}

/** A world whose recording, or what is known of it, is changed by hand before it is attacked. */
export interface Recorded {
  readonly scenario: ScenarioInput
  readonly observer?: ObserverName
  /** What stands in a file is replaced. */
  readonly edits: readonly { readonly file: RegExp; readonly from: RegExp; readonly to: string }[]
  readonly attacks: readonly (string | { readonly id: string; readonly params: Readonly<Record<string, unknown>> })[]
}

async function recordedRows({ scenario, observer = 'eavesdropper', edits, attacks }: Recorded) {
  const files = new Map<string, Uint8Array>()
  const simulated: ScenarioInput = {
    name: 'recorded',
    heldBack: 0,
    repeats: 1,
    ...scenario,
    attacks: ['last-returned'],
    controls: false,
  }
  await audit(simulated, { ports: portsOn(files) }).result
  for (const { file, from, to } of edits) {
    const path = [...files.keys()].find((one) => file.test(one))!
    const text = new TextDecoder().decode(files.get(path))
    expect(text, `${path} has ${from}`).toMatch(from)
    files.set(path, new TextEncoder().encode(text.replace(from, to)))
  }
  const folder = [...files.keys()][0]!.split('/')[0]!
  const paths = { transcript: `${folder}/transcript`, knowledge: `${folder}/knowledge.json` }
  const pool = portsOn(files).threads.jobs({ secondsPerJob: null })
  const rows = new Map<string, Record<string, unknown>>()
  for (const [i, one] of attacks.entries()) {
    const { id: attack, params } = typeof one === 'string' ? { id: one, params: {} } : one
    const job = { attack, params, observer, target: null, seed: 1, controls: false }
    const { status, error, missing, why, warnings, findings, details, fit } = await pool.run({ job, paths })
    const claims = findings.map(({ claim }) => claim)
    const said = { error: error?.code, missing, why: why !== undefined, warnings: warnings.length }
    const words = shortHash([JSON.stringify([error?.message, why, warnings, fit])]).slice(0, 8)
    rows.set(`${i} ${attack}`, {
      status,
      ...inJson(said),
      claims: shortHash([JSON.stringify([claims, details])]),
      words,
    })
  }
  return rows
}

const inJson = (value: object): Record<string, unknown> => JSON.parse(JSON.stringify(value))

/** Compares claims about recordings with those kept, as `pinNumbers` does for audits. */
export function pinRecordings(recordings: Readonly<Record<string, Recorded>>): void {
  const kept = keptIn('recordings')
  for (const [name, recorded] of Object.entries(recordings)) {
    test(`what is claimed of a recording, ${name}, is what is kept`, async () => {
      kept.compare(name, await recordedRows(recorded))
    })
  }
  kept.testNames(Object.keys(recordings).length)
}

/** The numbers kept of a family of worlds. */
function keptIn(family: string) {
  const path = fileURLToPath(new URL(`pinned/${family}.json`, import.meta.url))
  const kept: Kept = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const now: Kept = {}
  return {
    compare(name: string, rows: ReadonlyMap<string, Record<string, unknown>>) {
      now[name] = Object.fromEntries(rows)
      if (keep) writeKept(path, now)
      else expect(differences(new Map(Object.entries(kept[name] ?? {})), new Map(rows))).toEqual([])
    },
    testNames(count: number) {
      test.skipIf(keep)(`no other world of ${family} is kept`, () => {
        expect(Object.keys(kept)).toHaveLength(count)
      })
    },
  }
}

/**
 * Audits each world, and compares all its numbers with test/pinned/<family>.json, which UPDATE_NUMBERS=1 writes anew; so
 * many more seeds follow, of which a digest of each row is kept.
 */
export function pinNumbers(family: string, worlds: Readonly<Record<string, ScenarioInput>>, moreSeeds = 0): void {
  const { compare, testNames } = keptIn(family)
  for (const [name, scenario] of Object.entries(worlds)) {
    test(`the numbers of ${family}, ${name}, are those kept`, async () => {
      const { rows, results } = await auditedRows(scenario)
      // Every attack really runs, on one of the models at least.
      const ran = new Set(results.filter(({ status }) => status === 'claimed').map(labelOf))
      const idle = results.filter((one) => one.status === 'failed' || !ran.has(labelOf(one)))
      expect(idle.map((one) => `${labelOf(one)}: ${one.status} ${JSON.stringify(one.error ?? one.missing)}`)).toEqual(
        [],
      )
      compare(name, rows)
    })
    for (const seed of Array.from({ length: moreSeeds }, (_, i) => i + 101)) {
      test(`the numbers of ${family}, ${name}, seed ${seed}, are those kept`, async () => {
        const { rows } = await auditedRows({ ...scenario, seed })
        const digests = [...rows].map(([key, row]) => [key, shortHash([JSON.stringify(row)])])
        compare(`${name}, seed ${seed}`, new Map([['all', Object.fromEntries(digests)]]))
      })
    }
  }
  testNames(Object.keys(worlds).length * (1 + moreSeeds))
}

function writeKept(path: string, worlds: Kept): void {
  const parts = Object.entries(worlds).map(([name, rows]) => {
    const lines = Object.entries(rows).map(([key, row]) => `${JSON.stringify(key)}: ${JSON.stringify(row)}`)
    return `${JSON.stringify(name)}: {\n${lines.join(',\n')}\n}`
  })
  writeFileSync(path, `{\n${parts.join(',\n')}\n}\n`)
}
