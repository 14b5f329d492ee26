/** What was heard before a malicious server begins to send: the rounds after that did not happen where it sends. */
import { attacks } from '../../attacks/index.js'
import type { Sources } from '../../threat/grant.js'
import type { Grant } from '../../threat/granted-keys.js'
import type { LiveRun } from '../live-run.js'
import { oracles } from '../oracles/index.js'
import type { Job } from '../plan-jobs.js'

interface Needy {
  readonly needs: readonly Grant[]
  readonly uses: readonly Grant[]
  readonly params: Readonly<Record<string, { readonly default: unknown }>>
}

/** Whether the job's attack sends models, by itself or by the attack that it builds on. */
function sendsModels({ attack: id, params }: Pick<Job, 'attack' | 'params'>): boolean {
  const known: Readonly<Record<string, Needy>> = { ...attacks, ...oracles }
  const own = Object.hasOwn(known, id) ? known[id]! : undefined
  const from = params.from ?? own?.params.from?.default
  const base = typeof from === 'string' && Object.hasOwn(known, from) ? known[from]! : undefined
  return [own, base].some((one) => one?.needs.includes('channel') || one?.uses.includes('channel'))
}

/** The same sources, for a job that sends from a stated round, without that round and those after it. */
export function heardBefore(sources: Sources, job: Pick<Job, 'attack' | 'params'>, live: LiveRun | undefined): Sources {
  const from = live?.scenario.activeFrom ?? null
  if (from === null || !sendsModels(job)) return sources
  const { transcript } = sources
  const rounds = transcript.rounds().filter(({ round }) => round < from)
  return { ...sources, transcript: { ...transcript, rounds: () => rounds } }
}
