/** `overhear advise`: what to change, by what-ifs that are run. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OverhearError } from '../../errors.js'
import { adviceText } from '../../report/advice-text.js'
import { loadScenario } from '../files/scenario-file.js'
import { interruptible } from '../interrupt.js'
import { nodePorts } from '../node-ports.js'
import { print, printJson } from '../print.js'
import { askedJobs } from '../queue/asked-queue.js'
import { searchAdvice, secondsOf } from '../search-advice.js'
import { commonFlags, defined, parseNamed, settings, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  target: { type: 'string' },
  budget: { type: 'string' },
  workers: { type: 'string' },
  queue: { type: 'string' },
  set: { type: 'string', multiple: true },
} as const

export async function runAdvise(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  const [target, budget] = [targetOf(values.target), secondsOf(values.budget)]
  const [seed, workers] = [wholeNumber('seed', values.seed), wholeNumber('workers', values.workers)]
  const { quiet = false, plugin: plugins = [], set = [], 'data-dir': dataDir } = values
  const around = { ...defined({ dataDir, workers }), ...(await askedJobs(values)) }
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
  return interruptible(async (signal) => {
    const asked = { out, keptIn: run ?? out, around, signal, quiet, ...defined({ target, budget }) }
    const { advice, file: kept } = await searchAdvice(scenario, asked)
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
