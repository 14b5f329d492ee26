/** `overhear audit`: simulate a federation (or take a recording), attack it from every place, and say what leaks. */
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Advice } from '../../audit/advise/advise.js'
import { askedAttacks } from '../../audit/asked-attacks.js'
import { type AuditOptions, type AuditSubject, audit, isRecording } from '../../audit/audit.js'
import { catalogue } from '../../audit/catalogue.js'
import type { AuditDocument } from '../../audit/document.js'
import { checkRule, type FailRule, judge, parseRule } from '../../audit/fail-on.js'
import { redacted } from '../../audit/finished/redacted.js'
import { planAudit } from '../../audit/ladder/audit-plan.js'
import { loadPlugins } from '../../audit/plugins.js'
import { readScenario } from '../../audit/read-scenario.js'
import { unfinished } from '../../audit/verdict.js'
import { OverhearError } from '../../errors.js'
import { adviceText } from '../../report/advice-text.js'
import { auditJunit, auditSarif } from '../../report/audit-pipeline.js'
import { auditText } from '../../report/audit-text.js'
import { planText } from '../../report/plan-text.js'
import { reportHtml } from '../../report/report-html.js'
import { coloured } from '../../report/word-colours.js'
import { checkTableFlags, tableFlags, tablesOfRecording } from '../files/recording-tables.js'
import { loadScenario } from '../files/scenario-file.js'
import { hourOf } from '../hour.js'
import { interruptible } from '../interrupt.js'
import { type NodePortsOptions, nodePorts } from '../node-ports.js'
import { print, printJson, writeOut } from '../print.js'
import { askedJobs } from '../queue/asked-queue.js'
import { type SearchOptions, searchAdvice, secondsOf } from '../search-advice.js'
import { showProgress } from '../show-progress.js'
import { alsoToParent } from '../tell-parent.js'
import { commonFlags, defined, parseNamed, settings, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  ...tableFlags,
  transcript: { type: 'string' },
  knowledge: { type: 'string' },
  truth: { type: 'string' },
  model: { type: 'string' },
  observer: { type: 'string' },
  workers: { type: 'string' },
  queue: { type: 'string' },
  repeats: { type: 'string' },
  clients: { type: 'string' },
  seeds: { type: 'string' }, // not any more: refused with what to say instead
  resume: { type: 'boolean' },
  repair: { type: 'boolean' },
  plan: { type: 'boolean' },
  details: { type: 'boolean' },
  verbose: { type: 'boolean' },
  'seconds-per-attack': { type: 'string' },
  'fail-on': { type: 'string', multiple: true },
  'allow-untested': { type: 'boolean' },
  redact: { type: 'boolean' },
  sarif: { type: 'string' },
  junit: { type: 'string' },
  advise: { type: 'boolean' },
  budget: { type: 'string' },
  set: { type: 'string', multiple: true },
} as const

type Jobs = Pick<NodePortsOptions, 'jobs'>
type Flags = ReturnType<typeof parseNamed<typeof flags>>['values']

export async function runAudit(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  if (values.seeds !== undefined) {
    throw new OverhearError('E_INPUT', '--seeds was given', 'an audit trains --repeats N times, and judges all of them')
  }
  checkAdvise(values)
  const jobs = await askedJobs(values)
  const options = optionsOf(values, jobs)
  const subject = await subjectOf(values, name, options)
  const rules = (values['fail-on'] ?? []).map(parseRule)
  const attacks = askedAttacks({ attacks: 'all', activeRounds: 1 }).map(({ attack }) => attack.id)
  const kinds = catalogue.metrics().map(({ id }) => id)
  for (const rule of rules) checkRule(rule, { attacks, kinds })
  if (values.plan) return tellPlan(subject, options, values.json ?? false)
  return interruptible(async (signal) => {
    const run = audit(subject, { ...options, signal })
    await showProgress(alsoToParent(run), { quiet: values.quiet ?? false })
    const audited = await run.result
    const about = { file: auditedFile(values.transcript, name, audited) }
    writeOut(values.sarif, () => JSON.stringify(auditSarif(audited, about), null, 2))
    writeOut(values.junit, () => auditJunit(audited, about))
    const told = values.redact ? redacted(audited) : audited
    const advice = audited.complete ? await advised(subject, audited, { values, signal, jobs }) : undefined
    if (values.json) await printJson({ ...told, ...defined({ advice }) })
    else {
      const text = auditText(told, defined({ details: values.details, verbose: values.verbose }))
      await print(advice === undefined ? text : `${text}\n\n${adviceText(advice)}`, coloured)
    }
    return signal.aborted ? 130 : exitCode(audited, rules, values['allow-untested'] ?? false)
  })
}

/** The last part, when asked: what-ifs of the scenario, run in the folder of its audit, whose report then shows them. */
async function advised(
  subject: AuditSubject,
  audited: AuditDocument,
  { values, signal, jobs }: Pick<SearchOptions, 'signal'> & { readonly values: Flags; readonly jobs: Jobs },
): Promise<Advice | undefined> {
  if (!values.advise || isRecording(subject) || audited.report === null) return undefined
  const keptIn = dirname(audited.report)
  const [workers, trustPlugins] = [wholeNumber('workers', values.workers), values['trust-plugins']]
  const around = { ...defined({ dataDir: values['data-dir'], workers, trustPlugins }), ...jobs }
  const { advice } = await searchAdvice(readScenario(subject), {
    out: join(keptIn, 'advise'),
    keptIn,
    around,
    signal,
    quiet: values.quiet ?? false,
    ...defined({ budget: secondsOf(values.budget) }),
  })
  const told = values.redact ? redacted(audited) : audited
  writeOut(audited.report, () => reportHtml(told, { when: hourOf(), advice }))
  return advice
}

function checkAdvise({ advise, budget, transcript }: Flags): void {
  if (advise && transcript !== undefined)
    throw new OverhearError('E_INPUT', '--advise was given with --transcript', 'variants are of a scenario')
  if (budget !== undefined && !advise)
    throw new OverhearError('E_INPUT', '--budget was given without --advise', 'it is how long what-ifs may take')
  secondsOf(budget)
}

/** What was audited, as the one who looks at the results names it: a scenario, a manifest, or what the run keeps of the built-in one. */
function auditedFile(transcript: string | undefined, name: string | undefined, { report }: AuditDocument): string {
  const file =
    transcript === undefined
      ? (name ?? join(dirname(report ?? '.'), 'scenario.json'))
      : join(transcript, 'transcript.json')
  const below = relative('.', file)
  return (below.startsWith('..') ? resolve(file) : below).split(sep).join('/')
}

/** Trainings, attacks, time and what could be found, before anything runs. */
async function tellPlan(subject: AuditSubject, { ports, repeats }: AuditOptions, json: boolean): Promise<number> {
  if (isRecording(subject)) {
    throw new OverhearError(
      'E_INPUT',
      '--plan was given with --transcript',
      'a recording is one training, whatever it holds',
    )
  }
  const scenario = readScenario({ ...subject, ...(repeats !== undefined && { repeats }) })
  const { dataset } = ports.files
  const plan = await planAudit(scenario, {
    now: () => performance.now(),
    cores: availableParallelism(),
    ...(dataset !== undefined && { dataset }),
  })
  await (json ? printJson(plan) : print(planText(plan)))
  return 0
}

/** 130 interrupted, 3 a rule violated or not tested, 4 an attack that did not finish, else 0. What may stay untested may be unfinished. */
function exitCode(audited: AuditDocument, rules: readonly FailRule[], allowUntested: boolean): number {
  const { violated, untested } = judge(rules, audited)
  for (const line of [...violated, ...untested]) console.error(`overhear: --fail-on ${line}`)
  if (!audited.complete) return 130
  if (violated.length > 0 || (untested.length > 0 && !allowUntested)) return 3
  const cut = allowUntested ? [] : unfinished(audited.observers.flatMap(({ attacks }) => attacks))
  const alsoCut = allowUntested ? [] : audited.questions.flatMap((question) => question.cut)
  const known = new Set(cut.map((one) => one.attack))
  for (const [attack, why] of new Map(alsoCut.map((one) => [one.attack, one.why]))) {
    if (!known.has(attack)) console.error(`overhear: incomplete: ${attack}, in some training: ${why}`)
  }
  for (const attack of known) {
    const { error } = cut.find((one) => one.attack === attack)!
    console.error(
      `overhear: incomplete: ${attack} ${error?.code === 'E_TIME' ? 'ran out of time' : `failed, ${error?.message}`}`,
    )
  }
  const diverged = allowUntested ? [] : Object.entries(audited.diverged)
  for (const [model, where] of diverged) console.error(`overhear: incomplete: ${model}, ${where}`)
  return cut.length + alsoCut.length + diverged.length > 0 ? 4 : 0
}

/** A recording, a scenario file, or the built-in scenario. */
async function subjectOf(values: Flags, file: string | undefined, { ports }: AuditOptions): Promise<AuditSubject> {
  const { transcript, knowledge, truth, seed, repeats, plugin = [], set = [] } = values
  if (transcript !== undefined && file !== undefined) {
    throw new OverhearError('E_INPUT', `both a scenario (${file}) and --transcript were given`, 'give one of the two')
  }
  checkTableFlags(values)
  if (transcript === undefined) {
    for (const flag of ['target', 'model', 'clients'] as const) {
      if (values[flag] === undefined) continue
      throw new OverhearError('E_INPUT', `--${flag} was given without --transcript`, 'a scenario names its own')
    }
    if (values.data !== undefined) {
      throw new OverhearError('E_INPUT', '--data was given without --transcript', 'a scenario names its data itself')
    }
    const given = wholeNumber('seed', seed)
    const often = wholeNumber('repeats', repeats)
    const changed = { ...settings(set), ...(often !== undefined && { repeats: String(often) }) }
    const scenario = await loadScenario(file, { ports, plugins: plugin, set: changed, quiet: values.quiet ?? false })
    return { ...scenario, ...(given !== undefined && { seed: given }) }
  }
  if (set.length > 0) throw new OverhearError('E_INPUT', '--set was given with --transcript', 'it changes scenarios')
  if (repeats !== undefined) {
    throw new OverhearError('E_INPUT', '--repeats was given with --transcript', 'a recording is one training')
  }
  await loadPlugins(plugin, ports)
  if (values.data !== undefined) {
    if (knowledge !== undefined || truth !== undefined) {
      throw new OverhearError('E_INPUT', '--data was given with --knowledge or --truth', 'both are made of the table')
    }
    return { transcript, ...(await tablesOfRecording(transcript, values)), ...defined({ model: values.model }) }
  }
  return { transcript, ...defined({ knowledge, truth, target: values.target, model: values.model }) }
}

/** Flags that were given as options; those that were not have no key. */
function optionsOf(values: Flags, jobs: Jobs): AuditOptions {
  const given = {
    seed: wholeNumber('seed', values.seed),
    secondsPerAttack: wholeNumber('seconds-per-attack', values['seconds-per-attack']),
    observers: askedObservers(values.observer),
    mostTargets: wholeNumber('clients', values.clients),
    resume: values.resume,
    repair: values.repair,
    plugins: values.plugin,
  }
  const ports = {
    out: values.out,
    dataDir: values['data-dir'],
    workers: wholeNumber('workers', values.workers),
    trustPlugins: values['trust-plugins'],
  }
  const { redact = false } = values
  return {
    ...defined(given),
    ports: nodePorts({ ...defined(ports), ...jobs }),
    report: (made) => reportHtml(redact ? redacted(made) : made, { when: hourOf() }),
  }
}

function askedObservers(name: string | undefined): AuditOptions['observers'] {
  return name === undefined || name === 'all' ? name : [name]
}
