/** Values of a change rounded to a lattice of so many bits. */
import { whole } from '../../params.js'
import { raised } from '../optimizers/optimizer.js'
import { defineCompression } from './compression.js'

export const quantised = defineCompression({
  id: 'quantised',
  title: 'values rounded to whole multiples of the largest over 2^(bits - 1) - 1',
  params: { bits: whole({ default: 8, min: 2, max: 32, doc: 'bits for a value, one of them its sign' }) },
  compress(change, { bits }) {
    const levels = raised(2, bits - 1) - 1
    const step = change.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / levels
    return step > 0 ? change.map((x) => step * Math.round(x / step)) : change.slice()
  },
})
