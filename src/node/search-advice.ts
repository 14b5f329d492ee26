/** A search for advice on this machine: a folder for each variant, a bar, and what was found kept beside them. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Advice, type AdviseOptions, advise } from '../audit/advise/advise.js'
import type { AdviseEvent } from '../audit/advise/attempts.js'
import { figure } from '../audit/figures.js'
import { OverhearError } from '../errors.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import { keepAdvice } from './files/advice-file.js'
import { type NodePortsOptions, nodePorts } from './node-ports.js'
import { progress } from './progress.js'

export interface SearchOptions extends Pick<AdviseOptions, 'target' | 'budget'> {
  /** Where variants are audited. */
  readonly out: string
  /** Where advice.json is kept. */
  readonly keptIn: string
  readonly around: Pick<NodePortsOptions, 'dataDir' | 'workers' | 'trustPlugins' | 'jobs'>
  readonly signal: NonNullable<AdviseOptions['signal']>
  readonly quiet: boolean
}

export async function searchAdvice(
  scenario: Scenario,
  { out, keptIn, around, quiet, ...asked }: SearchOptions,
): Promise<{ readonly advice: Advice; readonly file: string }> {
  const portsFor = (variant: string) => nodePorts({ ...around, out: join(out, variant) })
  const search = advise(scenario, { ...asked, ports: { portsFor, now: () => performance.now() } })
  await follow(search, quiet)
  const advice = await search.result
  mkdirSync(keptIn, { recursive: true, mode: 0o700 })
  return { advice, file: keepAdvice(keptIn, advice) }
}

const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 }

/** "90", "90s", "5m" or "1h", in seconds. */
export function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(text.trim()) ?? []
  const seconds = Number(number) * units[unit]!
  if (number !== '' && seconds > 0) return seconds
  throw new OverhearError('E_VALUE', `--budget is "${text}"`, 'a time is needed, such as 90s, 5m or 1h')
}

async function follow(events: AsyncIterable<AdviseEvent>, quiet: boolean): Promise<void> {
  let bar: ReturnType<typeof progress> | undefined
  try {
    for await (const event of events) {
      if (event.kind === 'refused') continue
      bar ??= progress({ total: event.total, what: 'what-ifs', quiet })
      if (event.kind === 'trying') bar.tick(event.number - 1, event.id)
      else bar.tick(event.number, `${event.tried.id}: worst ${figure(event.tried.worst?.size)}`)
    }
  } finally {
    bar?.end()
  }
}
