/** A job that asks an attack in the cells of the ladder: from plain data to plain data. */
import type { Attack } from '../../attacks/attack.js'
import { attacks } from '../../attacks/index.js'
import { lookup } from '../../errors.js'
import type { CellGuess } from '../../metrics/cells/public-guesses.js'
import { rng } from '../../numeric/random/rng.js'
import type { Sources } from '../../threat/grant.js'
import type { Channel } from '../../threat/granted-keys.js'
import type { AttackResult } from '../attack-result.js'
import type { Evidence } from '../evidence.js'
import { knownOf } from '../gradings.js'
import type { JobHooks } from '../job.js'
import { deriver } from '../kept/deriver.js'
import { type Keeper, memoryKeeper } from '../kept/keeper.js'
import type { Job } from '../plan-jobs.js'
import { gradedBy, type Result } from '../run-attack.js'
import type { Answer, Ask } from './answer.js'
import { askAttack } from './ask-attack.js'
import { askClients } from './ask-clients.js'
import { globalModel } from './global-model.js'
import { NoAnswer } from './no-answer.js'

/** What a runner keeps for all jobs on one training. */
export interface AskedEvidence extends Evidence {
  readonly without?: Sources
  readonly guesses: Map<string, readonly CellGuess[]>
  channelTo?(client: string): Promise<Channel | undefined>
}

/** Attacks that are asked about ladders: those of the table, and the global model as it stands. */
export const asked = (table: Readonly<Record<string, Attack>> = attacks): Readonly<Record<string, Attack>> => ({
  ...table,
  [globalModel.id]: globalModel,
})

export async function runAsked(
  job: Job,
  ask: Ask,
  evidence: AskedEvidence,
  hooks: JobHooks = {},
): Promise<AttackResult> {
  const { now = () => 0, keeper = memoryKeeper(), onTick, check } = hooks
  const table = asked(hooks.table)
  const attack = lookup(table, job.attack, 'attack')
  const start = now()
  const outcome = await settledAnswers(job.attack, () =>
    answersOf(attack, { job, ask, evidence, table, keeper, onTick, check }),
  )
  const { answers, notAsked, result } = outcome
  return {
    attack: job.attack,
    status: result?.status ?? 'claimed',
    oracle: false,
    observer: job.observer,
    model: null,
    target: job.target,
    params: job.params,
    seed: job.seed,
    findings: [],
    ...(result?.status === 'not-applicable' && { missing: result.missing, ...(result.why && { why: result.why }) }),
    ...(result?.status === 'failed' && { error: result.error }),
    warnings: [],
    details: {},
    ladder: { repeat: ask.repeat, answers, ...(notAsked !== undefined && { notAsked }) },
    millis: Math.round(now() - start),
  }
}

interface Settled {
  readonly answers: readonly Answer[]
  readonly notAsked?: string
  readonly result?: Exclude<Result, { readonly status: 'claimed' }>
}

/** What an attack throws, and a claim whose numbers cannot be graded, is a failure of the attack: the audit goes on. */
async function settledAnswers(attack: string, run: () => Promise<readonly Answer[] | string>): Promise<Settled> {
  try {
    const found = await run()
    return typeof found === 'string' ? { answers: [], notAsked: found } : { answers: found }
  } catch (error) {
    return { answers: [], result: error instanceof NoAnswer ? error.result : gradedBy(error, attack) }
  }
}

interface Around {
  readonly job: Job
  readonly ask: Ask
  readonly evidence: AskedEvidence
  readonly table: Readonly<Record<string, Attack>>
  readonly keeper: Keeper
  readonly onTick: JobHooks['onTick']
  readonly check: JobHooks['check']
}

async function answersOf(attack: Attack, given: Around): Promise<readonly Answer[] | string> {
  const { job, ask, evidence, table, keeper, onTick, check } = given
  const { sources, truth, without, guesses, channelTo } = evidence
  if (truth === undefined) return 'there is no truth to grade it by'
  const around = {
    observer: job.observer,
    rng: rng(job.seed).fork('target', job.target ?? ''),
    derive: deriver(rng(job.seed).fork('derived'), keeper),
    table,
    ...(job.workBudget !== undefined && { workBudget: job.workBudget }),
    ...(job.fromParams !== undefined && { fromParams: job.fromParams }),
    ...(onTick !== undefined && { onTick: onTick.bind(undefined) }),
    ...(check !== undefined && { check: check.bind(undefined) }),
  }
  const draws = rng(job.seed).fork('ladder', ask.client ?? '')
  const { params } = job
  if (ask.client === null) {
    return askClients({
      attack,
      params,
      sources,
      truth,
      around,
      rng: draws,
      candidates: ask.candidates,
      ranked: ask.ranked,
    })
  }
  return askAttack({
    attack,
    params,
    ask: { ...ask, client: ask.client },
    sources,
    ...(without !== undefined && { without }),
    truth,
    known: await knownOf(sources),
    around,
    rng: draws,
    guesses,
    ...(channelTo !== undefined && { channelTo: channelTo.bind(undefined) }),
  })
}
