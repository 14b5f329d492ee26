/** What was tried to change a run, kept as advice.json in its folder for its report. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Advice } from '../../audit/advise/advise.js'
import type { AuditDocument } from '../../audit/document.js'
import { OverhearError } from '../../errors.js'
import { faultOf } from './machine-faults.js'
import { requireRegular } from './regular-file.js'

const fileOf = (path: string): string =>
  existsSync(path) && statSync(path).isDirectory() ? join(path, 'advice.json') : path

/** Readable by its owner alone, as a run is. */
export function keepAdvice(folder: string, advice: Advice): string {
  const file = join(folder, 'advice.json')
  try {
    writeFileSync(file, `${JSON.stringify(advice, null, 2)}\n`, { mode: 0o600 })
  } catch (error) {
    throw faultOf(error, file)
  }
  return file
}

/** The advice that lies in a run's folder, if any. */
export const adviceBeside = (run: string, audit: AuditDocument): Advice | undefined =>
  existsSync(run) && statSync(run).isDirectory() && existsSync(join(run, 'advice.json'))
    ? readAdvice(run, audit)
    : undefined

/** Advice from a file, or from the folder that it was kept in. It must be of the same federation. */
export function readAdvice(path: string, { scenario }: AuditDocument): Advice {
  const file = fileOf(path)
  const hint = 'give what "overhear advise" has written'
  if (!existsSync(file)) throw new OverhearError('E_INPUT', `${file}: there is no such file`, hint)
  requireRegular(file, 'advice')
  let value: Partial<Advice>
  try {
    value = JSON.parse(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    throw new OverhearError('E_INPUT', `${file}: ${(error as Error).message}`, hint)
  }
  if (!Array.isArray(value.tried) || !Array.isArray(value.front) || typeof value.asItIs !== 'object')
    throw new OverhearError('E_INPUT', `${file} is no advice`, hint)
  if (scenario === null || federationOf(scenario) !== federationOf(value.scenario))
    throw new OverhearError('E_INPUT', `${file} is about another federation`, 'advise on the scenario of this run')
  return value as Advice
}

/** What makes the federation: what is tried of it is audited by fewer attacks, and without controls. */
function federationOf(scenario: Partial<NonNullable<AuditDocument['scenario']>> | null | undefined): string {
  const { data, partition, models, training, defences } = scenario ?? {}
  return JSON.stringify([data, partition, models, training, defences])
}
