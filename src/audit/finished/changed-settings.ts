/** What two scenarios say differently: each setting by its path, as it was and as it is. */
import type { Scenario } from '../../scenario/scenario-schema.js'

export interface ChangedSetting {
  /** "training.rounds"; of lists the whole list. */
  readonly path: string
  /** As JSON; '' where it is not said. */
  readonly before: string
  readonly after: string
}

export function changedSettings(before: Scenario | null, after: Scenario | null): ChangedSetting[] {
  if (before === null || after === null) return []
  const [old, now] = [leaves(before), leaves(after)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
    const [a, b] = [old.get(path) ?? '', now.get(path) ?? '']
    return a === b ? [] : [{ path, before: a, after: b }]
  })
}

/** Everything that is no object with keys of its own, by its path. */
function leaves(value: object, above = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [key, one] of Object.entries(value)) {
    const path = above === '' ? key : `${above}.${key}`
    if (typeof one === 'object' && one !== null && !Array.isArray(one)) {
      for (const [below, text] of leaves(one, path)) found.set(below, text)
    } else if (one !== undefined) found.set(path, JSON.stringify(one))
  }
  return found
}
