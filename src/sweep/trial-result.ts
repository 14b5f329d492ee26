/** What is kept of a trial: its questions, scores and utility as flat rows. It depends on nothing but the configuration. */
import { z } from 'zod'
import type { AttackResult } from '../audit/attack-result.js'
import { audit } from '../audit/audit.js'
import type { AuditDocument } from '../audit/document.js'
import type { Question } from '../audit/ladder/question.js'
import type { AuditPorts } from '../audit/ports.js'
import type { ScenarioInput } from '../scenario/scenario-schema.js'

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
const row = z.record(z.string(), cell)

/** Rows of a table: words, numbers, or nothing. */
export type Row = z.output<typeof row>

export const trialResultSchema = z.object({
  hash: z.string(),
  level: z.string(),
  tested: z.int().min(0),
  notTested: z.int().min(0),
  questions: z.array(row),
  scores: z.array(row),
  utility: z.array(row),
})

export type TrialResult = z.output<typeof trialResultSchema>

/** Audits the scenario of a trial and keeps what a sweep compares. */
export async function runTrial(scenario: ScenarioInput, ports: AuditPorts): Promise<TrialResult> {
  const audited = await audit({ ...scenario, secondsPerAttack: null }, { ports }).result
  return resultOf(audited)
}

/** What an observer learns just as a weaker one does is told once. */
export function resultOf({ hash, verdict, questions, observers, utility, diverged }: AuditDocument): TrialResult {
  const results = observers.flatMap(({ attacks }) => attacks).filter(({ sameAs }) => sameAs === undefined)
  return {
    hash,
    level: verdict.level,
    tested: verdict.tested,
    notTested: verdict.notTested,
    questions: questions.filter(({ sameAs }) => sameAs === undefined).map(questionRow),
    scores: results.flatMap(scoreRows),
    utility: Object.entries(utility).map(([model, { rounds, trainLoss, heldOutLoss, metric, value }]) => ({
      model,
      rounds,
      trainLoss: finite(trainLoss),
      heldOutLoss: finite(heldOutLoss),
      metric,
      value: finite(value),
      diverged: diverged[model] ?? null,
    })),
  }
}

/** JSON has no other numbers. */
const finite = (x: number | null | undefined): number | null => (x != null && Number.isFinite(x) ? x : null)

function questionRow({ observer, target, model, kind, name, level, ladder, test, notTested }: Question): Row {
  return {
    observer,
    target,
    model,
    kind,
    name,
    level,
    metric: ladder.metric,
    better: ladder.better,
    guess: finite(ladder.guess),
    federation: finite(ladder.federation),
    client: finite(ladder.client),
    record: finite(ladder.record),
    everybody: finite(ladder.everybody),
    recordStep: finite(test.record?.effect),
    recordP: finite(test.record?.adjusted),
    clientStep: finite(test.client?.effect),
    clientP: finite(test.client?.adjusted),
    notTested,
  }
}

function scoreRows({ attack, params, observer, target, model, status, findings, error, oracle }: AttackResult): Row[] {
  if (status === 'not-applicable') return []
  const about = { observer, attack, params: JSON.stringify(params), target, model, oracle, status }
  const nothing = { kind: null, name: null, metric: null, better: null, value: null, chance: null, lift: null }
  if (findings.length === 0) return [{ ...about, ...nothing, reason: error?.message ?? null }]
  return findings.map(({ claim, score }) => {
    const { name } = claim as { readonly name?: unknown }
    return {
      ...about,
      kind: claim.kind,
      name: typeof name === 'string' ? name : null,
      metric: score?.metric ?? null,
      better: score?.better ?? null,
      value: finite(score?.value),
      chance: finite(score?.chance),
      lift: finite(score?.lift),
      reason: null,
    }
  })
}
