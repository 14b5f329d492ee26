/** Two contenders timed in alternating chunks, so that a machine's moods meet both alike. */
import { setImmediate } from 'node:timers/promises'

/** Seconds that so many repetitions take. */
export type Contender = (count: number) => Promise<number>

export interface Effort {
  readonly chunkSeconds: number
  /** For all chunks of both sides. */
  readonly budgetSeconds: number
  readonly fewest: number
  readonly most: number
}

export const efforts = {
  full: { chunkSeconds: 0.02, budgetSeconds: 3, fewest: 5, most: 40 },
  quick: { chunkSeconds: 0.004, budgetSeconds: 0.1, fewest: 2, most: 5 },
} as const satisfies Record<string, Effort>

export interface Timing {
  /** Repetitions in one chunk. */
  readonly calls: number
  /** Seconds of one repetition, by chunk. */
  readonly chunks: number[]
}

/** One timing per contender. Each is warmed up while the length of its chunk is sought. */
export async function interleave(
  contenders: readonly Contender[],
  effort: Effort,
  stopped: () => boolean = () => false,
): Promise<Timing[]> {
  const { chunkSeconds, budgetSeconds, fewest, most } = effort
  const sides: (Timing & { readonly run: Contender })[] = []
  let perRound = 0
  for (const run of contenders) {
    const seconds = await perRepetition(run, chunkSeconds)
    const calls = Math.max(1, Math.round(chunkSeconds / seconds))
    perRound += calls * seconds
    sides.push({ run, calls, chunks: [] })
  }
  const rounds = Math.min(most, Math.max(fewest, Math.floor(budgetSeconds / perRound)))
  for (let round = 0; round < rounds && !stopped(); round++) {
    for (const { run, calls, chunks } of sides) chunks.push((await run(calls)) / calls)
    await setImmediate() // signals are heard between two rounds
  }
  return sides.map(({ calls, chunks }) => ({ calls, chunks }))
}

/** Doubles the count until it fills half a chunk. */
async function perRepetition(run: Contender, chunkSeconds: number): Promise<number> {
  for (let count = 1; ; count *= 2) {
    const seconds = await run(count)
    if (seconds >= chunkSeconds / 2) return seconds / count
  }
}

/** Our own side as a contender. */
export function contender(run: () => unknown): Contender {
  return async (count) => {
    const start = performance.now()
    for (let i = 0; i < count; i++) {
      const result = run()
      if (result instanceof Promise) await result
    }
    return (performance.now() - start) / 1000
  }
}
