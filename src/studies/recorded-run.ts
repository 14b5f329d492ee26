/** A training for a study: a scenario simulated in memory, and attacks on what was recorded of it. */
import type { AttackResult } from '../audit/attack-result.js'
import { attackOrOracle } from '../audit/job.js'
import { jobRunner } from '../audit/job-runner.js'
import { memoryKeeper } from '../audit/kept/keeper.js'
import type { LiveRun } from '../audit/live-run.js'
import { memoryPorts } from '../audit/memory-ports.js'
import { openRecording } from '../audit/open-recording.js'
import { observersOf } from '../audit/plan-jobs.js'
import { readScenario } from '../audit/read-scenario.js'
import { OverhearError } from '../errors.js'
import type { Score } from '../metrics/score.js'
import type { Scenario, ScenarioInput } from '../scenario/scenario-schema.js'
import { simulate } from '../scenario/simulate.js'
import { knowledgeName } from '../scenario/write-world.js'
import type { Sources } from '../threat/grant.js'
import type { ObserverName } from '../threat/observers.js'
import { memoryFolder } from '../transcript/memory-folder.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import type { StudyPorts } from './study.js'

type Given = Readonly<Record<string, unknown>>

export interface Asked {
  readonly params?: Given
  /** For the attack that it builds on (`from=`). */
  readonly fromParams?: Given
  /** null: the attack is about all clients. */
  readonly target: string | null
  /** Which recording, of a recorder that makes several: the folder of its transcript. */
  readonly part?: string
  /** Where it stands; unless told, the weakest who may know what it needs. */
  readonly observer?: ObserverName
  /** The rounds that are heard; all unless told. */
  readonly heard?: readonly number[]
  /** The round from which on an active attack sends; the end of the training unless told. */
  readonly activeFrom?: number
}

/** What was recorded, to be attacked. */
export interface RecordedRun {
  readonly targets: readonly string[]
  /** The whole of what came of an attack. */
  attack(id: string, asked: Asked): Promise<AttackResult>
  /** The score of its first claim; whatever is in the way of one is an error. */
  score(id: string, asked: Asked): Promise<Score>
  /** The same, but undefined where the attack says that it does not apply: it may doubt the protocol, and claim nothing. */
  scoreIfAny(id: string, asked: Asked): Promise<Score | undefined>
  /** What views of a target are cut from, for what no attack tells. */
  sources(target: string): Promise<Sources>
}

/** Detectors of 300 rounds of the largest model: they are trained once for all numbers of rounds and all attacks. */
const derivedBytes = 512 * 1024 * 1024

/** Writes transcript, knowledge and truth of a scenario below folders; whom it attacks comes back. */
export type Recorder = (
  scenario: Scenario,
  folder: (path: string) => WritableStore,
) => Promise<{ readonly targets: readonly string[] }>

/** Trains the only model of a scenario, or lets `record` do so in another way. */
export async function recordedRun(
  input: ScenarioInput,
  { dataset }: StudyPorts,
  record?: Recorder,
): Promise<RecordedRun> {
  const scenario = readScenario(input)
  const files = new Map<string, Uint8Array>()
  const folder = (path: string): WritableStore => memoryFolder(files, path === '' ? 'run' : `run/${path}`)
  const ports = memoryPorts({ files, dataset })
  const [root, targets] = record
    ? ['run', (await record(scenario, folder)).targets]
    : await simulated(scenario, { folder, dataset, clients: ports.threads.clients })
  const under = (path: string): string => `${root}/${path}`
  const run = jobRunner({ ...ports.files, folder: (path) => memoryFolder(files, path) })
  const keeper = memoryKeeper({ maxBytes: derivedBytes })
  const known = (target: string | null): string => under(knowledgeName(target ?? targets[0]!, targets[0]!))
  const live: LiveRun | undefined = record ? undefined : { scenario, model: 0, checkpoints: under('checkpoints') }
  const attack: RecordedRun['attack'] = (
    id,
    { params = {}, fromParams, target, part = 'transcript', observer: asked, heard, activeFrom = null },
  ) => {
    const { attack: own, oracle } = attackOrOracle(id)
    const observer = asked ?? observersOf(own ?? oracle!, params)[0]
    if (observer === undefined) throw new OverhearError('E_INTERNAL', `internal: nobody may run ${id}`)
    const transcript = heard === undefined ? under(part) : heardPart(files, under(part), heard)
    return run(
      {
        job: {
          attack: id,
          params,
          observer,
          target,
          seed: scenario.seed,
          controls: false,
          ...(fromParams !== undefined && { fromParams }),
        },
        paths: { transcript, knowledge: known(target), truth: under('truth') },
        ...(live !== undefined && {
          live: activeFrom === null ? live : { ...live, scenario: { ...scenario, activeFrom } },
        }),
      },
      { keeper },
    )
  }
  const scoreIn = ({ attack: id, findings, status, missing, why, error }: AttackResult): Score => {
    const score = findings[0]?.score
    if (score != null) return score
    const reason = error?.message ?? [status, why, ...(missing ?? []), ...(findings[0]?.lacks ?? [])].join(' ')
    throw new OverhearError('E_INPUT', `${id} has no score on ${scenario.name}: ${reason}`)
  }
  return {
    targets,
    attack,
    score: async (id, asked) => scoreIn(await attack(id, asked)),
    async scoreIfAny(id, asked) {
      const result = await attack(id, asked)
      return result.status === 'not-applicable' ? undefined : scoreIn(result)
    },
    async sources(target) {
      const paths = { transcript: under('transcript'), knowledge: known(target) }
      return (await openRecording(paths, ports.files)).sources
    },
  }
}

/** The same transcript with some of its rounds; where it lies. */
function heardPart(files: Map<string, Uint8Array>, path: string, heard: readonly number[]): string {
  const own = `${path}-heard-${heard.join('-')}`
  if (files.has(`${own}/transcript.json`)) return own
  for (const [name, bytes] of [...files]) {
    if (name.startsWith(`${path}/`)) files.set(own + name.slice(path.length), bytes)
  }
  const lines = new TextDecoder().decode(files.get(`${path}/rounds.jsonl`)!).split('\n')
  const kept = lines.filter((line) => line !== '' && heard.includes((JSON.parse(line) as { round: number }).round))
  files.set(`${own}/rounds.jsonl`, new TextEncoder().encode(kept.map((line) => `${line}\n`).join('')))
  return own
}

async function simulated(
  scenario: Scenario,
  ports: Parameters<typeof simulate>[1]['ports'],
): Promise<[root: string, targets: readonly string[]]> {
  const [run] = await simulate(scenario, { ports, models: [0], optima: false }).result
  return [['run', run!.folder].filter((part) => part !== '').join('/'), run!.targets]
}
