/** The lab: a small federation to poke, audited where it is called, with the rungs of its ladder as they come. */
import type { AttackResult } from '../audit/attack-result.js'
import { audit } from '../audit/audit.js'
import type { Answer } from '../audit/ladder/answer.js'
import type { Question } from '../audit/ladder/question.js'
import { memoryPorts } from '../audit/memory-ports.js'
import type { ScenarioInput } from '../scenario/scenario-schema.js'

export interface LabSettings {
  /** Records of a step; 0: all that a client has. */
  readonly batchSize: number
  readonly localEpochs: number
  /** Rounds, all of which the eavesdropper hears. */
  readonly rounds: number
  /** Between 0 and 0.5. */
  readonly heterogeneity: number
  /** The noise multiplier of DP-SGD; 0: no noise, and nothing is clipped. */
  readonly noise: number
  /** What else clients do to what they send, or train on. */
  readonly defence?: LabDefence
  readonly seed: number
}

/** Defences that promise nothing, each as the table has it. */
export const labDefences = ['none', 'quantise', 'sparsify', 'gradient-pruning', 'mixup'] as const
export type LabDefence = (typeof labDefences)[number]

/** What of a question the lab shows. */
export type LabQuestion = Pick<Question, 'target' | 'kind' | 'name' | 'level' | 'ladder' | 'test'>

export type LabEvent =
  | { readonly kind: 'progress'; readonly training: number; readonly trainings: number; readonly attacks: number }
  /** The rungs so far, means over the trainings that were asked; nothing is judged yet. */
  | { readonly kind: 'rungs'; readonly questions: readonly LabQuestion[] }
  | { readonly kind: 'done'; readonly questions: readonly LabQuestion[]; readonly use: number | null }

/** Who is a union member among the workers of one client, of eight, whose wages are predicted. */
function labScenario(settings: LabSettings): ScenarioInput {
  const { batchSize, localEpochs, rounds, heterogeneity, noise, seed, defence = 'none' } = settings
  return {
    name: 'lab',
    seed,
    repeats: 6,
    data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.2 },
    partition: { name: 'heterogeneous', params: { clients: 8, heterogeneity, attribute: 'union' } },
    models: [{ kind: 'linear' }],
    training: { rounds, localEpochs, batchSize: batchSize === 0 ? null : batchSize, learningRate: 0.1 },
    defences: [
      ...(noise === 0 ? [] : [{ name: 'dp-sgd', params: { maxNorm: 1, noiseMultiplier: noise } }]),
      ...(defence === 'none' ? [] : [{ name: defence }]),
    ],
    knowledge: { targets: ['0'], sensitive: ['union'] },
    observers: ['eavesdropper'],
    // The quick ones first, so that there is something to see; the last reads through noise that silences them.
    attacks: [
      'last-returned',
      'lmra-ols',
      'aia-model',
      { id: 'aia-model', params: { from: 'lmra-ols' } },
      'aia-linear',
    ],
    controls: false,
  }
}

/** Plays it, and tells on the way. */
export async function* runLab(settings: LabSettings): AsyncGenerator<LabEvent> {
  const run = audit(labScenario(settings), { ports: memoryPorts() })
  const rungs = rungsSoFar()
  let [training, trainings, attacks] = [0, 0, 0]
  for await (const event of run) {
    if (event.kind === 'training') [training, trainings] = [event.number, event.total]
    else if (event.kind === 'attacked') {
      attacks++
      if (rungs.take(event.result)) yield { kind: 'rungs', questions: rungs.questions() }
    } else continue
    yield { kind: 'progress', training, trainings, attacks }
  }
  const { questions, utility } = await run.result
  const own = questions.filter(({ sameAs }) => sameAs === undefined)
  const shown = own.map(({ target, kind, name, level, ladder, test }) => ({ target, kind, name, level, ladder, test }))
  yield { kind: 'done', questions: shown, use: Object.values(utility)[0]?.value ?? null }
}

type Cell = 'guess' | 'federation' | 'client' | 'record' | 'everybody'

interface Seen {
  readonly first: Answer
  readonly target: string | null
  /** By attack, by cell: the scores of the trainings so far. */
  readonly byAttack: Map<string, Partial<Record<Cell, number[]>>>
}

/** Means by attack, and of these the best on each rung. */
function rungsSoFar() {
  const seen = new Map<string, Seen>()
  return {
    /** Whether there was anything in it. */
    take({ attack, params, target, ladder }: AttackResult): boolean {
      const answers = ladder?.answers ?? []
      for (const one of answers) {
        const key = `${one.kind} ${one.name} ${target}`
        const known = seen.get(key) ?? { first: one, target, byAttack: new Map() }
        seen.set(key, known)
        const by = `${attack} ${JSON.stringify(params)}`
        const cells = known.byAttack.get(by) ?? {}
        known.byAttack.set(by, cells)
        const scores: [Cell, number | undefined][] = [
          ['guess', one.guess?.held],
          ['federation', one.federation],
          ['client', one.held[0]],
          ['record', one.trained[0]],
          ['everybody', one.everybody],
        ]
        for (const [cell, score] of scores) {
          if (score === undefined || !Number.isFinite(score)) continue
          const list = cells[cell] ?? []
          list.push(score)
          cells[cell] = list
        }
      }
      return answers.length > 0
    },
    questions: (): LabQuestion[] => [...seen.values()].map(questionOf),
  }
}

function questionOf({ first, target, byAttack }: Seen): LabQuestion {
  const { kind, name, metric, better, best } = first
  const bestOf = (cell: Cell): number | null => {
    const means = [...byAttack.values()].flatMap((cells) => {
      const list = cells[cell]
      return list === undefined ? [] : [list.reduce((sum, x) => sum + x, 0) / list.length]
    })
    if (means.length === 0) return null
    return better === 'higher' ? Math.max(...means) : Math.min(...means)
  }
  const [guess, federation, client, record] = [
    bestOf('guess'),
    bestOf('federation'),
    bestOf('client'),
    bestOf('record'),
  ]
  const ladder = {
    metric,
    better,
    best,
    guess,
    guesser: null,
    federation,
    client,
    record,
    everybody: bestOf('everybody'),
  }
  return { target, kind, name, level: 'not-tested', ladder, test: { record: null, client: null } }
}
