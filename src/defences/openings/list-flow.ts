/** Lists that must name enough others, when some may be named only so often: a flow from clients to those they name. */

export interface Naming {
  /** By client: how many of its candidates it must name. */
  readonly due: ReadonlyMap<number, number>
  /** By client: whom it may name. */
  readonly candidates: ReadonlyMap<number, readonly number[]>
  /** By candidate: how often it may be named. */
  readonly most: ReadonlyMap<number, number>
}

interface Named {
  /** Whom a client names, and by whom somebody is named. */
  readonly by: ReadonlyMap<number, Set<number>>
  readonly of: ReadonlyMap<number, Set<number>>
}

/** Who names whom, or undefined when it cannot be: augmenting paths, so that an answer is found if there is one. */
export function nameEnough(naming: Naming): ReadonlyMap<number, ReadonlySet<number>> | undefined {
  const { due, most } = naming
  const named: Named = {
    by: new Map([...due.keys()].map((client) => [client, new Set<number>()])),
    of: new Map([...most.keys()].map((candidate) => [candidate, new Set<number>()])),
  }
  const total = (counts: Iterable<number>): number => [...counts].reduce((sum, count) => sum + count, 0)
  if (total(due.values()) > total(most.values())) return undefined
  for (const [client, count] of due) {
    for (let k = 0; k < count; k++) if (!nameOneMore(client, naming, named)) return undefined
  }
  return named.by
}

/** One more for this client; others may have to name somebody else instead. */
function nameOneMore(first: number, { candidates, most }: Naming, named: Named): boolean {
  const room = (candidate: number): number => most.get(candidate)! - named.of.get(candidate)!.size
  let [best, mostRoom] = [0, 0]
  for (const candidate of candidates.get(first) ?? []) {
    if (named.by.get(first)!.has(candidate) || room(candidate) <= mostRoom) continue
    ;[best, mostRoom] = [candidate, room(candidate)]
  }
  if (mostRoom > 0) {
    named.by.get(first)!.add(best)
    named.of.get(best)!.add(first)
    return true
  }
  const wantedBy = new Map<number, number>() // by candidate: the client that would name it
  const wouldGive = new Map<number, number>() // by client: whom it would no longer name
  const queue = [first]
  for (const client of queue) {
    for (const candidate of candidates.get(client) ?? []) {
      if (wantedBy.has(candidate) || named.by.get(client)!.has(candidate)) continue
      wantedBy.set(candidate, client)
      const namers = named.of.get(candidate)!
      if (room(candidate) > 0) {
        shift(candidate, { first, wantedBy, wouldGive, named })
        return true
      }
      for (const other of namers) {
        if (other === first || wouldGive.has(other)) continue
        wouldGive.set(other, candidate)
        queue.push(other)
      }
    }
  }
  return false
}

interface Path {
  readonly first: number
  readonly wantedBy: ReadonlyMap<number, number>
  readonly wouldGive: ReadonlyMap<number, number>
  readonly named: Named
}

function shift(last: number, { first, wantedBy, wouldGive, named }: Path): void {
  for (let candidate = last; ; ) {
    const client = wantedBy.get(candidate)!
    named.by.get(client)!.add(candidate)
    named.of.get(candidate)!.add(client)
    if (client === first) return
    const given = wouldGive.get(client)!
    named.by.get(client)!.delete(given)
    named.of.get(given)!.delete(client)
    candidate = given
  }
}
