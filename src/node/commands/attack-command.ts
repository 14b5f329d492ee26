/** `overhear attack ID`: one attack on a recorded run, graded where the truth is given. */

import { attackOrOracle, runJob } from '../../audit/job.js'
import { openRecording } from '../../audit/open-recording.js'
import { observersOf } from '../../audit/plan-jobs.js'
import type { Given } from '../../audit/run-attack.js'
import { OverhearError } from '../../errors.js'
import { readParams } from '../../params.js'
import { attackText } from '../../report/attack-text.js'
import { targetOf } from '../../threat/grant.js'
import type { Observer } from '../../threat/observer.js'
import { type ObserverName, observerCalled, observers } from '../../threat/observers.js'
import { enterPlugins } from '../files/plugin-file.js'
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
  await enterPlugins(values.plugin ?? [])
  if (name === undefined) throw new OverhearError('E_INPUT', 'attack with what?', 'see "overhear list attacks"')
  const { attack, oracle } = attackOrOracle(name)
  const one = attack ?? oracle
  const params = settings(values.set ?? [])
  readParams(one.params, params, `attack ${name}`)
  const { transcript, knowledge, truth } = values
  if (transcript === undefined) {
    throw new OverhearError('E_INPUT', 'there is no recording to attack', 'give --transcript DIR')
  }
  const evidence = await openRecording({ transcript, ...defined({ knowledge, truth }) }, recordingPorts)
  const { knowledge: known, transcript: recording } = evidence.sources
  const warnings = [...recording.warnings, ...(known?.warnings ?? []), ...(evidence.truth?.warnings ?? [])]
  if (!values.quiet) for (const warning of warnings) console.error(`overhear: ${warning}`)
  const bar = progress({ total: 100, what: name, quiet: values.quiet ?? false })
  const job = {
    attack: name,
    params,
    observer: observerFor(one, params, values.observer),
    controls: false,
    target: targetOf(evidence.sources) ?? null,
    seed: wholeNumber('seed', values.seed) ?? 1,
  }
  const result = await runJob(job, evidence, {
    now: () => performance.now(),
    onTick: (done, total) => bar.tick(Math.round((100 * done) / total)),
  })
  bar.end()
  console.log(values.json ? JSON.stringify(result) : attackText(result))
  return result.status === 'failed' ? 4 : 0
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
