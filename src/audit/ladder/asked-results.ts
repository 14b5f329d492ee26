/** Answers of all trainings, put together by the question that they answer. */
import type { Attack } from '../../attacks/attack.js'
import type { ObserverName } from '../../threat/observers.js'
import type { AttackResult } from '../attack-result.js'
import type { Planned } from '../plan-jobs.js'
import type { Answer } from './answer.js'

/** One job of the ladder: what was planned, and what came of it in one training. */
export interface AskedResult {
  readonly planned: Planned
  readonly attack: Pick<Attack, 'id' | 'target'>
  readonly result: AttackResult
}

/** One attack in all trainings, as far as it answers one question. */
export interface AskedAttack {
  readonly id: string
  readonly params: AttackResult['params']
  /** By training; undefined where it gave no answer. */
  readonly answers: readonly (Answer | undefined)[]
  /** What became of it in each training, whether it answered or not. */
  readonly results: readonly AttackResult[]
}

/** Everything that bears on one question of one observer. */
export interface AskedQuestion {
  readonly observer: ObserverName
  readonly model: string | null
  readonly target: string | null
  readonly kind: string
  readonly name: string | null
  readonly attacks: readonly AskedAttack[]
}

/** Questions by observer, model, target, kind and name, in the order in which they were asked. */
export function askedQuestions(
  asked: readonly AskedResult[],
  { observers, repeats }: { readonly observers: readonly ObserverName[]; readonly repeats: number },
): AskedQuestion[] {
  return observers.flatMap((observer) => {
    const own = asked.filter(({ planned: { job, alsoFor } }) => job.observer === observer || alsoFor.includes(observer))
    const places = grouped(own, ({ result: { model, target } }) => JSON.stringify([model, target]))
    return places.flatMap((here) => questionsAt(here, observer, repeats))
  })
}

function questionsAt(here: readonly AskedResult[], observer: ObserverName, repeats: number): AskedQuestion[] {
  const { model, target } = here[0]!.result
  const attacks = grouped(here, ({ result }) => JSON.stringify([result.attack, result.params]))
  const names = new Map<string, Set<string>>()
  for (const { attack, result } of here) {
    const found = names.get(attack.target) ?? new Set<string>()
    names.set(attack.target, found)
    for (const { kind, name, metric } of result.ladder?.answers ?? []) {
      names.set(kind, (names.get(kind) ?? new Set<string>()).add(JSON.stringify([name, metric])))
    }
  }
  return [...names]
    .flatMap(([kind, found]) => {
      const asked = found.size === 0 ? ['[null, null]'] : [...found]
      return asked.map((text): AskedQuestion => {
        const [name, metric] = JSON.parse(text) as [string | null, string | null]
        const those = attacks.flatMap((runs): AskedAttack[] => {
          const answers = answersIn(runs, { kind, name, metric, repeats })
          const aims = runs[0]!.attack.target === kind && (found.size === 0 || !runs.some(answered))
          if (!aims && answers.every((one) => one === undefined)) return []
          const { attack, params } = runs[0]!.result
          return [{ id: attack, params, answers, results: runs.map(({ result }) => result) }]
        })
        return { observer, model, target, kind, name, attacks: those }
      })
    })
    .filter(({ attacks: those }) => those.some(({ answers }) => !answers.some(isRung)))
}

/** It fills rungs and attacks nothing. */
const isRung = (answer: Answer | undefined): boolean => answer?.how === 'none'

/** The answers that count, and what became of attacks that gave none: the same for whoever learns the same. */
export function evidenceOf({ attacks }: AskedQuestion): string {
  return JSON.stringify(
    attacks
      .filter(({ answers }) => !answers.some(isRung))
      .map(({ id, params, answers, results }) => {
        const counted = answers.map((one) => one && [one.how, one.trained, one.held, one.seats])
        return [id, params, counted, results.map(({ status, error }) => [status, error?.code])]
      }),
  )
}

const answered = ({ result }: AskedResult): boolean => (result.ladder?.answers.length ?? 0) > 0

interface Wanted {
  readonly kind: string
  readonly name: string | null
  /** Claims of one kind may be graded in two ways, which cannot be compared: each is a question. */
  readonly metric: string | null
  readonly repeats: number
}

function answersIn(runs: readonly AskedResult[], { kind, name, metric, repeats }: Wanted): (Answer | undefined)[] {
  return Array.from({ length: repeats }, (_, repeat) => {
    const ladder = runs.find(({ result }) => result.ladder?.repeat === repeat)?.result.ladder
    return ladder?.answers.find((one) => one.kind === kind && one.name === name && one.metric === metric)
  })
}

/** In the order in which keys come first. */
function grouped<T>(list: readonly T[], keyOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return [...groups.values()]
}

/** What a claim is about besides its kind: the attribute, the property. */
export function nameOf(claim: { readonly kind: string }): string | null {
  const { name, property } = claim as { readonly name?: unknown; readonly property?: unknown }
  const found = name ?? property
  return typeof found === 'string' ? found : null
}
