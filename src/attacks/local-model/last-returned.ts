/** The papers' baseline: the last model that the client returned stands for the one it would train alone. */
import { claimed, defineAttack } from '../attack.js'
import { turnOf } from '../shared/target-turns.js'
import { permutedTurns, plantedTurns } from '../shared/turn-controls.js'

export const lastReturned = defineAttack({
  id: 'last-returned',
  title: "The client's last returned model",
  paper: 'lmra',
  where: 'Section 4, baseline',
  target: 'model',
  needs: ['exchanges', 'target'],
  params: {},
  async run({ exchanges, target }) {
    const turn = turnOf(await exchanges.read(exchanges.rounds.at(-1)!))
    return claimed({ kind: 'model', client: target, theta: turn.returned }, { details: { round: turn.round } })
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})
