/** How many neighbours a client needs, and how many of their shares give a secret back, for stated bounds. */
import { OverhearError } from '../../errors.js'
import { exp, log } from '../../numeric/special/elementary-functions.js'
import { logBinomial } from '../../numeric/special/gamma.js'

/** What is taken for granted of a cohort of n clients, and how rarely it may still go wrong. */
export interface GraphBounds {
  /** gamma: share of the clients that may be in league with the server. */
  readonly corrupt: number
  /** delta: share of the clients that may vanish in a round. */
  readonly dropouts: number
  /** sigma: the protection fails for some client with probability 2^-sigma at most. */
  readonly secureBits: number
  /** eta: too few are left of some client's neighbours with probability 2^-eta at most. */
  readonly correctBits: number
  /** Honest neighbours that a client must find in the sum: a part of the sum by itself has one more. */
  readonly least: number
}

export interface GraphSize {
  /** k: neighbours that a client chooses; null: all others, as no smaller number will do. */
  readonly degree: number | null
  /** Shares that give a secret back, of the k neighbours' and its own. */
  readonly shares: number
}

const ln2 = log(2)

/**
 * [bell2020] Lemma 3.5 and its like: the number of corrupt and of vanished ones among k neighbours drawn from n - 1 is
 * hypergeometric, and a union bound takes in all n clients.
 * departs: each client draws its own k neighbours (theirs are drawn by the server in the semi-honest protocol), only
 * those hold its shares, and t is such that even when t of them are in the sum `least` honest ones are among them: a
 * server that picks who survives must leave every honest client so many, and no part of a sum is smaller than that.
 */
export function graphSize(n: number, { corrupt, dropouts, secureBits, correctBits, least }: GraphBounds): GraphSize {
  const bad = Math.ceil(corrupt * n)
  const gone = Math.ceil(dropouts * n)
  for (let k = least + 1; k < n - 1; k++) {
    let most = Math.min(bad, k) // so many are corrupt at most, but for the tail
    let tail = 0
    while (most > 0) {
      const next = tail + n * hypergeometric(most, { of: n - 1, marked: bad, drawn: k })
      if (next > exp(-secureBits * ln2)) break
      tail = next
      most--
    }
    const shares = most + least
    if (shares > k) continue
    let short = 0
    for (let lost = k - shares + 1; lost <= Math.min(gone, k); lost++) {
      short += n * hypergeometric(lost, { of: n - 1, marked: gone, drawn: k })
    }
    if (short <= exp(-correctBits * ln2)) return { degree: k, shares }
  }
  return { degree: null, shares: quorum(n) }
}

/** [bonawitz2017] Section 6.2: t > 2n/3, so that no two lists are signed by t each unless a third of all is corrupt. */
export const quorum = (n: number): number => Math.floor((2 * n) / 3) + 1

/** Colluders with whom no two lists can be signed by t of n: 2 (t - c) > n - c. */
export const mostColluders = (n: number, t = quorum(n)): number => Math.max(0, 2 * t - n - 1)

interface Urn {
  readonly of: number
  readonly marked: number
  readonly drawn: number
}

function hypergeometric(x: number, { of, marked, drawn }: Urn): number {
  if (x > marked || drawn - x > of - marked) return 0
  return exp(logBinomial(marked, x) + logBinomial(of - marked, drawn - x) - logBinomial(of, drawn))
}

export function checkBounds({ corrupt, dropouts }: Pick<GraphBounds, 'corrupt' | 'dropouts'>): void {
  if (corrupt + dropouts < 1) return
  const found = `bounds of ${corrupt} corrupt and ${dropouts} vanished clients`
  throw new OverhearError('E_VALUE', found, 'together they must leave somebody: less than 1')
}
