/** Which defences can act in one federation. */
import { OverhearError } from '../errors.js'
import { checkExchange } from './defended-turn.js'
import type { Defence } from './hooks.js'

/** Refuses defences of one name, and those that would undo what another promises. */
export function checkTogether(defences: readonly Defence[]): void {
  const names = defences.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new OverhearError('E_VALUE', `two defences are called "${twice}"`, 'keep one')
  checkExchange(defences)
  const mixing = defences.filter((one) => one.mixing !== undefined).map(({ name }) => name)
  if (mixing.length > 1) throw new OverhearError('E_VALUE', `${mixing.join(' and ')} both mix records`, 'keep one')
  const onSteps = defences.filter(({ step }) => step !== undefined).map(({ name }) => name)
  if (onSteps.length > 1) {
    throw new OverhearError('E_VALUE', `${onSteps.join(' and ')} both act on the local step`, 'keep one')
  }
  if (mixing.length === 0 || onSteps.length === 0) return
  // What is clipped is the gradient of a mixture, and a record is in several of them.
  const found = `defences ${mixing[0]} and ${onSteps[0]} at once`
  const why = 'a record is in several mixtures, so that no epsilon of it would hold: keep one'
  throw new OverhearError('E_VALUE', found, why)
}
