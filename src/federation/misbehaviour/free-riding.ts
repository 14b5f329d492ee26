/** A free rider: takes the model, trains nothing, and returns something that costs nothing. */
import { choice, number } from '../../params.js'
import { updateOf } from '../updates.js'
import { defineMisbehaviour } from './misbehaviour.js'

export const freeRider = defineMisbehaviour({
  id: 'free-rider',
  title: 'returns an update without training',
  remembers: true,
  params: {
    update: choice({
      default: 'zero',
      choices: ['zero', 'stale', 'noise'],
      doc: 'no change, the change of the global model since its last turn, or noise',
    }),
    noiseStd: number({ default: 0.01, min: 0, doc: 'standard deviation of each value of a noise update' }),
  },
  act: (turn, { update, noiseStd }) => {
    const { received, memory, rng } = turn
    const zero = new Float64Array(received.length)
    const changes = {
      zero: () => zero,
      // In its first turn it has seen no change yet.
      stale: () => (memory === undefined ? zero : received.map((x, j) => x - memory[j]!)),
      noise: () => rng.normals(received.length, { std: noiseStd }),
    }
    return updateOf(turn.share, changes[update](), turn)
  },
})
