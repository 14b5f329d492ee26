/** A scaled update: the client trains as told and multiplies some coordinates of its change; who knows the vector can tell. */
import { scaleVector, usualScale } from '../../numeric/random/scale-vector.js'
import { number, whole } from '../../params.js'
import { scaledUpdate } from '../updates.js'
import { defineMisbehaviour } from './misbehaviour.js'

export const scaled = defineMisbehaviour({
  id: 'scaled',
  title: 'returns its update times a known vector',
  params: {
    factor: number({ default: usualScale.factor, doc: 'what some coordinates of its change are multiplied with' }),
    part: number({ default: usualScale.part, min: 0, max: 1, doc: 'share of the coordinates that are multiplied' }),
    key: whole({ default: usualScale.key, min: 0, doc: 'which coordinates these are: another number, others' }),
  },
  act: (turn, scale) => scaledUpdate(turn.train(), scaleVector(turn.received.length, scale), turn),
})
