/** How often a scenario is trained: as often as it says, else by the size of what one training sends. */
import { rng } from '../numeric/random/rng.js'
import type { Scenario } from './scenario-schema.js'

const mebibyte = 1024 * 1024
const twoTo32 = 4294967296
const twoTo52 = 4503599627370496

/** The scenario's own number; else 10 up to 64 MiB of messages in one training, 5 up to 256 MiB, 1 above. */
export function repeatsOf({ repeats }: Pick<Scenario, 'repeats'>, bytesOfMessages: number): number {
  if (repeats !== null) return repeats
  if (bytesOfMessages <= 64 * mebibyte) return 10
  return bytesOfMessages <= 256 * mebibyte ? 5 : 1
}

/** The seed that a repeat trains with: the scenario's own for repeat 0, and one that no other scenario's seed meets. */
export function seedOf(seed: number, repeat: number): number {
  if (repeat === 0) return seed
  const draws = rng(seed).fork('repeat', repeat)
  // 53 bits, with the highest set: above every seed that people write by hand.
  return twoTo52 + (draws.u32() >>> 12) * twoTo32 + draws.u32()
}
