/** A scenario as text and as values, always in step: the text is the truth, the form reads from it and writes into it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { EditRequest } from '../../api/requests.js'
import { checkText, editText } from './ask-server.js'
import { keepText } from './new-text.js'

export type Edit = EditRequest['edits'][number]

export interface ScenarioText {
  readonly yaml: string
  /** What the text says; of a text that is no YAML, what it said last. */
  readonly values: unknown
  readonly error: string | null
  /** Whether the server has yet to look at the text. */
  readonly pending: boolean
  write(yaml: string): void
  edit(...edits: Edit[]): void
}

const quietFor = 250 // ms without a key before a text is looked at

export function useScenario(first: string): ScenarioText {
  const [state, setState] = useState({
    yaml: first,
    values: null as unknown,
    error: null as string | null,
    pending: true,
  })
  const latest = useRef(first)
  /** Counts changes: an answer to an older one is not for this text. */
  const change = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const line = useRef<Promise<unknown>>(Promise.resolve())

  const look = (): void => {
    const mine = change.current
    checkText({ yaml: latest.current }).then(
      ({ values, error }) => {
        if (mine !== change.current) return
        setState((now) => ({ ...now, values: values ?? now.values, error, pending: false }))
      },
      (problem: Error) => setState((now) => ({ ...now, error: problem.message, pending: false })),
    )
  }
  const write = (yaml: string): void => {
    latest.current = yaml
    keepText(yaml)
    change.current++
    setState((now) => ({ ...now, yaml, pending: true }))
    clearTimeout(timer.current)
    timer.current = setTimeout(look, quietFor)
  }
  // One after the other: each goes into the text that the one before has left.
  const edit = (...edits: Edit[]): void => {
    line.current = line.current.then(async () => {
      clearTimeout(timer.current)
      const mine = ++change.current
      try {
        const { yaml, values, error } = await editText({ yaml: latest.current, edits })
        if (mine !== change.current) return
        latest.current = yaml
        keepText(yaml)
        setState((now) => ({ yaml, values: values ?? now.values, error, pending: false }))
      } catch (problem) {
        setState((now) => ({ ...now, error: (problem as Error).message, pending: false }))
      }
    })
  }
  useEffect(() => {
    look()
    return () => clearTimeout(timer.current)
  }, [])
  return { ...state, write, edit }
}

/** What stands at a path of plain values; undefined where nothing does. */
export function valueAt(values: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((at, key) => {
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key)
      ? (at as Record<string, unknown>)[key]
      : undefined
  }, values)
}
