/** `overhear audit`: simulate a federation (or take a recording), attack it from every place, and say what leaks. */
import { askedAttacks } from '../../audit/asked-attacks.js'
import { type AuditOptions, type AuditSubject, audit } from '../../audit/audit.js'
import { checkRule, parseRule, unjudged, violations } from '../../audit/fail-on.js'
import { loadPlugins } from '../../audit/plugins.js'
import { OverhearError } from '../../errors.js'
import { auditText } from '../../report/audit-text.js'
import { reportHtml } from '../../report/report-html.js'
import { loadScenario } from '../files/scenario-file.js'
import { interruptible } from '../interrupt.js'
import { nodePorts } from '../node-ports.js'
import { showProgress } from '../show-progress.js'
import { commonFlags, defined, parseNamed, settings, wholeNumber } from './arguments.js'

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
  set: { type: 'string', multiple: true },
} as const

type Flags = ReturnType<typeof parseNamed<typeof flags>>['values']

export async function runAudit(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  const options = optionsOf(values)
  const subject = await subjectOf(values, name, options)
  const rules = (values['fail-on'] ?? []).map(parseRule)
  const ids = askedAttacks({ attacks: 'all', activeRounds: 1 }).map(({ attack }) => attack.id)
  for (const rule of rules) checkRule(rule, ids)
  return interruptible(async (signal) => {
    const run = audit(subject, { ...options, signal })
    await showProgress(run, { quiet: values.quiet ?? false })
    const audited = await run.result
    console.log(values.json ? JSON.stringify(audited) : auditText(audited))
    const broken = violations(rules, audited)
    for (const line of [...broken, ...unjudged(rules, audited)]) console.error(`overhear: --fail-on ${line}`)
    return audited.complete ? (broken.length > 0 ? 3 : 0) : 130
  })
}

/** A recording, a scenario file, or the built-in scenario. */
async function subjectOf(values: Flags, file: string | undefined, { ports }: AuditOptions): Promise<AuditSubject> {
  const { transcript, knowledge, truth, seed, plugin = [], set = [] } = values
  if (transcript !== undefined && file !== undefined) {
    throw new OverhearError('E_INPUT', `both a scenario (${file}) and --transcript were given`, 'give one of the two')
  }
  if (transcript === undefined) {
    const given = wholeNumber('seed', seed)
    const scenario = await loadScenario(file, { ports, plugins: plugin, set: settings(set) })
    return { ...scenario, ...(given !== undefined && { seed: given }) }
  }
  if (set.length > 0) throw new OverhearError('E_INPUT', '--set was given with --transcript', 'it changes scenarios')
  await loadPlugins(plugin, ports)
  return { transcript, ...(knowledge !== undefined && { knowledge }), ...(truth !== undefined && { truth }) }
}

/** Flags that were given as options; those that were not have no key. */
function optionsOf(values: Flags): AuditOptions {
  const given = {
    seed: wholeNumber('seed', values.seed),
    seeds: wholeNumber('seeds', values.seeds),
    secondsPerAttack: wholeNumber('seconds-per-attack', values['seconds-per-attack']),
    observers: askedObservers(values.observer),
    resume: values.resume,
    plugins: values.plugin,
  }
  const ports = { out: values.out, dataDir: values['data-dir'], workers: wholeNumber('workers', values.workers) }
  return { ...defined(given), ports: nodePorts(defined(ports)), report: reportHtml }
}

function askedObservers(name: string | undefined): AuditOptions['observers'] {
  return name === undefined || name === 'all' ? name : [name]
}
