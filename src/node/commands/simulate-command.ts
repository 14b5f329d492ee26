/** `overhear simulate`: a federation into a folder, without any attack. */
import { existsSync, readdirSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { figure } from '../../audit/figures.js'
import { OverhearError } from '../../errors.js'
import { textTable } from '../../report/text-table.js'
import { loadScenario } from '../files/scenario-file.js'
import { interruptible } from '../interrupt.js'
import { modelFolder, simulateInto } from '../simulate-run.js'
import { commonFlags, parseNamed, wholeNumber } from './arguments.js'

const flags = { ...commonFlags, resume: { type: 'boolean' }, workers: { type: 'string' } } as const

export async function runSimulate(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  if (values.out === undefined) throw new OverhearError('E_INPUT', 'there is no folder to write to', 'give --out DIR')
  const out = resolve(values.out)
  if (values.resume !== true && existsSync(out) && readdirSync(out).length > 0) {
    throw new OverhearError('E_INPUT', `${values.out} is not empty`, 'give --resume to go on there, or another folder')
  }
  const seed = wholeNumber('seed', values.seed)
  const scenario = { ...loadScenario(name), ...(seed !== undefined && { seed }) }
  const workers = wholeNumber('workers', values.workers)
  const dataDir = values['data-dir']
  return interruptible(async (signal) => {
    const runs = []
    for (const model of scenario.models.keys()) {
      const options = { out, quiet: values.quiet ?? false, signal }
      const more = { ...(workers !== undefined && { workers }), ...(dataDir !== undefined && { dataDir }) }
      const { utility, targets } = await simulateInto(scenario, model, { ...options, ...more })
      runs.push({ ...utility, targets, folder: modelFolder(scenario, model, out) })
    }
    const rows = runs.map(({ model, rounds, heldOutLoss, folder }) => [
      model ?? '',
      rounds,
      figure(heldOutLoss),
      relative('.', folder).startsWith('..') ? folder : relative('.', folder),
    ])
    console.log(
      values.json
        ? JSON.stringify({ scenario, runs })
        : textTable(['model', 'rounds', 'held-out loss', 'folder'], rows),
    )
    return 0
  })
}
