/** Values of a change rounded to few bits: the same as training.compression quantised. It promises few bits, and no secrecy. */
import { quantised } from '../models/compressions/quantised.js'
import { whole } from '../params.js'
import { defineDefence } from './defence-entry.js'
import { shortened } from './shortened-change.js'

export const quantiseEntry = defineDefence({
  id: 'quantise',
  title: "values of a client's change rounded to a few bits; nothing is promised of what they tell",
  // Two bits unless told: what is sent of a value is its sign, or that it is small.
  params: { bits: whole({ ...quantised.params.bits, default: 2 }) },
  create: ({ bits }) => shortened('quantised', { bits }),
})
