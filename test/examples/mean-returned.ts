/** The mean of the models that the client returned last: local noise averages out, what its data want stays. */
import { claimed, defineAttack } from '../../src/attacks/attack.js'
import { turnsOf } from '../../src/attacks/shared/target-turns.js'
import { permutedTurns, plantedTurns } from '../../src/attacks/shared/turn-controls.js'
import { whole } from '../../src/params.js'

export const meanReturned = defineAttack({
  id: 'mean-returned',
  title: 'The mean of the last models that the client returned',
  paper: 'lmra',
  where: 'Section 4, the baseline averaged',
  beyond: true,
  target: 'model',
  needs: ['exchanges', 'target'],
  params: { last: whole({ default: 10, min: 1, doc: 'how many of its last turns are averaged' }) },
  async run({ exchanges, target }, { params, tick }) {
    const turns = await turnsOf({ exchanges }, { rounds: exchanges.rounds.slice(-params.last) })
    const theta = new Float64Array(turns[0]!.returned.length)
    for (const [i, { returned }] of turns.entries()) {
      tick(i, turns.length)
      for (let j = 0; j < theta.length; j++) theta[j]! += returned[j]! / turns.length
    }
    const warnings = turns.length < params.last ? [`${turns.length} turns were heard, not ${params.last}`] : []
    return claimed({ kind: 'model', client: target, theta }, { warnings, details: { turns: turns.length } })
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})
