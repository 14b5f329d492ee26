/** Thrown where an attack was asked and made no claim. */
import type { Result } from '../run-attack.js'

type Claimless = Exclude<Result, { readonly status: 'claimed' }>

export class NoAnswer extends Error {
  readonly result: Claimless

  constructor(result: Claimless) {
    super(result.status)
    this.result = result
  }
}
