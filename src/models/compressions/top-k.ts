/** Only the largest values of a change are sent. */
import { number } from '../../params.js'
import { defineCompression } from './compression.js'

export const topK = defineCompression({
  id: 'top-k',
  title: 'the largest values of a change, zeros in the place of all others',
  params: { share: number({ default: 0.1, above: 0, max: 1, doc: 'share of the values that are sent, at least one' }) },
  /** Of equal values those that come first. */
  compress(change, { share }) {
    const k = Math.max(1, Math.ceil(share * change.length))
    const order = Array.from(change.keys()).sort((a, b) => Math.abs(change[b]!) - Math.abs(change[a]!))
    const kept = new Float64Array(change.length)
    for (const j of order.slice(0, k)) kept[j] = change[j]!
    return kept
  },
})
