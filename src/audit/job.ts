/** One job: run an attack (or an oracle) on the evidence, grade it, test it on its controls, and say it in plain data. */
import type { Attack, Claimed } from '../attacks/attack.js'
import type { Claim, ModelClaim } from '../attacks/claim.js'
import { attacks } from '../attacks/index.js'
import { type ErrorCode, lookup, OverhearError } from '../errors.js'
import { scoreClaim } from '../metrics/index.js'
import { rng } from '../numeric/random/rng.js'
import type { Truth, TruthFile } from '../transcript/truth-file.js'
import { type AttackResult, type Controls, type Finding, plain } from './attack-result.js'
import { boundsOf } from './bounds.js'
import { runControls } from './controls.js'
import type { Evidence } from './evidence.js'
import { gradingOf } from './gradings.js'
import { deriver } from './kept/deriver.js'
import { type Keeper, memoryKeeper } from './kept/keeper.js'
import { type Oracle, oracles, runOracle } from './oracles/index.js'
import type { Job } from './plan-jobs.js'
import { retoldClaims } from './plants/retold-claims.js'
import { rebuiltOf } from './rebuilt-records.js'
import { comparedHalves } from './recorded/halves.js'
import { madeUpTruth } from './recorded/made-up-truth.js'
import { fittingParams, gradedBy, type Result, runAttack, type Surroundings, withoutCurve } from './run-attack.js'

export interface JobHooks {
  onTick?(done: number, total: number): void
  /** Throws when the job must stop. */
  check?(): void
  /** Milliseconds; results hold the difference of two calls. */
  now?(): number
  /** Told what is claimed before its controls run. */
  onClaimed?(result: AttackResult): void
  /** What was claimed before: only its controls are run. */
  readonly claimed?: AttackResult
  /** What was derived for other jobs; unless told, nothing is kept beyond this one. */
  readonly keeper?: Keeper
  /** Attacks besides those of the table, for tests of the audit itself. */
  readonly table?: Readonly<Record<string, Attack>>
}

/** Attacks and oracles by id. */
export function attackOrOracle(
  id: string,
  table: Readonly<Record<string, Attack>> = attacks,
): { readonly attack: Attack; readonly oracle?: undefined } | { readonly attack?: undefined; readonly oracle: Oracle } {
  const one = lookup<Attack | Oracle>({ ...table, ...oracles }, id, 'attack')
  return 'oracle' in one ? { oracle: one } : { attack: one }
}

/** What is noticed while a job runs: whether it was told the truth, and the model that it was built on. */
interface Noticed {
  toldTheTruth: boolean
  base: ModelClaim | undefined
}

export async function runJob(job: Job, evidence: Evidence, hooks: JobHooks = {}): Promise<AttackResult> {
  const { now = () => 0, table = attacks } = hooks
  const { attack, oracle } = attackOrOracle(job.attack, table)
  const noticed: Noticed = { toldTheTruth: oracle !== undefined, base: undefined }
  const around = surroundingsOf(job, evidence, { ...hooks, table, noticed })
  const start = now()
  const millis = (since: number): number => Math.round(now() - since)
  const before = hooks.claimed ?? { ...(await claimOf(job, evidence, { around, noticed })), millis: millis(start) }
  if (attack === undefined || before.status === 'not-applicable') return before
  if (job.retold !== undefined) {
    const redrawn = (): Surroundings =>
      surroundingsOf({ ...job, seed: job.seed + 1 }, evidence, { ...hooks, table, noticed })
    const { params, retold: how } = job
    const retold = await retoldClaims(attack, { params, around, redrawn, findings: before.findings, how })
    return { ...before, ...(retold !== undefined && { retold }), millis: millis(start) }
  }
  if (evidence.truth === undefined && !job.withoutTruth) return before
  if (evidence.truth !== undefined && !job.controls) return before
  if (hooks.claimed === undefined) hooks.onClaimed?.(before)
  const middle = now()
  const halves =
    evidence.truth === undefined && before.status === 'claimed'
      ? await comparedHalves(attack, job.params, around, before)
      : undefined
  const controls = job.controls ? await controlsOf(attack, job, { evidence, around }) : undefined
  const told = before.oracle || noticed.toldTheTruth
  return {
    ...before,
    oracle: told,
    ...(controls !== undefined && { controls }),
    ...(halves !== undefined && { halves }),
    millis: before.millis + millis(middle),
  }
}

/** Graded by the truth; where there is none, by what was drawn and planted. */
function controlsOf(
  attack: Attack,
  job: Job,
  { evidence, around }: { readonly evidence: Evidence; readonly around: Surroundings },
): Promise<Controls> {
  const { sources } = evidence
  const drawn = (): Truth =>
    madeUpTruth(sources, job.target, around.rng.fork('drawn', attack.id), attack.target === 'model')
  const truth: Truth & Partial<TruthFile> = evidence.truth ?? drawn()
  return runControls(attack, job.params, {
    around,
    truth,
    grade: async (outcome) => {
      const { result, findings } = await graded(outcome, { sources, truth, base: undefined, needs: [] }, job.attack)
      if (result.status !== 'failed') return findings[0]?.score ?? null
      throw new OverhearError(result.error.code as ErrorCode, result.error.message)
    },
  })
}

interface Claiming {
  readonly around: Surroundings
  readonly noticed: Noticed
}

/** What came of the attack itself, graded. */
async function claimOf(
  job: Job,
  evidence: Evidence,
  { around, noticed }: Claiming,
): Promise<Omit<AttackResult, 'millis'>> {
  const { attack, oracle } = attackOrOracle(job.attack, around.table)
  const claimed =
    oracle === undefined
      ? await runAttack(attack, job.withoutCurve ? withoutCurve(attack, job.params) : job.params, around)
      : await runOracle(oracle, job.params, { around, ...evidence })
  const { needs } = attack ?? oracle
  const { result, findings } = await graded(claimed, { ...evidence, base: noticed.base, needs }, job.attack)
  return {
    attack: job.attack,
    status: result.status,
    oracle: noticed.toldTheTruth,
    observer: job.observer,
    model: null,
    target: job.target,
    params: job.params,
    seed: job.seed,
    findings,
    ...wordsOf(result),
  }
}

type HooksOfJob = Pick<JobHooks, 'onTick' | 'check' | 'keeper'> & Required<Pick<JobHooks, 'table'>>

function surroundingsOf(
  job: Job,
  evidence: Evidence,
  { table, noticed, onTick, check, keeper = memoryKeeper() }: HooksOfJob & { readonly noticed: Noticed },
): Surroundings {
  const around: Surroundings = {
    sources: evidence.sources,
    observer: job.observer,
    rng: rng(job.seed).fork('target', job.target ?? ''),
    // The same for all attacks, targets and observers of a seed: what they derive of the same is the same.
    derive: deriver(rng(job.seed).fork('derived'), keeper),
    table,
    ...(job.workBudget !== undefined && { workBudget: job.workBudget }),
    ...(job.fromParams !== undefined && { fromParams: job.fromParams }),
    oracle: (id, params) => {
      if (!Object.hasOwn(oracles, id)) return undefined
      noticed.toldTheTruth = true
      const own = { ...fittingParams(oracles[id]!, job.fromParams), ...params }
      return runOracle(oracles[id]!, own, { around, ...evidence })
    },
    onClaim(outcome) {
      const claim = outcome.status === 'claimed' ? outcome.claims[0] : undefined
      if (claim?.kind === 'model') noticed.base = claim
    },
    ...(onTick !== undefined && { onTick }),
    ...(check !== undefined && { check }),
  }
  return around
}

/** What came of an attack, besides its findings. */
function wordsOf(result: Result) {
  return {
    ...(result.status === 'not-applicable' && {
      missing: result.missing,
      ...(result.why !== undefined && { why: result.why }),
    }),
    ...(result.status === 'failed' && { error: result.error }),
    warnings: result.status === 'claimed' ? result.warnings : [],
    details: result.status === 'claimed' ? result.details : {},
    ...(result.status === 'claimed' && result.fit !== undefined && { fit: result.fit }),
    ...(result.status === 'claimed' && result.workings !== undefined && { workings: result.workings }),
  }
}

/** Evidence, with the model that an attack was built on, and what it needs. */
interface Graded extends Pick<Evidence, 'sources'> {
  readonly truth?: Truth & Partial<TruthFile>
  readonly base: ModelClaim | undefined
  readonly needs: Attack['needs']
}

/** A claim that cannot be graded because of its numbers has failed: the audit goes on. */
async function graded(
  result: Result,
  evidence: Graded,
  attack: string,
): Promise<{ readonly result: Result; readonly findings: readonly Finding[] }> {
  if (result.status !== 'claimed') return { result, findings: [] }
  try {
    return { result, findings: await findingsOf(result, evidence) }
  } catch (error) {
    return { result: gradedBy(error, attack), findings: [] }
  }
}

async function findingsOf({ claims, details }: Claimed, evidence: Graded): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const claim of claims) findings.push(await findingOf(claim, { ...evidence, details }))
  return findings
}

type GradedBy = Graded & Pick<Claimed, 'details'>

async function findingOf(claim: Claim, { sources, truth, base, needs, details }: GradedBy): Promise<Finding> {
  const own = { claim: plain(claim), score: null }
  if (truth === undefined) return own
  const grading = await gradingOf(claim, { sources, truth })
  const score = await scoreClaim(claim, grading)
  if ('missing' in score) return { ...own, lacks: score.missing }
  const bounds = await boundsOf(claim, { sources, truth, base, by: { needs, details } })
  const also = { ...score.also, ...bounds.figures }
  const notes = [...score.notes, ...bounds.notes]
  const rebuilt = await rebuiltOf(claim, score, { grading, model: sources.transcript.manifest.model })
  return { ...own, score: plain({ ...score, also, notes }), ...(rebuilt !== undefined && { rebuilt }) }
}
