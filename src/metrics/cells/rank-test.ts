/** Whether scores rank those who have something above those who have not, by more than a random choice of as many. */
import { OverhearError } from '../../errors.js'
import { midRanks } from '../ranks.js'

export interface RankTest {
  /** The share of all choices of as many whose AUC is at least that of the true one: exact, ties and all. */
  readonly p: number
  /** The least p that any answer to these scores could have had. */
  readonly least: number
  readonly auc: number
}

/** The most clients that are counted exactly: the work grows with the fourth power. */
const most = 100

/**
 * The exact one-sided rank-sum test (Wilcoxon 1945), by counting the subsets of each size and sum of ranks. Undefined
 * where all or none have it: nothing could be ranked.
 */
export function rankTest(scores: ArrayLike<number>, having: ArrayLike<boolean | number>): RankTest | undefined {
  const n = scores.length
  if (n > most) throw new OverhearError('E_VALUE', `${n} clients are ranked`, `at most ${most} are counted exactly`)
  const bad = Array.prototype.findIndex.call(scores, (x) => !Number.isFinite(x))
  if (bad >= 0) throw new OverhearError('E_NON_FINITE', `scores[${bad}] is ${scores[bad]}`, 'finite numbers are needed')
  // Twice the mid-ranks are whole numbers.
  const ranks = midRanks(scores).map((rank) => 2 * rank)
  let [m, observed] = [0, 0]
  for (let i = 0; i < n; i++) {
    if (!having[i]) continue
    m++
    observed += ranks[i]!
  }
  if (m === 0 || m === n) return undefined
  const ways = shares(ranks, m)
  const atLeast = (sum: number): number => {
    let p = 0
    for (let s = ways.length - 1; s >= sum; s--) p += ways[s]!
    return Math.min(1, p)
  }
  const largest = ranks
    .toSorted()
    .subarray(n - m)
    .reduce((sum, rank) => sum + rank, 0)
  return { p: atLeast(observed), least: atLeast(largest), auc: (observed / 2 - (m * (m + 1)) / 2) / (m * (n - m)) }
}

/** Of all choices of m: the share that has each sum. Shares, not counts, so that nothing overflows. */
function shares(ranks: Float64Array, m: number): Float64Array {
  const n = ranks.length
  const width = ranks.reduce((sum, rank) => sum + rank, 0) + 1
  // chance[k][s]: that in a random choice of m the first i items hold k of the chosen, of sum s.
  const chance = Array.from({ length: m + 1 }, () => new Float64Array(width))
  chance[0]![0] = 1
  let reach = 0
  for (let i = 0; i < n; i++) {
    const rank = ranks[i]!
    for (let k = Math.min(m, i + 1); k >= 0; k--) {
      // Of the n - i items that are left, m - k are chosen where k were before.
      const [here, below] = [chance[k]!, chance[k - 1]]
      const out = (n - i - (m - k)) / (n - i)
      for (let s = 0; s <= reach; s++) here[s]! *= out
      if (below === undefined) continue
      const into = (m - k + 1) / (n - i)
      for (let s = 0; s <= reach; s++) here[s + rank]! += below[s]! * into
    }
    reach += rank
  }
  return chance[m]!
}
