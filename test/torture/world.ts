/** The small world that is tortured: every file that a simulation writes, in a few rounds. */
import { readScenario } from '../../src/audit/read-scenario.js'

export const tortured = readScenario({
  name: 'tortured',
  heldBack: 0.25,
  data: { name: 'cps-wages', rows: 40 },
  partition: { name: 'iid', params: { clients: 3 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 8, learningRate: 0.05, batchSize: 8 },
})
