/** The search of a malicious server: which survivors to name to whom, so that the answers open a sum that is too small. */
import type { Neighbours } from '../secure-aggregation/mask-graph.js'
import { nameEnough } from './list-flow.js'
import { secretsTold, smallestOpened } from './opened-sums.js'

/** What clients go by when they are told who survived. */
export interface ListRules {
  /** Who masks with whom, and who holds shares of whom, itself included; by place - 1. */
  readonly masks: Neighbours
  readonly holders: Neighbours
  /** Shares that give a secret back. */
  readonly threshold: number
  /** The shortest list that a client accepts, of those whose shares it holds or, where lists are signed, of all. */
  readonly leastListed: number
  /** Clients that must have signed one list before anybody answers; 0: each believes what it is told. */
  readonly signers: number
  /** Of those that a client deals its shares to, so many must be listed; 0 where all hold shares of all. */
  readonly leastHolders: number
}

export interface Opening {
  /** Whose updates' sum opens. */
  readonly opened: readonly number[]
  /** What each client is told. */
  readonly lists: ReadonlyMap<number, ReadonlySet<number>>
}

export interface Search {
  readonly rules: ListRules
  readonly colluders: ReadonlySet<number>
  /** Sums of fewer participants are sought, colluders in the sum counted: nobody can tell them from others. */
  readonly below: number
}

/** Lists that open a sum of too few, or undefined when there are none (of the sets that are tried: see `targetsIn`). */
export function findLists(search: Search): Opening | undefined {
  const { rules, colluders } = search
  const n = rules.masks.length
  const ways = rules.signers === 0 || colluders.size >= rules.signers ? [told] : [agreed, split]
  for (const way of ways) {
    for (const target of targetsIn(search)) {
      const lists = way(new Set(target), search)
      if (lists === undefined) continue
      const opened = smallestOpened(secretsTold({ ...rules, colluders, lists }))
      if (opened !== undefined && counted(opened, lists, search) < Math.min(search.below, n)) return { opened, lists }
    }
  }
  return undefined
}

/** Clients in an opened sum, with the colluders that those in it were told of. */
function counted(opened: readonly number[], lists: Opening['lists'], { rules, colluders }: Search): number {
  if (rules.signers === 0) return opened.length
  const listed = lists.get(opened[0]!) ?? new Set()
  return opened.length + [...colluders].filter((c) => listed.has(c)).length
}

/**
 * Sets to try: every client, every pair that masks together (others would open one by one), and what grows from each
 * by the neighbour that adds the fewest new ones, up to a dozen. Where everybody masks with everybody, clients are alike: one of each size.
 */
function* targetsIn({ rules: { masks }, colluders, below }: Search): Generator<readonly number[]> {
  const honest = masks.map((_, i) => i + 1).filter((u) => !colluders.has(u))
  const alike = masks.every((own) => own.length === masks.length - 1)
  if (alike) {
    for (let size = 1; size < below && size <= honest.length; size++) yield honest.slice(0, size)
    return
  }
  for (const u of honest) yield [u]
  if (below > 2) for (const u of honest) for (const v of masks[u - 1]!) if (u < v && !colluders.has(v)) yield [u, v]
  for (const u of honest) {
    const set = new Set([u])
    const edge = new Set(masks[u - 1])
    for (let size = 2; size < Math.min(below, mostGrown + 1); size++) {
      let [best, fewest] = [0, Number.POSITIVE_INFINITY]
      for (const v of edge) {
        if (colluders.has(v)) continue
        const added = masks[v - 1]!.reduce((sum, w) => sum + (set.has(w) || edge.has(w) || colluders.has(w) ? 0 : 1), 0)
        if (added < fewest) [best, fewest] = [v, added]
      }
      if (best === 0) break
      set.add(best)
      edge.delete(best)
      for (const w of masks[best - 1]!) if (!set.has(w)) edge.add(w)
      if (size > 2) yield [...set]
    }
  }
}

const mostGrown = 12

/** Who masks with somebody of the target and is neither in it nor a colluder. */
function outside(target: ReadonlySet<number>, { rules: { masks }, colluders }: Search): Set<number> {
  const found = new Set<number>()
  const all = masks.length - target.size - colluders.size
  for (const u of target) {
    for (const v of masks[u - 1]!) if (!target.has(v) && !colluders.has(v)) found.add(v)
    if (found.size === all) break
  }
  return found
}

/** Each client is told something of its own: seeds of the target, mask keys of all around it, or both of one client. */
function told(target: ReadonlySet<number>, search: Search): Opening['lists'] | undefined {
  const [first] = target
  const around = tellEach(outside(target, search), search)
  return around ?? (target.size === 1 ? tellEach(new Set([first!]), search, true) : undefined)
}

/** Lists in which those whose key is wanted are named as rarely as that takes, and still each list is long enough. */
function tellEach(wanted: ReadonlySet<number>, { rules, colluders }: Search, seedsToo = false) {
  const { holders, threshold, leastListed } = rules
  const [due, candidates] = [new Map<number, number>(), new Map<number, number[]>()]
  const most = new Map<number, number>()
  for (const o of wanted) {
    const honest = holders[o - 1]!.filter((c) => !colluders.has(c)).length
    const needed = threshold - (holders[o - 1]!.length - honest)
    // It names itself; the others share what may be named besides.
    const spare = honest - needed - 1
    if (spare < 0 || (seedsToo && honest - needed < needed)) return undefined
    most.set(o, spare)
  }
  const held = heldBy(holders)
  const free = new Map<number, Set<number>>()
  for (let c = 1; c <= holders.length; c++) {
    if (colluders.has(c)) continue
    const others = held[c - 1]!.filter((o) => !wanted.has(o) || o === c)
    free.set(c, new Set(others))
    candidates.set(
      c,
      held[c - 1]!.filter((o) => wanted.has(o) && o !== c),
    )
    due.set(c, Math.max(0, leastListed - others.length))
  }
  if (seedsToo) return seedAndKey([...wanted][0]!, { free, most, held, leastListed })
  const named = nameEnough({ due, candidates, most })
  return named && new Map([...free].map(([c, own]) => [c, new Set([...own, ...named.get(c)!])]))
}

interface Both {
  readonly free: ReadonlyMap<number, Set<number>>
  readonly most: ReadonlyMap<number, number>
  readonly held: readonly (readonly number[])[]
  readonly leastListed: number
}

/** One client's seed from as many as may name it, its key from the others. */
function seedAndKey(o: number, { free, most, held, leastListed }: Both): Opening['lists'] | undefined {
  let left = most.get(o)!
  const lists = new Map<number, Set<number>>()
  // Those who would be short without it come first.
  const short = (c: number): boolean => free.get(c)!.size < leastListed
  const order = [...free.keys()].filter((c) => c !== o && held[c - 1]!.includes(o))
  for (const c of [...order.filter(short), ...order.filter((one) => !short(one))]) {
    const names = left > 0
    if (names) left--
    else if (short(c)) return undefined
    lists.set(c, names ? new Set([...free.get(c)!, o]) : free.get(c)!)
  }
  for (const [c, own] of free) if (!lists.has(c)) lists.set(c, own)
  return lists
}

/** One list for all: the target and everybody who does not stand beside it. */
function agreed(target: ReadonlySet<number>, search: Search): Opening['lists'] | undefined {
  const around = outside(target, search)
  const all = search.rules.masks.map((_, i) => i + 1)
  return follow([new Set(all.filter((u) => !around.has(u)))], search)
}

/** Several lists at once, each signed by clients that see no other: as many as there can be. */
function split(target: ReadonlySet<number>, search: Search): Opening['lists'] | undefined {
  const { rules, colluders } = search
  const needed = Math.max(rules.signers, rules.leastListed) - colluders.size
  const all = rules.masks.map((_, i) => i + 1)
  const honest = [...target, ...all.filter((u) => !target.has(u) && !colluders.has(u))]
  const groups = Math.floor(honest.length / Math.max(1, needed))
  if (groups < 2) return undefined
  const size = Math.floor(honest.length / groups)
  const lists = Array.from({ length: groups }, (_, g) => {
    const own = honest.slice(g * size, g === groups - 1 ? honest.length : (g + 1) * size)
    return new Set([...own, ...colluders])
  })
  return follow(lists, search)
}

/** Who answers: those who are on a list that enough have signed, and find enough of their holders on it. */
function follow(lists: readonly ReadonlySet<number>[], { rules, colluders }: Search): Opening['lists'] | undefined {
  const { holders, signers, leastListed, leastHolders } = rules
  const followed = new Map<number, ReadonlySet<number>>()
  for (const list of lists) {
    if (list.size < leastListed) continue
    const willing = [...list].filter((u) => {
      if (colluders.has(u) || followed.has(u)) return false
      return leastHolders === 0 || holders[u - 1]!.filter((v) => v !== u && list.has(v)).length >= leastHolders
    })
    const signing = willing.length + [...colluders].filter((c) => list.has(c)).length
    if (signing < signers) continue
    for (const u of willing) followed.set(u, list)
  }
  return followed.size === 0 ? undefined : followed
}

/** By place - 1: whose shares a client holds. */
function heldBy(holders: Neighbours): number[][] {
  const held: number[][] = holders.map(() => [])
  for (const [i, own] of holders.entries()) for (const c of own) held[c - 1]!.push(i + 1)
  return held
}
