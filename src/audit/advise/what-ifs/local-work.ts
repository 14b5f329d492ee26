/** What if a turn was shorter, or its batches smaller? */
import { type Change, training, type WhatIf } from '../what-if.js'

const small = 8

export const localWork: WhatIf = {
  id: 'local-work',
  title: 'what a client does in its turn',
  changes({ training: { algorithm, localEpochs, localSteps, batchSize } }) {
    if (algorithm === 'fedsgd') return []
    const changes: Change[] = []
    if ((localSteps ?? localEpochs ?? 1) > 1) {
      changes.push({
        id: 'one-pass',
        words: 'let a client pass once over its records in a turn',
        apply: (from) => training(from, { localEpochs: 1, localSteps: null }),
      })
    }
    if (batchSize === null || batchSize > small) {
      changes.push({
        id: `batches-${small}`,
        words: `let a client step on ${small} records at a time, drawn anew in every pass`,
        apply: (from) => training(from, { batchSize: small, shuffle: 'epoch' }),
      })
    }
    return changes
  },
}
