/** `overhear calibrate`: how often an audit of this size errs, by null worlds and plants that are run. */
import { join } from 'node:path'
import { type CalibrateEvent, calibrate, usualAudits } from '../../audit/calibrate/calibrate-audits.js'
import { calibrationText } from '../../report/calibration-text.js'
import { loadScenario } from '../files/scenario-file.js'
import { interruptible } from '../interrupt.js'
import { nodePorts } from '../node-ports.js'
import { print, printJson } from '../print.js'
import { progress } from '../progress.js'
import { commonFlags, defined, parseNamed, settings, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  audits: { type: 'string' },
  workers: { type: 'string' },
  set: { type: 'string', multiple: true },
} as const

export async function runCalibrate(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  const [audits, seed] = [wholeNumber('audits', values.audits), wholeNumber('seed', values.seed)]
  const { quiet = false, plugin: plugins = [], set = [], 'data-dir': dataDir } = values
  const around = defined({ dataDir, workers: wholeNumber('workers', values.workers) })
  const read = await loadScenario(name, { ports: nodePorts(around), plugins, set: settings(set), quiet })
  const scenario = { ...read, ...(seed !== undefined && { seed }) }
  const out = values.out ?? join('runs', `calibrate-${scenario.name}-${scenario.seed}`)
  const portsFor = (world: string) => nodePorts({ ...around, out: join(out, world) })
  return interruptible(async (signal) => {
    const run = calibrate(scenario, { ports: { portsFor }, signal, ...defined({ audits }) })
    await follow(run, { total: (audits ?? usualAudits) + 1, quiet })
    const found = await run.result
    await (values.json ? printJson(found) : print(calibrationText(found)))
    return signal.aborted ? 130 : 0
  })
}

async function follow(
  events: AsyncIterable<CalibrateEvent>,
  { total, quiet }: { readonly total: number; readonly quiet: boolean },
): Promise<void> {
  const bar = progress({ total, what: 'audits', quiet })
  try {
    for await (const { number, world, alarms } of events) bar.tick(number, wordsOf(world, alarms))
  } finally {
    bar.end()
  }
}

function wordsOf(world: string, alarms: number | null): string {
  if (alarms === null) return 'the scenario as it is, with leaks planted in it'
  return `${world}: ${alarms === 0 ? 'no alarm' : `${alarms} alarm${alarms === 1 ? '' : 's'}`}`
}
