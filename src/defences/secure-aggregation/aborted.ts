/** A sum that cannot be had, though nobody broke a rule: too few clients are left, and nobody learns anything. */
import { OverhearError } from '../../errors.js'

export class SumAborted extends OverhearError {
  readonly reason: string
  constructor(reason: string) {
    super('E_INPUT', `secure aggregation aborted: ${reason}`, 'ask more clients, or let fewer of them fail')
    this.reason = reason
  }
}

export const aborted = (left: number, needed: number): SumAborted =>
  new SumAborted(`${left} clients are left where ${needed} are needed`)
