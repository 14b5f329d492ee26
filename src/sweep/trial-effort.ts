/** How long a trial may take beside the others of its sweep, by guess: the longest are begun first. */
import type { ScenarioInput } from '../scenario/scenario-schema.js'

const numberIn = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : otherwise

/** What an attack takes beside a client's turn, and what an audit takes whatever it trains: measured on small worlds, roughly. */
const turnsPerAttack = 200
const turnsPerAudit = 1000

/** In turns of a client, about. */
export function effortOf({ training = {}, partition, knowledge, models, attacks, repeats }: ScenarioInput): number {
  const clients = numberIn((partition?.params as { readonly clients?: unknown } | undefined)?.clients, 10)
  const { targets } = knowledge ?? {}
  const asked = Array.isArray(targets) ? targets.length : clients
  const steps = numberIn(training.localSteps, 5 * numberIn(training.localEpochs, 1))
  const turns = numberIn(training.rounds, 10) * clients * steps * modelSizes(models)
  const often = numberIn(repeats, 10)
  const kinds = Array.isArray(attacks) ? attacks.length : 40
  return often * ((1 + asked) * turns + kinds * asked * turnsPerAttack) + turnsPerAudit
}

/** A model without layers counts as one, a layer by its width. */
function modelSizes(models: ScenarioInput['models']): number {
  if (!Array.isArray(models)) return 1
  return models.reduce((sum: number, { hidden }: { readonly hidden?: unknown }) => {
    const widths = Array.isArray(hidden) ? hidden.map((width) => numberIn(width, 1)) : []
    return sum + 1 + widths.reduce((a, b) => a + b, 0) / 8
  }, 0)
}
