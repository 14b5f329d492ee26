/** How long gradients of single records are at first, on rows that nobody trains on: a clipping norm that no private data chose. */
import { settle } from '../../federation/spec.js'
import { initialise } from '../../models/initialise.js'
import { trainer } from '../../models/trainer.js'
import { rng } from '../../numeric/random/rng.js'
import { medianOf } from '../../numeric/special/summaries.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { stageOf } from '../../scenario/simulate-model.js'
import type { AuditFiles } from '../ports.js'

/** Rows that are looked at. */
const most = 64

/** The median over the held-out rows and the scenario's models; 1 where no rows are held out. */
export async function typicalGradient(scenario: Scenario, files: AuditFiles): Promise<number> {
  const norms: number[] = []
  for (const model of scenario.models.keys()) {
    const { spec, world } = await stageOf(scenario, model, {
      ...(files.dataset !== undefined && { files: files.dataset(scenario.data.name) }),
    })
    const { records } = world.encode(world.validation.subarray(0, most))
    if (records.features.rows === 0) continue
    const settled = settle(spec)
    const { loss, lossScale } = settled
    const one = trainer(settled.model, { data: records, precision: 'f64', loss, lossScale })
    one.load(initialise(settled.model, rng(scenario.seed).fork('typical gradient'), settled.initialiser))
    const draws = () => rng(scenario.seed)
    for (let i = 0; i < records.features.rows; i++) {
      const gradient = one.gradient(Int32Array.of(i), draws)
      norms.push(Math.sqrt(gradient.reduce((sum, x) => sum + x * x, 0)))
    }
    one.release()
  }
  const typical = norms.length === 0 ? 1 : medianOf(norms)
  return typical > 0 && Number.isFinite(typical) ? Number(typical.toPrecision(2)) : 1
}
