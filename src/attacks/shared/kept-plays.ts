/** Turns played over in a search, kept for whoever asks for the same ones again: with other noise, or with more beside them. */

/** Numbers that are kept at most; beyond, all are forgotten. */
const mostKept = 4e6

interface KeptPlays {
  /** What a play gave; `make` plays it where it is not kept. */
  of(key: string, make: () => Float64Array): Float64Array
}

/** By whatever the keys are about. */
const kept = new WeakMap<object, KeptPlays>()

export function keptPlays(about: object): KeptPlays {
  const known = kept.get(about)
  if (known !== undefined) return known
  const plays = new Map<string, Float64Array>()
  let size = 0
  const own: KeptPlays = {
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
  kept.set(about, own)
  return own
}
