/** Gradient inversion: the client trains as told and returns the opposite. */

import { scaledUpdate } from '../updates.js'
import { defineMisbehaviour } from './misbehaviour.js'

export const inversion = defineMisbehaviour({
  id: 'inversion',
  title: 'returns the negated update',
  paper: 'prolin',
  params: {},
  act: (turn) => scaledUpdate(turn.train(), -1, turn),
})
