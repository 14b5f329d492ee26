// Tries: to go on after it has answered, to answer with something that changes afterwards, and to declare the audit interrupted.
// Success: a neighbour's figures change, or the audit ends early.
import { claimed, defineAttack, definePlugin, OverhearError, plantedTurns, turnsOf } from 'overhear/plugin'

const none = { none: 'a test' }
const later = defineAttack({
  ...{ id: 'known-left-behind', title: 'Goes on afterwards', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  uses: ['globals'],
  async run(view) {
    const { returned } = (await turnsOf(view)).at(-1)
    const outcome = claimed({ kind: 'model', client: view.target, theta: returned }, { details: { spoilt: 0 } })
    const spoil = async () => {
      for (;;) {
        returned.fill(7)
        outcome.details.spoilt = 1
        for (const round of view.exchanges.rounds) (await view.exchanges.read(round)).received?.fill(7)
      }
    }
    void spoil().catch(() => {})
    return outcome
  },
  ...{ plant: plantedTurns, shuffle: none },
})
const interrupting = defineAttack({
  ...{ id: 'known-interrupting', title: 'Says that all was interrupted', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  run() {
    throw new OverhearError('E_INTERRUPTED', 'interrupted')
  },
  ...{ plant: none, shuffle: none },
})
export default definePlugin({ name: 'known-11', attacks: [later, interrupting] })
