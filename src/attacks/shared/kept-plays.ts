/** Turns played over in a search, kept for whoever asks for the same ones again: with other noise, or with more beside them. */

/** Numbers that are kept at most; beyond, all are forgotten. */
const mostKept = 4e6

export interface KeptPlays {
  /** What a play gave; `make` plays it where it is not kept. */
  of(key: string, make: () => Float64Array): Float64Array
}

export function keptPlays(): KeptPlays {
  const plays = new Map<string, Float64Array>()
  let size = 0
  return {
    of(key, make) {
      const before = plays.get(key)
      if (before !== undefined) return before
      const made = make()
      size += made.length
      if (size > mostKept) {
        plays.clear()
        size = made.length
      }
      plays.set(key, made)
      return made
    },
  }
}
