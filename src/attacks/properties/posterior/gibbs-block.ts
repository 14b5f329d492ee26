/** Several clients at once: who of a few doubtful ones has the property, out of all ways to say it. */
import { exp, log } from '../../../numeric/special/elementary-functions.js'
import { freeOf } from './gibbs-model.js'
import { huge, tiny, type Walk } from './gibbs-walk.js'

/** Clients that are drawn together, at most. */
export const mostTogether = 6

/**
 * Draws some of `doubtful`, and then who of them has the property, given all else: 2^b ways, each one flip from the one before
 * (Gray's code), so that a few clients can take the place of one whose sums they explain as well. `p` of these clients is
 * overwritten with what all ways together say of them.
 */
export function drawBlock(walk: Walk, p: Float64Array, trust: number): void {
  const { doubtful, c, rng } = walk
  const b = Math.min(mostTogether, doubtful.length)
  if (b < 2) return
  for (let k = 0; k < b; k++) {
    const j = k + rng.integer(doubtful.length - k)
    ;[doubtful[k], doubtful[j]] = [doubtful[j]!, doubtful[k]!]
  }
  const before = Array.from({ length: b }, (_, k) => c[doubtful[k]!]!)
  const ways = 1 << b
  const weights = new Float64Array(ways)
  let [L, largest] = [0, 0]
  for (let way = 1; way < ways; way++) {
    L += toggle(walk, doubtful[31 - Math.clz32(way & -way)]!, trust)
    weights[way] = L
    if (L > largest) largest = L
  }
  toggle(walk, doubtful[b - 1]!, trust) // where it began
  const having = new Float64Array(b)
  let total = 0
  for (let way = 0; way < ways; way++) {
    const weight = exp(weights[way]! - largest)
    weights[way] = weight
    total += weight
    for (let k = 0; k < b; k++) if ((before[k]! ^ (flipped(way) >> k)) & 1) having[k]! += weight
  }
  const drawn = flipped(rng.categorical(weights))
  for (let k = 0; k < b; k++) {
    p[doubtful[k]!] = having[k]! / total
    if ((drawn >> k) & 1) toggle(walk, doubtful[k]!, trust)
  }
}

/** Which clients of a block are not as they were, by bits: Gray's code. */
const flipped = (way: number): number => way ^ (way >> 1)

/** Client i has the property where it had it not, or not where it had: what that changes in the logarithm of the posterior. */
function toggle(walk: Walk, i: number, trust: number): number {
  const { model, c, u, e, V, nu, rho, odds } = walk
  const { start: begin, round, effect } = model
  const [from, to] = c[i] === 1 ? ([1, 0] as const) : ([0, 1] as const)
  const own = Math.sqrt(rho) * u[i]!
  const [tieFrom, tieTo] = [own * model.ratio[from], own * model.ratio[to]]
  const free = freeOf(rho)
  let squares0 = 0
  let squares1 = 0
  let ratio = 1
  let logs = 0
  for (let p = begin[i]!; p < begin[i + 1]!; p++) {
    const r = round[p]!
    const [s, S] = [model.std[from][p]!, model.std[to][p]!]
    const D0 = nu[r]! + free * V[r]!
    const e0 = e[r]!
    const rest = e0 + (model.mean[from][p]! + tieFrom * effect[p]!)
    const e1 = rest - (model.mean[to][p]! + tieTo * effect[p]!)
    const V1 = V[r]! - s * s + S * S
    const inverse0 = 1 / D0
    const inverse1 = 1 / (nu[r]! + free * V1)
    e[r] = e1
    V[r] = V1
    squares0 += e0 * e0 * inverse0
    squares1 += e1 * e1 * inverse1
    ratio *= D0 * inverse1
    if (!(ratio > tiny && ratio < huge)) {
      logs += log(ratio)
      ratio = 1
    }
  }
  c[i] = to
  walk.guilty -= from
  const before = odds[walk.guilty]!
  walk.guilty += to
  return 0.5 * trust * (squares0 - squares1 + logs + log(ratio)) + (to === 1 ? before : -before)
}
