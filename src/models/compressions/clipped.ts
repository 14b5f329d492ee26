/** A change that is no longer than a norm. */
import { number } from '../../params.js'
import { defineCompression } from './compression.js'

export const clipped = defineCompression({
  id: 'clipped',
  title: 'a change that is longer than a norm is shortened to it',
  params: { maxNorm: number({ default: 1, min: 1e-12, doc: 'C: what is longer is shortened to it' }) },
  compress(change, { maxNorm }) {
    const norm = Math.sqrt(change.reduce((sum, x) => sum + x * x, 0))
    return norm > maxNorm ? change.map((x) => (maxNorm / norm) * x) : change.slice()
  },
})
