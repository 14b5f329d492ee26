/** What a screen needs from the server: nothing yet, a value, or why there is none. */
import { useCallback, useEffect, useState } from 'preact/hooks'

export interface Loaded<T> {
  readonly value: T | null
  readonly error: string | null
  reload(): void
}

/** Loads anew when one of `of` changes, or when it is asked to. */
export function useLoaded<T>(load: () => Promise<T>, of: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value: T | null; error: string | null }>({ value: null, error: null })
  const [times, setTimes] = useState(0)
  useEffect(() => {
    let wanted = true
    load().then(
      (value) => wanted && setState({ value, error: null }),
      (error: Error) => wanted && setState({ value: null, error: error.message }),
    )
    return () => {
      wanted = false
    }
  }, [...of, times])
  const reload = useCallback(() => setTimes((one) => one + 1), [])
  return { ...state, reload }
}
