/** What a test hands an attack beside its view. */
import type { Attack, Context, Outcome } from '../src/attacks/attack.js'
import type { Claim } from '../src/attacks/claim.js'
import { rng } from '../src/numeric/random/rng.js'

export interface TestContext {
  readonly params?: Readonly<Record<string, unknown>>
  readonly seed?: number
  /** What `claimOf` answers, by the other attack's id. */
  readonly claims?: Readonly<Record<string, Outcome>>
  /** Hears of progress, from 0 to 1. */
  onShare?(share: number): void
}

export function contextFor({ params = {}, seed = 1, claims = {}, onShare }: TestContext = {}): Context {
  return {
    params,
    rng: rng(seed).fork('attack'),
    tick: shares(onShare),
    claimOf: async (id) => claims[id] ?? { status: 'not-applicable', missing: [`a claim of ${id}`] },
  }
}

/** A tick that refuses progress below nothing or above all, and hands on its share. */
const shares =
  (onShare?: (share: number) => void): Context['tick'] =>
  (done, total) => {
    const share = done / total
    if (!(total > 0 && share >= 0 && share <= 1 + 1e-12)) throw new Error(`progress: ${done} of ${total}`)
    onShare?.(share)
  }

/** Runs an attack on a view made by hand: exactly the keys it may have are there, and reading another throws. */
export async function attackOn(attack: Attack, view: object, options: TestContext = {}): Promise<Outcome> {
  const may = new Set<string>([...attack.needs, ...attack.uses])
  const lacking = attack.needs.filter((key) => !(key in view))
  if (lacking.length > 0) throw new Error(`the test's view lacks ${lacking.join(', ')}`)
  const guarded = new Proxy(view, {
    get(target, key) {
      if (typeof key === 'string' && !may.has(key)) throw new Error(`${key} was read and not granted`)
      return Reflect.get(target, key)
    },
  })
  return attack.run(guarded, contextFor(options))
}

/** The only claim of an outcome, of the kind that was expected. */
export function only<K extends Claim['kind']>(outcome: Outcome, kind: K): Extract<Claim, { readonly kind: K }> {
  if (outcome.status !== 'claimed') throw new Error(`nothing was claimed: ${JSON.stringify(outcome)}`)
  const [claim, ...more] = outcome.claims
  if (claim === undefined || more.length > 0 || claim.kind !== kind) throw new Error(`${outcome.claims.length} claims`)
  return claim as Extract<Claim, { readonly kind: K }>
}
