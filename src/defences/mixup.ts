/** A weak defence: clients train on mixtures of two of their records, never on a record itself. Nothing is promised. [zhang2018] */
import { number } from '../params.js'
import { defineDefence } from './defence-entry.js'

export const mixupEntry = defineDefence({
  id: 'mixup',
  title: 'clients train on mixtures of two of their records each, labels mixed too; nothing is promised',
  paper: 'zhang2018',
  params: {
    alpha: number({
      default: 1,
      above: 0,
      max: 1000,
      doc: 'shares are drawn from Beta(alpha, alpha): near 0 records stay as they are, above 1 most are mixed evenly',
    }),
  },
  create: ({ alpha }) => ({ mixing: { alpha }, protocol: { mixup: { alpha } } }),
})
