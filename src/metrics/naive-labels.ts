/** Guesses of labels from auxiliary data alone: their mean, and what the model predicts for them. */
import { meanOf, meanPerRecord } from '../numeric/special/summaries.js'
import type { Table } from '../transcript/encoded-table.js'
import type { Known } from './grading.js'

/** For every auxiliary record a stand-in for the client's labels, and what its mean is called. */
export interface Naive {
  /** Its name among the secondary figures. */
  readonly key: 'auxiliaryMean' | 'auxiliaryPrediction'
  readonly words: string
  readonly values: Float64Array
}

/** [labels] 6.4: the mean prediction is the naive attack there; with labelled auxiliary data their mean is at hand too. */
export function naiveGuesses({ auxiliary, functions, roundGlobal, lastGlobal }: Known): Naive[] {
  const found: Naive[] = []
  if (auxiliary === undefined || auxiliary.features.rows === 0) return found
  const { labels, features } = auxiliary
  if (labels !== undefined && labels.length > 0 && labels.length % features.rows === 0) {
    const values = meanPerRecord(labels, features.rows)
    found.push({ key: 'auxiliaryMean', words: 'the mean label of the auxiliary data', values })
  }
  const theta = roundGlobal ?? lastGlobal
  if (functions !== undefined && theta !== undefined && asMany(functions.model.outputs, auxiliary)) {
    const which = roundGlobal === undefined ? 'the last global model' : "the round's global model"
    const predicted = functions.predict(theta, features).data
    const words = `what ${which} predicts for the auxiliary data, on average`
    found.push({ key: 'auxiliaryPrediction', words, values: meanPerRecord(predicted, features.rows) })
  }
  return found
}

export const noAuxiliary = 'there are no auxiliary data with labels or a model to predict them'

/** Means per metaclass; one that the auxiliary data lack gets the mean of all. */
export function meansByMetaclass(values: Float64Array, metaclasses: Float64Array, count: number): Float64Array {
  const [sums, counts] = [new Float64Array(count), new Float64Array(count)]
  for (let i = 0; i < values.length; i++) {
    sums[metaclasses[i]!]! += values[i]!
    counts[metaclasses[i]!]! += 1
  }
  const all = meanOf(values)
  return sums.map((sum, c) => (counts[c] === 0 ? all : sum / counts[c]!))
}

/** Whether predictions are of labels, and not of classes. */
const asMany = (outputs: number, { labels, features }: Table): boolean =>
  outputs === 1 || labels?.length === outputs * features.rows
