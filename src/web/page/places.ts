/** Addresses inside of the page: behind the # of its own, so that the server knows one page only. */

export type Place =
  | { readonly screen: 'runs' | 'new' | 'lab' }
  | { readonly screen: 'run'; readonly id: string }
  | { readonly screen: 'compare'; readonly before: string; readonly after: string }

export const toRun = (id: string): string => `#/run/${encodeURIComponent(id)}`
export const toCompare = (before: string, after: string): string =>
  `#/compare/${encodeURIComponent(before)}/${encodeURIComponent(after)}`

export function go(address: string): void {
  window.location.hash = address
}

/** What an address means; one that means nothing is the list of runs. */
export function placeOf(hash: string): Place {
  const [screen, ...rest] = hash.replace(/^#\/?/, '').split('/').map(decoded)
  if (screen === 'new' || screen === 'lab') return { screen }
  if (screen === 'run' && rest[0] !== undefined) return { screen, id: rest[0] }
  if (screen === 'compare') return { screen, before: rest[0] ?? '', after: rest[1] ?? '' }
  return { screen: 'runs' }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
