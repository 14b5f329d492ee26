/** What a server that holds masked updates and some of their secrets can open: the smallest sum of clients' updates. */
import type { Neighbours } from '../secure-aggregation/mask-graph.js'

/** All that a server and its colluders know after a sum; clients by place, from 1. */
export interface SumSecrets {
  /** Who masks with whom. */
  readonly masks: Neighbours
  /** Whose seed is known, and so the mask that it put on alone. */
  readonly seeds: ReadonlySet<number>
  /** Whose mask key is known, and so all the masks that it has with others. */
  readonly keys: ReadonlySet<number>
  /** Who told the server everything. */
  readonly colluders: ReadonlySet<number>
}

/**
 * The smallest set of clients, none of them a colluder, whose updates' sum is known. Masks whose secret nobody knows
 * tie clients together: a sum opens when it holds whole parts of that graph, and every seed in them is known.
 */
export function smallestOpened({ masks, seeds, keys, colluders }: SumSecrets): readonly number[] | undefined {
  const open = (u: number): boolean => keys.has(u) || colluders.has(u)
  const seen = new Set<number>()
  let smallest: number[] | undefined
  for (let first = 1; first <= masks.length; first++) {
    if (seen.has(first) || colluders.has(first)) continue
    const part = new Set([first])
    for (const u of part) {
      if (open(u)) continue
      for (const v of masks[u - 1]!) if (!open(v)) part.add(v)
    }
    for (const u of part) seen.add(u)
    if (![...part].every((u) => seeds.has(u))) continue
    if (smallest === undefined || part.size < smallest.length) smallest = [...part]
  }
  return smallest?.sort((a, b) => a - b)
}

/** Who told what of whom: lists by client, as it accepted them. */
export interface Told {
  readonly masks: Neighbours
  /** By place - 1: who holds shares of its secrets, itself included. */
  readonly holders: Neighbours
  /** Shares that give a secret back. */
  readonly threshold: number
  readonly colluders: ReadonlySet<number>
  /** By client that answers: whom it believes to have survived. Of those it gives shares of seeds, of others of keys. */
  readonly lists: ReadonlyMap<number, ReadonlySet<number>>
}

/** The secrets that the answers give. Colluders give both shares of everybody. */
export function secretsTold({ masks, holders, threshold, colluders, lists }: Told): SumSecrets {
  const [seeds, keys] = [new Set<number>(), new Set<number>()]
  for (const [i, own] of holders.entries()) {
    let [ofSeed, ofKey] = [0, 0]
    for (const c of own) {
      const list = lists.get(c)
      if (colluders.has(c)) {
        ofSeed++
        ofKey++
      } else if (list?.has(i + 1)) ofSeed++
      else if (list !== undefined) ofKey++
    }
    if (ofSeed >= threshold) seeds.add(i + 1)
    if (ofKey >= threshold) keys.add(i + 1)
  }
  return { masks, seeds, keys, colluders }
}
