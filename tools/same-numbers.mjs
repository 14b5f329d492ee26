// Proves that a change of the code changes no result: audits some scenarios and compares every number with those kept.
//   npm run build:ts && node tools/same-numbers.mjs [--write] [--only NAME]...
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { numberCount, rowsOf, separator } from './audit-numbers.mjs'

/**
 * @typedef {import('./audit-numbers.mjs').Json} Json
 * @typedef {import('./audit-numbers.mjs').Fields} Fields
 * @typedef {import('./audit-numbers.mjs').Rows} Rows
 * @typedef {{ name: string, lacks?: string, run: (folder: string) => { document: Json, simulated: string } }} Run
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const kept = join(root, 'test/numbers-0.1.0.json')

/** Of each transcript that was written, all bytes of its tensors in the order of their paths. @param {string} folder */
function transcriptRows(folder) {
  /** @type {Rows} */
  const rows = new Map()
  const paths = readdirSync(folder, { recursive: true }).map(String).sort()
  for (const transcript of paths.filter((path) => basename(path) === 'transcript')) {
    const files = paths.filter((path) => path.startsWith(`${transcript}/`) && path.endsWith('.safetensors'))
    const hash = createHash('sha256')
    for (const path of files) hash.update(readFileSync(join(folder, path)))
    const key = ['-', 'transcript', '-', `#${rows.size}`, '-', '-'].join(separator)
    rows.set(key, { files: files.length, sha256: hash.digest('hex') })
  }
  return rows
}

// Rows as text, and two sets of them beside each other.

/** One line for what several observers share; the first part of a key is the observer. @param {Rows} rows */
function linesOf(rows) {
  /** @type {Map<string, string[]>} */
  const observers = new Map()
  for (const [key, fields] of rows) {
    const [observer = '', ...rest] = key.split(separator)
    const line = JSON.stringify({ of: rest.join(separator), ...fields })
    observers.set(line, [...(observers.get(line) ?? []), observer])
  }
  return [...observers].map(
    ([line, names]) => `${JSON.stringify({ to: names.join(' ') }).slice(0, -1)},${line.slice(1)}`,
  )
}

/** @param {readonly Fields[]} lines @returns {Rows} */
function rowsFrom(lines) {
  const rows = lines.flatMap(({ to, of, ...fields }) =>
    String(to)
      .split(' ')
      .map((observer) => /** @type {const} */ ([`${observer}${separator}${of}`, fields])),
  )
  return new Map(rows)
}

/** @returns {Map<string, Rows>} by scenario */
function readKept() {
  if (!existsSync(kept)) return new Map()
  const text = /** @type {Record<string, Fields[]>} */ (JSON.parse(readFileSync(kept, 'utf8')))
  return new Map(Object.entries(text).map(([name, lines]) => [name, rowsFrom(lines)]))
}

/** @param {Map<string, Rows>} all by scenario */
function writeKept(all) {
  const parts = [...all].map(([name, rows]) => `${JSON.stringify(name)}: [\n${linesOf(rows).join(',\n')}\n]`)
  writeFileSync(kept, `{\n${parts.join(',\n')}\n}\n`)
}

/** What differs, in words: a row that one side lacks, or a field with its value before and after.
 * @param {Rows} before @param {Rows} after */
export function differences(before, after) {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  return keys.flatMap((key) => {
    const [old, now] = [before.get(key), after.get(key)]
    if (old === undefined || now === undefined) return [`${key}: ${old === undefined ? 'new row' : 'row is missing'}`]
    return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((field) => {
      const [was, is] = [JSON.stringify(old[field]) ?? 'absent', JSON.stringify(now[field]) ?? 'absent']
      return was === is ? [] : [`${key}: ${field}: ${was} -> ${is}`]
    })
  })
}

// What is run.

/** @param {readonly string[]} args @returns {Json} the document that the command printed */
function overhear(...args) {
  const all = ['bin/overhear.mjs', ...args, '--json', '--quiet', '--seed', '1']
  const { status, stdout, stderr } = spawnSync(process.execPath, all, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  // 4: some attack failed, which the rows say too.
  if (status !== 0 && status !== 4) throw new Error(`overhear ${args.join(' ')} exited with ${status}\n${stderr}`)
  return JSON.parse(stdout)
}

// The numbers that are kept are of worlds that held nothing back, and were trained once.
const asBefore = ['--set', 'heldBack=0', '--set', 'repeats=1']

/** @param {string} name @param {string} [file] @returns {Run} */
function audited(name, file) {
  return {
    name,
    run(folder) {
      const simulated = join(folder, 'run')
      const given = file === undefined ? [] : [file]
      // On a busy machine the scenario's own limit, which the clock decides, could stop an attack.
      const document = overhear('audit', ...given, ...asBefore, '--out', simulated, '--seconds-per-attack', '3600')
      return { document, simulated }
    },
  }
}

/** @type {Run} */
const recording = {
  name: 'recording',
  run(folder) {
    const simulated = join(folder, 'recorded')
    overhear('simulate', 'test/scenarios/small.yaml', '--out', simulated)
    const files = { transcript: 'transcript', knowledge: 'knowledge.json', truth: 'truth' }
    const given = Object.entries(files).flatMap(([flag, path]) => [`--${flag}`, join(simulated, path)])
    return { document: overhear('audit', ...given, '--out', join(folder, 'run')), simulated }
  },
}

/** @returns {Run[]} */
function allRuns() {
  const names = readdirSync(join(root, 'scenarios')).filter((name) => name.endsWith('.yaml') && name !== 'default.yaml')
  const data = join(process.env.OVERHEAR_DATA ?? join(root, '../shared/data'), 'medical')
  return [
    audited('default'),
    ...names.sort().map((file) => {
      const run = audited(basename(file, '.yaml'), `scenarios/${file}`)
      return run.name === 'medical' && !existsSync(data) ? { ...run, lacks: `its data are not in ${data}` } : run
    }),
    audited('two-attributes', 'test/scenarios/two-attributes.yaml'),
    recording,
  ]
}

/** @param {Run} run */
function rowsOfRun({ run }) {
  const folder = mkdtempSync(join(tmpdir(), 'same-numbers-'))
  try {
    const { document, simulated } = run(folder)
    if (document.complete === false) throw new Error('the audit is not complete')
    return new Map([...transcriptRows(simulated), ...rowsOf(document)])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function main() {
  const { values } = parseArgs({ options: { write: { type: 'boolean' }, only: { type: 'string', multiple: true } } })
  const { write = false, only } = values
  const runs = allRuns()
  const unknown = only?.filter((name) => !runs.some((run) => run.name === name)) ?? []
  if (unknown.length > 0) {
    console.error(`--only ${unknown.join(', ')}: there are ${runs.map(({ name }) => name).join(', ')}`)
    process.exitCode = 2
    return
  }
  const all = readKept()
  for (const run of runs.filter(({ name }) => only?.includes(name) ?? true)) {
    if (run.lacks !== undefined) {
      console.log(`${run.name}: skipped: ${run.lacks}`)
      continue
    }
    const start = performance.now()
    const rows = rowsOfRun(run)
    const found = write ? [] : differences(all.get(run.name) ?? new Map(), rows)
    const late = [...rows].filter(([, { error }]) => error === 'E_TIME').map(([key]) => `${key}: out of time`)
    if (write && late.length === 0) all.set(run.name, rows)
    if (found.length + late.length > 0) process.exitCode = 1
    const size = `${rows.size} rows, ${numberCount(rows)} numbers`
    const words =
      found.length > 0 ? `${found.length} DIFFERENCES in` : late.length > 0 ? 'NOT KEPT:' : write ? 'kept:' : 'same:'
    console.log(`${run.name}: ${words} ${size} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
    for (const line of [...late, ...found]) console.log(`  ${line}`)
  }
  for (const name of only === undefined ? all.keys() : []) {
    if (runs.some((run) => run.name === name)) continue
    console.log(`${name}: MISSING: it is in the numbers kept, but there is no such scenario`)
    process.exitCode = 1
  }
  if (write) writeKept(all)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main()
