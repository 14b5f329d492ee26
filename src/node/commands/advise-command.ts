/** `overhear advise`: what to change, by what-ifs that are run. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { advise } from '../../audit/advise/advise.js'
import type { AdviseEvent } from '../../audit/advise/attempts.js'
import { figure } from '../../audit/figures.js'
import { OverhearError } from '../../errors.js'
import { adviceText } from '../../report/advice-text.js'
import { keepAdvice } from '../files/advice-file.js'
import { loadScenario } from '../files/scenario-file.js'
import { interruptible } from '../interrupt.js'
import { nodePorts } from '../node-ports.js'
import { print, printJson } from '../print.js'
import { progress } from '../progress.js'
import { commonFlags, defined, parseNamed, settings, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  target: { type: 'string' },
  budget: { type: 'string' },
  workers: { type: 'string' },
  set: { type: 'string', multiple: true },
} as const

export async function runAdvise(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  const [target, budget] = [targetOf(values.target), secondsOf(values.budget)]
  const [seed, workers] = [wholeNumber('seed', values.seed), wholeNumber('workers', values.workers)]
  const { quiet = false, plugin: plugins = [], set = [], 'data-dir': dataDir } = values
  const around = defined({ dataDir, workers })
  const run = name !== undefined && existsSync(join(name, 'scenario.json')) ? name : undefined
  const read = await loadScenario(run === undefined ? name : join(run, 'scenario.json'), {
    ports: nodePorts(around),
    plugins,
    set: settings(set),
    quiet,
  })
  const scenario = { ...read, ...(seed !== undefined && { seed }) }
  const out =
    values.out ??
    (run === undefined ? undefined : join(run, 'advise')) ??
    join('runs', `advise-${scenario.name}-${scenario.seed}`)
  const portsFor = (variant: string) => nodePorts({ ...around, out: join(out, variant) })
  return interruptible(async (signal) => {
    const ports = { portsFor, now: () => performance.now() }
    const search = advise(scenario, { ports, signal, ...defined({ target, budget }) })
    await follow(search, quiet)
    const advice = await search.result
    mkdirSync(run ?? out, { recursive: true, mode: 0o700 })
    const kept = keepAdvice(run ?? out, advice)
    const next = `\nkept: ${kept}; overhear report ${run ?? `RUN --advice ${kept}`} shows it`
    await (values.json ? printJson(advice) : print(`${adviceText(advice)}${next}`))
    return signal.aborted ? 130 : 0
  })
}

function targetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const target = Number(text)
  if (text.trim() !== '' && target > 0 && target < 1) return target
  throw new OverhearError('E_VALUE', `--target is "${text}"`, 'a number between 0 and 1 is needed, such as 0.05')
}

const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 }

/** "90", "90s", "5m" or "1h", in seconds. */
function secondsOf(text: string | undefined): number | undefined {
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
