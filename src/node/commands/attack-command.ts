/** `overhear attack ID`: one attack on a recorded run, graded where the truth is given. */

import type { AttackResult } from '../../audit/attack-result.js'
import type { Evidence } from '../../audit/evidence.js'
import { attackOrOracle, runJob } from '../../audit/job.js'
import { openRecording } from '../../audit/open-recording.js'
import { observersOf } from '../../audit/plan-jobs.js'
import { targetsIn } from '../../audit/recorded/aimed-knowledge.js'
import type { Given } from '../../audit/run-attack.js'
import { OverhearError } from '../../errors.js'
import { readParams } from '../../params.js'
import { attackText } from '../../report/attack-text.js'
import { targetOf } from '../../threat/grant.js'
import type { Observer } from '../../threat/observer.js'
import { type ObserverName, observerCalled, observers } from '../../threat/observers.js'
import { enterPlugins } from '../files/plugin-file.js'
import { print, printJson } from '../print.js'
import { progress } from '../progress.js'
import { recordingPorts } from '../recording-ports.js'
import { commonFlags, defined, parseNamed, settings, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  transcript: { type: 'string' },
  knowledge: { type: 'string' },
  truth: { type: 'string' },
  observer: { type: 'string' },
  set: { type: 'string', multiple: true },
} as const

export async function runAttackCommand(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  await enterPlugins(values.plugin ?? [], values['trust-plugins'])
  if (name === undefined) throw new OverhearError('E_INPUT', 'attack with what?', 'see "overhear list attacks"')
  const { attack, oracle } = attackOrOracle(name)
  const one = attack ?? oracle
  const params = settings(values.set ?? [])
  readParams(one.params, params, `attack ${name}`)
  const { transcript, knowledge, truth } = values
  if (transcript === undefined) {
    throw new OverhearError('E_INPUT', 'there is no recording to attack', 'give --transcript DIR')
  }
  const paths = { transcript, ...defined({ knowledge, truth }) }
  const evidence = await openRecording(paths, recordingPorts)
  const { knowledge: known, transcript: recording } = evidence.sources
  const warnings = [...recording.warnings, ...(known?.warnings ?? []), ...(evidence.truth?.warnings ?? [])]
  const { targets, left } = await aimsOf(one, evidence)
  if (left > 0) warnings.push(`no target is named: the first ${targets.length} clients are attacked, ${left} are not`)
  if (!values.quiet) for (const warning of warnings) console.error(`overhear: ${warning}`)
  const bar = progress({ total: 100 * targets.length, what: name, quiet: values.quiet ?? false })
  const results: AttackResult[] = []
  for (const [i, target] of targets.entries()) {
    const job = {
      attack: name,
      params,
      observer: observerFor(one, params, values.observer),
      controls: false,
      target,
      seed: wholeNumber('seed', values.seed) ?? 1,
    }
    const open = target === null || targetOf(evidence.sources) !== undefined
    const aimed = open ? evidence : await openRecording({ ...paths, target }, recordingPorts)
    const result = await runJob(job, aimed, {
      now: () => performance.now(),
      onTick: (done, total) => bar.tick(100 * i + Math.round((100 * done) / total)),
    })
    results.push(result)
  }
  bar.end()
  if (values.json) await printJson(results.length === 1 ? results[0] : results)
  else await print(results.map(attackText).join('\n'))
  return results.some(({ status }) => status === 'failed') ? 4 : 0
}

/** One attack is run on so many clients, where none is named. */
const mostTargets = 20

/** Whom to attack: the client that is named; else, of an attack on one client, each whose messages were heard. */
async function aimsOf(
  { needs, uses }: Parameters<typeof observersOf>[0],
  { sources }: Evidence,
): Promise<{ readonly targets: readonly (string | null)[]; readonly left: number }> {
  const named = targetOf(sources)
  if (named !== undefined) return { targets: [named], left: 0 }
  const aimed = needs.includes('target') || uses.includes('target')
  const { targets, left } = aimed ? await targetsIn(sources.transcript, mostTargets) : { targets: [], left: 0 }
  return { targets: targets.length === 0 ? [null] : targets, left }
}

/** Whoever may know the most: what it lacks, everybody lacks. */
function mostKnowing(): ObserverName {
  const all = Object.values<Observer>(observers)
  return all.reduce((most, one) => (one.mayKnow.size > most.mayKnow.size ? one : most)).id
}

/** The weakest observer who may know what the attack needs, unless one was named. */
function observerFor(one: Parameters<typeof observersOf>[0], params: Given, asked: string | undefined): ObserverName {
  if (asked !== undefined) {
    return observerCalled(asked).id
  }
  return observersOf(one, params)[0] ?? mostKnowing()
}
