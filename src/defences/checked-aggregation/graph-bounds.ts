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
  /** No part of a sum with so many honest clients or fewer may be cut off from the rest. */
  readonly least: number
}

export interface GraphSize {
  /** k: neighbours that a client chooses; null: all others, as no smaller number will do. */
  readonly degree: number | null
  /** t: shares that give a secret back, of the k neighbours' and its own; so many neighbours must be on a list. */
  readonly shares: number
  /** Clients that must have sent keys before anybody draws neighbours from them. */
  readonly roster: number
}

const ln2 = log(2)

/**
 * [bell2020] Lemma 3.5 and its like: the number of corrupt and of vanished ones among k neighbours is hypergeometric, and
 * union bounds take in all n clients. s honest clients can be cut off from the others of a sum only if each of them drew t
 * neighbours or more among the corrupt and the other s - 1: the draws of different clients are independent, so that this
 * has probability C(n, s) P(at least t of k)^s at most, whomever the server lists and drops. The sum of it over all s up to
 * `least` stays below 2^-secureBits. A server may keep clients from sending keys: neighbours are drawn from a roster that
 * all but the stated share of vanishing clients are in, and the corrupt are taken to be in it, all of them.
 * departs: each client draws its own k neighbours (theirs are drawn by the server in the semi-honest protocol), and only
 * those hold its shares.
 */
export function graphSize(n: number, { corrupt, dropouts, secureBits, correctBits, least }: GraphBounds): GraphSize {
  const bad = Math.ceil(corrupt * n)
  const gone = Math.ceil(dropouts * n)
  const roster = Math.max(quorum(n), n - gone)
  for (let k = least + 1; k < roster - 1; k++) {
    const parts = Array.from({ length: least }, (_, i) => ({
      sets: logBinomial(n, i + 1),
      members: i + 1,
      tails: tailsOf({ of: roster - 1, marked: Math.min(bad + i, roster - 1), drawn: k }),
    }))
    const cutOff = (t: number): number =>
      parts.reduce((sum, { sets, members, tails }) => {
        return tails[t] === 0 ? sum : sum + exp(sets + members * log(tails[t]!))
      }, 0)
    const vanished = tailsOf({ of: n - 1, marked: Math.min(gone, n - 1), drawn: k })
    let t = 2
    while (t <= k && cutOff(t) > exp(-secureBits * ln2)) t++
    if (t <= k && n * vanished[k - t + 1]! <= exp(-correctBits * ln2)) return { degree: k, shares: t, roster }
  }
  return { degree: null, shares: quorum(n), roster: quorum(n) }
}

/** By x: the probability of x marked ones or more. */
function tailsOf(urn: Urn): Float64Array {
  const tails = new Float64Array(urn.drawn + 2)
  for (let x = urn.drawn; x >= 0; x--) tails[x] = Math.min(1, tails[x + 1]! + hypergeometric(x, urn))
  return tails
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

/** 0 where so many cannot be drawn: then a logarithm of ways is -Infinity. */
function hypergeometric(x: number, { of, marked, drawn }: Urn): number {
  return exp(logBinomial(marked, x) + logBinomial(of - marked, drawn - x) - logBinomial(of, drawn))
}

export function checkBounds({ corrupt, dropouts }: Pick<GraphBounds, 'corrupt' | 'dropouts'>): void {
  if (corrupt + dropouts < 1) return
  const found = `bounds of ${corrupt} corrupt and ${dropouts} vanished clients`
  throw new OverhearError('E_VALUE', found, 'together they must leave somebody: less than 1')
}
