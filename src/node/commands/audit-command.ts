/** `overhear audit`: simulate a federation (or take a recording), attack it from every place, and say what leaks. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { allObservers, askedAttacks } from '../../audit/asked.js'
import { assemble, type Finished } from '../../audit/assemble.js'
import type { AuditDocument } from '../../audit/document.js'
import { checkRule, parseRule, unjudged, violations } from '../../audit/fail-on.js'
import { hashOf } from '../../audit/hash.js'
import { planJobs } from '../../audit/plan-jobs.js'
import { lookup, OverhearError } from '../../errors.js'
import { kernelHash } from '../../numeric/engine/kernel-bytes.js'
import { auditText } from '../../report/audit-text.js'
import { reportHtml } from '../../report/report-html.js'
import type { Scenario } from '../../scenario/scenario.js'
import type { ModelUtility } from '../../scenario/simulate.js'
import { targetOf } from '../../threat/grant.js'
import { type ObserverName, observers } from '../../threat/observers.js'
import { runTasks, type Task, tasksFor } from '../audit-run.js'
import { openEvidence, type RunPaths } from '../files/open-run.js'
import { openResultLog } from '../files/result-log.js'
import { loadScenario } from '../files/scenario-file.js'
import { interruptible } from '../interrupt.js'
import { progress } from '../progress.js'
import { modelFolder, simulateInto } from '../simulate-run.js'
import { jobPool } from '../threads/job-pool.js'
import { version } from '../version.js'
import { commonFlags, parseNamed, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  transcript: { type: 'string' },
  knowledge: { type: 'string' },
  truth: { type: 'string' },
  observer: { type: 'string' },
  workers: { type: 'string' },
  seeds: { type: 'string' },
  resume: { type: 'boolean' },
  'seconds-per-attack': { type: 'string' },
  'fail-on': { type: 'string', multiple: true },
} as const

type Flags = ReturnType<typeof parseNamed<typeof flags>>['values']

export async function runAudit(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  const rules = (values['fail-on'] ?? []).map(parseRule)
  for (const rule of rules)
    checkRule(
      rule,
      askedAttacks({ attacks: 'all', activeRounds: 1 }).map(({ attack }) => attack.id),
    )
  if (values.transcript !== undefined && name !== undefined) {
    throw new OverhearError('E_INPUT', `both a scenario (${name}) and --transcript were given`, 'give one of the two')
  }
  return interruptible(async (signal) => {
    const audit =
      values.transcript === undefined ? await auditScenario(values, name, signal) : await auditRecording(values, signal)
    console.log(values.json ? JSON.stringify(audit) : auditText(audit))
    const broken = violations(rules, audit)
    for (const line of [...broken, ...unjudged(rules, audit)]) console.error(`overhear: --fail-on ${line}`)
    return audit.complete ? (broken.length > 0 ? 3 : 0) : 130
  })
}

function askedObservers(flag: string | undefined, inScenario: Scenario['observers'] = 'all'): ObserverName[] {
  const asked = flag === undefined ? inScenario : flag === 'all' ? 'all' : [flag]
  if (asked === 'all') return allObservers
  for (const one of asked) lookup(observers, one, 'observer')
  return asked as ObserverName[]
}

/** A run's folder: named after the scenario and the hash of what it depends on unless --out says otherwise. */
async function openFolder(values: Flags, { name, hash }: { name: string; hash: string }): Promise<string> {
  const own = await hashOf({ hash, version, kernelHash })
  const out = resolve(values.out ?? join('runs', `${name}-${own.slice(0, 12)}`))
  mkdirSync(out, { recursive: true })
  const path = join(out, 'run.json')
  const mine = { format: 'overhear-run/1', hash, overhear: version, kernels: kernelHash, node: process.version }
  const there = readJson(path) as Partial<typeof mine> | undefined
  if (there !== undefined && there.hash !== hash) {
    throw new OverhearError('E_INPUT', `${out} holds the audit of another scenario`, 'take another folder')
  }
  // Its recording would be taken up as it is, and another version might not make the same.
  if (there !== undefined && (there.overhear !== version || there.kernels !== kernelHash)) {
    throw new OverhearError('E_INPUT', `${out} holds an audit by another version of overhear`, 'take another folder')
  }
  writeFileSync(path, `${JSON.stringify(mine, null, 2)}\n`)
  return out
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

async function auditScenario(values: Flags, file: string | undefined, signal: AbortSignal): Promise<AuditDocument> {
  const seed = wholeNumber('seed', values.seed)
  const loaded = { ...loadScenario(file), ...(seed !== undefined && { seed }) }
  const scenario: Scenario = { ...loaded, observers: askedObservers(values.observer, loaded.observers) }
  const { observers: _, ...world } = scenario
  const hash = await hashOf(world)
  const out = await openFolder(values, { name: scenario.name, hash })
  writeFileSync(join(out, 'scenario.json'), `${JSON.stringify(scenario, null, 2)}\n`)
  const dataDir = values['data-dir']
  const workers = wholeNumber('workers', values.workers)
  const more = { ...(workers !== undefined && { workers }), ...(dataDir !== undefined && { dataDir }) }
  const tasks: Task[] = []
  const utility: Record<string, ModelUtility> = {}
  const seeds = wholeNumber('seeds', values.seeds) ?? 1
  for (let s = 0; s < seeds; s++) {
    const seeded: Scenario = { ...scenario, seed: scenario.seed + s }
    const base = seeds === 1 ? out : join(out, `seed-${seeded.seed}`)
    for (const model of scenario.models.keys()) {
      const run = await simulateInto(seeded, model, { out: base, quiet: values.quiet ?? false, signal, ...more })
      const folder = modelFolder(seeded, model, base)
      const { targets } = run
      const place = { scenario: seeded, model, name: run.name, folder, targets }
      tasks.push(...tasksFor({ ...place, ...(dataDir !== undefined && { dataDir }) }))
      utility[seeds === 1 ? run.name : `${run.name}, seed ${seeded.seed}`] = run.utility
    }
  }
  const { finished, complete } = await attackAll(tasks, {
    values,
    out,
    signal,
    hash,
    seconds: wholeNumber('seconds-per-attack', values['seconds-per-attack']) ?? scenario.secondsPerAttack,
  })
  return finish(finished, { scenario, hash, utility, complete, out, observers: scenario.observers as ObserverName[] })
}

async function auditRecording(values: Flags, signal: AbortSignal): Promise<AuditDocument> {
  const { transcript, knowledge, truth } = values
  const paths: RunPaths = {
    transcript: transcript!,
    ...(knowledge !== undefined && { knowledge }),
    ...(truth !== undefined && { truth }),
  }
  const { sources } = await openEvidence(paths)
  const asked = askedObservers(values.observer)
  const seed = wholeNumber('seed', values.seed) ?? 1
  const target = targetOf(sources)
  const { recordedFor, protocol } = sources.transcript.manifest
  const planned = planJobs({
    attacks: askedAttacks({ attacks: 'all', activeRounds: 1 }),
    observers: asked,
    targets: target === undefined ? [] : [target],
    seed,
    controls: truth !== undefined,
    recordedFor: recordedFor.kind,
    secureAggregation: protocol.secureAggregation,
  })
  const hash = await hashOf({
    paths,
    seed,
    manifest: sources.transcript.manifest,
    rounds: sources.transcript.rounds().length,
  })
  const out = await openFolder(values, { name: 'recording', hash })
  const tasks = planned.map((one): Task => ({ planned: one, paths, model: null }))
  const { finished, complete } = await attackAll(tasks, {
    values,
    out,
    signal,
    hash,
    seconds: wholeNumber('seconds-per-attack', values['seconds-per-attack']) ?? null,
  })
  return finish(finished, { scenario: null, hash, utility: {}, complete, out, observers: asked })
}

interface Attacking {
  readonly values: Flags
  readonly out: string
  readonly signal: AbortSignal
  readonly hash: string
  readonly seconds: number | null
}

/** Runs what is not finished yet; an interruption keeps what is. */
async function attackAll(tasks: readonly Task[], { values, out, signal, hash, seconds }: Attacking) {
  const workers = wholeNumber('workers', values.workers)
  const pool = jobPool({ secondsPerJob: seconds, ...(workers !== undefined && { workers }) })
  const log = openResultLog(join(out, 'results.jsonl'), { fresh: values.resume !== true })
  const bar = progress({ total: tasks.length, what: 'attacks', quiet: values.quiet ?? false })
  const stop = (): void => void pool.close()
  signal.addEventListener('abort', stop)
  const finished: Finished[] = []
  try {
    if (signal.aborted) await pool.close()
    const all = await runTasks(tasks, {
      pool,
      log,
      context: { hash, version, kernelHash },
      onDone: (done, _, last) => bar.tick(done, last),
      onFinished: (one) => finished.push(one),
    })
    return { finished: all, complete: true }
  } catch (error) {
    if (!(error instanceof OverhearError && error.code === 'E_INTERRUPTED')) throw error
    return { finished, complete: false }
  } finally {
    signal.removeEventListener('abort', stop)
    bar.end()
    await pool.close()
    log.close()
  }
}

interface Finishing {
  readonly scenario: Scenario | null
  readonly hash: string
  readonly utility: AuditDocument['utility']
  readonly complete: boolean
  readonly out: string
  readonly observers: readonly ObserverName[]
}

function finish(finished: readonly Finished[], { out, ...around }: Finishing): AuditDocument {
  const report = join(out, 'report.html')
  const shown = relative('.', report)
  const versions = { overhear: version, kernels: kernelHash, node: process.version }
  const audit = assemble(finished, { ...around, versions, report: shown.startsWith('..') ? report : shown })
  writeFileSync(join(out, 'audit.json'), `${JSON.stringify(audit)}\n`)
  writeFileSync(report, reportHtml(audit))
  return audit
}
