/** Grades who has something: F1 and AUC, against the best constant. */
import { auc, aucInterval } from './auc.js'
import { bootstrapInterval } from './bootstrap.js'
import { type Score, scoreOf } from './score.js'

export interface Detection {
  readonly truth: readonly boolean[]
  readonly claimed: readonly boolean[]
  /** The higher, the likelier. */
  readonly scores?: Float64Array | undefined
  /** Which of them there are: "clients", "candidates". */
  readonly of: string
}

export interface Confusion {
  readonly truePositives: number
  readonly falsePositives: number
  readonly falseNegatives: number
}

/** 2 TP / (2 TP + FP + FN); 1 where there is nothing to find and nothing was claimed. */
export function f1({ truePositives, falsePositives, falseNegatives }: Confusion): number {
  const wrong = falsePositives + falseNegatives
  return wrong === 0 ? 1 : (2 * truePositives) / (2 * truePositives + wrong)
}

const AGREED = 3
const FALSE_POSITIVE = 2
const FALSE_NEGATIVE = 1

export function scoreDetection({ truth, claimed, scores, of }: Detection): Score {
  const n = truth.length
  // Sorted, so that the interval does not depend on who stands where.
  const codes = Uint8Array.from(truth, (is, i) => (is ? FALSE_NEGATIVE : 0) + (claimed[i] ? FALSE_POSITIVE : 0)).sort()
  const confusion = (rows?: Int32Array): Confusion => {
    const counts = [0, 0, 0, 0]
    for (let i = 0; i < n; i++) counts[codes[rows === undefined ? i : rows[i]!]!]! += 1
    return {
      truePositives: counts[AGREED]!,
      falsePositives: counts[FALSE_POSITIVE]!,
      falseNegatives: counts[FALSE_NEGATIVE]!,
    }
  }
  const found = confusion()
  const { truePositives: TP, falsePositives: FP, falseNegatives: FN } = found
  const positives = TP + FN
  const value = f1(found)
  const all = f1({ truePositives: positives, falsePositives: n - positives, falseNegatives: 0 })
  const none = f1({ truePositives: 0, falsePositives: 0, falseNegatives: positives })
  const area = scores && auc({ scores, positive: truth })
  const reach = scores && aucInterval({ scores, positive: truth })
  return scoreOf({
    metric: 'F1',
    value,
    better: 'higher',
    guesses: [
      { words: `the best constant: all ${of}`, value: all }, // 2 p / (1 + p)
      { words: `the best constant: none of the ${of}`, value: none },
    ],
    interval: bootstrapInterval({ size: n, value, statistic: (rows) => f1(confusion(rows)), address: 'F1' }),
    intervalKind: 'bootstrap',
    also: {
      positives: positives,
      accuracy: (n - FP - FN) / n,
      ...(TP + FP > 0 && { precision: TP / (TP + FP) }),
      ...(positives > 0 && { recall: TP / positives }),
      ...(area !== undefined && { AUC: area, chanceAUC: 0.5 }),
      ...(reach !== undefined && { lowAUC: reach[0], highAUC: reach[1] }),
    },
    notes: reach === undefined ? [] : ["the interval of AUC is DeLong's, at 95 %"],
  })
}

/** Grades a ranking alone; undefined where all or none have it. */
export function scoreRanking({ truth, scores }: Required<Pick<Detection, 'truth' | 'scores'>>): Score | undefined {
  if (scores === undefined) return undefined
  const value = auc({ scores, positive: truth })
  if (value === undefined) return undefined
  const interval = aucInterval({ scores, positive: truth }) ?? null
  return scoreOf({
    metric: 'AUC',
    value,
    better: 'higher',
    guesses: [{ words: 'a coin', value: 0.5 }],
    interval,
    intervalKind: 'DeLong',
    also: { positives: truth.filter(Boolean).length },
    notes: ['the attack ranks clients and accuses nobody'],
  })
}
