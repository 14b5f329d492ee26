// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// What the broken attacks share: a view with something changed in it, and messages read one by one.

/** What the attack may see, with some keys replaced. */
export function changedView({ needs, uses }, view, change) {
  const seen = {}
  for (const key of [...needs, ...uses]) if (view[key] !== undefined) seen[key] = view[key]
  return Object.freeze({ ...seen, ...change })
}

/** The same rounds, each message read through `change(message, round, readOther)`. */
export const throughEach = (series, change) => ({
  ...series,
  rounds: series.rounds,
  read: async (round) => change(await series.read(round), round, (other) => series.read(other)),
})

/** The numbers of an update, whatever they stand for, mapped. */
export function mappedUpdate(update, map) {
  if (update.kind === 'parameters') return { ...update, theta: map(update.theta) }
  if (update.kind === 'delta') return { ...update, dTheta: map(update.dTheta) }
  return { ...update, grad: map(update.grad) }
}

/** The attack with another `run`; the id, what it needs and what else it says of itself stay. */
export const withRun = (attack, run) => ({ ...attack, run })

/** An outcome whose claims were written down wrongly; what is no claim stays. */
export const withClaims = (outcome, change) =>
  outcome.status === 'claimed' ? { ...outcome, claims: outcome.claims.map(change) } : outcome
