/** Work that takes long: its events as they come, and what it ends in. */

/** Begun work: read its events with `for await`, and await its result. */
export interface Running<E, T> extends AsyncIterable<E> {
  /** Rejects when the work fails or is stopped before there is anything to keep. */
  readonly result: Promise<T>
}

/** What stops the work; an AbortSignal is one. */
export interface StopSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Begins the work at once. Every reader sees all events from the first on; when the work fails, so do the readers. */
export function running<E, T>(work: (emit: (event: E) => void) => Promise<T>): Running<E, T> {
  const events: E[] = []
  let waiting: (() => void)[] = []
  let ended = false
  const wake = (): void => {
    const readers = waiting
    waiting = []
    for (const go of readers) go()
  }
  const emit = (event: E): void => {
    events.push(event)
    wake()
  }
  const result = work(emit).finally(() => {
    ended = true
    wake()
  })
  // Whoever only reads the events hears of a failure there.
  result.catch(() => {})
  return {
    result,
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ; next++) {
        while (next >= events.length && !ended) await new Promise<void>((resolve) => waiting.push(resolve))
        if (next >= events.length) break
        yield events[next]!
      }
      await result
    },
  }
}
