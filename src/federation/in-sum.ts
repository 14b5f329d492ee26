/** Who is in a round's sum: whoever's update is not has dropped out, for whatever reason. */

/** The parts of a round that name clients. */
export interface RoundClients {
  readonly participants: readonly string[]
  readonly dropped: readonly string[]
  readonly tampered: readonly string[]
  readonly sent: ReadonlyMap<string, Float64Array>
  readonly weights: ReadonlyMap<string, number>
  readonly misbehaved: readonly string[]
}

export function withOnly(inSum: ReadonlySet<string>, round: RoundClients, asked: readonly string[]): RoundClients {
  const there = (ids: readonly string[]): string[] => ids.filter((id) => inSum.has(id))
  const known = <T>(map: ReadonlyMap<string, T>): Map<string, T> => new Map([...map].filter(([id]) => inSum.has(id)))
  return {
    participants: there(round.participants),
    dropped: asked.filter((id) => !inSum.has(id)),
    tampered: there(round.tampered),
    sent: known(round.sent),
    weights: known(round.weights),
    misbehaved: there(round.misbehaved),
  }
}
