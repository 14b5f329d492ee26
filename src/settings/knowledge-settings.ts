/** What the adversary knows besides what it hears: the settings of a scenario's `knowledge`. */
import { flag, text, whole } from '../params.js'
import { defineSetting, listed, paramsBeside, texts } from './setting.js'

const obeyedBy = 'whoever writes knowledge.json'

export const targets = defineSetting({
  id: 'knowledge.targets',
  value: texts({ default: ['0'], words: ['all'], least: 1, doc: 'ids of the clients to attack' }),
  obeyedBy,
})

export const sensitive = defineSetting({
  id: 'knowledge.sensitive',
  value: texts({ default: 'first', words: ['first'], doc: 'columns that the adversary does not know and wants to' }),
  obeyedBy,
})

export const records = defineSetting({
  id: 'knowledge.records',
  value: flag({ default: true, doc: "whether the rest of the target's records is known" }),
  obeyedBy,
})

export const labels = defineSetting({
  id: 'knowledge.labels',
  value: flag({ default: true, doc: 'whether the labels of these records are known' }),
  obeyedBy,
})

export const auxiliary = defineSetting({
  id: 'knowledge.auxiliary',
  value: flag({ default: true, doc: 'whether the adversary holds the auxiliary rows' }),
  obeyedBy,
})

export const metaclassCounts = defineSetting({
  id: 'knowledge.metaclassCounts',
  value: flag({ default: false, doc: 'whether it knows how many records of each metaclass there are' }),
  obeyedBy,
})

export const candidates = defineSetting({
  id: 'knowledge.candidates',
  value: whole({ default: 0, min: 0, doc: 'how many records to ask about: half of them members', unit: 'records' }),
  obeyedBy,
})

export const property = defineSetting({
  id: 'knowledge.property',
  value: text({ default: null, orNull: 'none', doc: 'property of clients to look for: membership, inversion, ...' }),
  obeyedBy,
})

export const holders = defineSetting({
  id: 'knowledge.holders',
  value: listed({
    default: [],
    doc: 'property membership: ids of clients that hold the record asked about, which is one of the first target',
  }),
  obeyedBy,
})

export const turnWindow = defineSetting({
  id: 'knowledge.turnWindow',
  value: whole({
    default: 0,
    min: 0,
    doc: 'windows of so many rounds in each of which it knows how often every client took part; 0: it does not',
    unit: 'rounds',
  }),
  obeyedBy,
})

export const states = defineSetting({
  id: 'knowledge.states',
  value: paramsBeside(
    'settings of the protocol that the recording states otherwise than they are, by their names there; unknown: it does not say',
  ),
  obeyedBy: 'whoever writes the recording',
})
