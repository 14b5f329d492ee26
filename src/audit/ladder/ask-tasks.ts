/** Which attacks are asked in the cells of the ladder, of whom, and with whose lines. */
import type { Attack } from '../../attacks/attack.js'
import { rng } from '../../numeric/random/rng.js'
import type { Task } from '../audit-tasks.js'
import type { RecordingPaths } from '../open-recording.js'
import { observersOf, type PlanOptions, planJobs } from '../plan-jobs.js'
import type { Ask } from './answer.js'
import { globalModel } from './global-model.js'

/** Clients whose messages are held against each other's people, at most. */
const mostSeats = 10
/** Relabellings of the records of each of several trainings, and of one alone: that one must reach small levels by itself. */
const relabellings = { each: 199, alone: 1999 } as const

/** One training, as its attacks are asked. */
export interface AskedPlace {
  readonly repeat: number
  readonly repeats: number
  readonly model: string | null
  readonly clients: readonly string[]
  /** Of the whole audit: the seats that are compared are the same in all its trainings. */
  readonly baseSeed: number
  /** The files of a target, and the transcript without it. */
  pathsOf(target: string): RecordingPaths
  withoutOf(target: string): string | null
  /** Among whom it was drawn who is guilty of what; null: nobody drew it, and it could be anybody. */
  readonly ranked: readonly string[] | null
  /** Whether records were dealt to halves by somebody else. */
  readonly dealtElsewhere: boolean
  readonly live?: Task['live']
  readonly kept: string
}

export type AskedAttacks = readonly { readonly attack: Attack; readonly params: Readonly<Record<string, unknown>> }[]

/** One task for each attack, view and target of one training. */
export function askTasks(
  place: AskedPlace,
  plan: Omit<PlanOptions, 'controls' | 'attacks'>,
  attacks: AskedAttacks,
): Task[] {
  const models = attacks.some(({ attack }) => attack.target === 'model')
  // How clients train and when is no secret of their records: nobody is asked about it in other trainings.
  const about = attacks.filter(({ attack }) => attack.target !== 'protocol' && attack.target !== 'participation')
  const asked: AskedAttacks = models ? [...about, { attack: globalModel, params: {} }] : about
  const first = plan.targets[0]
  return asked.flatMap(({ attack, params }) => {
    const able = observersOf(attack, params)
    const planned = planJobs({ ...plan, attacks: [{ attack, params }], controls: false })
    return planned
      .filter(({ job }) => able.includes(job.observer))
      .flatMap(({ job, alsoFor }): Task[] => {
        if (first === undefined) return []
        const aimed = job.target ?? first
        return [
          {
            planned: { job, alsoFor: alsoFor.filter((name) => able.includes(name)) },
            model: place.model,
            paths: place.pathsOf(aimed),
            kept: place.kept,
            ask: askOf(place, job.target, plan.seed),
            ...(place.live !== undefined && { live: place.live }),
          },
        ]
      })
  })
}

/** Draws that all attacks on one training share. */
function askOf(place: AskedPlace, client: string | null, seed: number): Ask {
  const { repeat, repeats, clients, dealtElsewhere } = place
  const alone = repeats === 1
  const others = clients.filter((id) => id !== client)
  const drawn = (from: number, count: number): string[] =>
    Array.from(
      rng(from)
        .fork('seats', client ?? '')
        .sample(others.length, Math.min(count, others.length)),
      (i) => others[i]!,
    )
  const seats = client === null ? [] : [client, ...drawn(place.baseSeed, mostSeats - 1)]
  return {
    repeat,
    client,
    ranked: place.ranked,
    candidates: alone ? relabellings.alone : relabellings.each,
    without: client === null ? null : place.withoutOf(client),
    otherLine: client === null ? null : (drawn(seed, 1)[0] ?? null),
    seats: clients.filter((id) => seats.includes(id)),
    dealtElsewhere,
    diluted: alone,
  }
}
