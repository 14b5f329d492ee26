/** Gradient ascent: the client makes its loss grow, and keeps its update short enough not to be noticed. */
import { norm } from '../../numeric/linalg/vector.js'
import { number } from '../../params.js'
import { changeOf, scaledUpdate } from '../updates.js'
import { defineMisbehaviour } from './misbehaviour.js'

export const ascent = defineMisbehaviour({
  id: 'ascent',
  title: 'climbs its own loss',
  paper: 'prolin',
  params: {
    // Without a bound the global model is soon lost.
    maxNorm: number({ default: 2, min: 0, doc: 'bound on the norm of its change of the model; 0: none' }),
  },
  act: (turn, { maxNorm: C }) => {
    const update = turn.train({ ascend: true })
    if (C === 0) return update
    const length = norm(changeOf(update, turn))
    return length <= C ? update : scaledUpdate(update, C / length, turn)
  },
})
