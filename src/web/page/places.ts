/** Addresses inside of the page: behind the # of its own, so that the server knows one page only. */

export type Place =
  | { readonly screen: 'runs' | 'new' | 'lab' | 'sweeps' | 'studies' }
  | { readonly screen: 'run' | 'sweep' | 'study'; readonly id: string }
  | { readonly screen: 'explore'; readonly id: string; readonly tab: string; readonly client: string }
  | { readonly screen: 'compare'; readonly before: string; readonly after: string }

export const toRun = (id: string): string => `#/run/${encodeURIComponent(id)}`
export const toSweep = (id: string): string => `#/sweep/${encodeURIComponent(id)}`
export const toStudy = (key: string): string => `#/study/${encodeURIComponent(key)}`
/** A view of a run's messages, and the client that it is about. */
export const toExplore = (id: string, tab = '', client = ''): string =>
  ['#/explore', ...[id, ...(tab === '' ? [] : [tab]), ...(client === '' ? [] : [client])].map(encodeURIComponent)].join(
    '/',
  )
export const toCompare = (before: string, after: string): string =>
  `#/compare/${encodeURIComponent(before)}/${encodeURIComponent(after)}`

export function go(address: string): void {
  window.location.hash = address
}

/** What an address means; one that means nothing is the list of runs. */
export function placeOf(hash: string): Place {
  const [screen, ...rest] = hash.replace(/^#\/?/, '').split('/').map(decoded)
  if (screen === 'new' || screen === 'lab' || screen === 'sweeps' || screen === 'studies') return { screen }
  if ((screen === 'run' || screen === 'sweep' || screen === 'study') && rest[0] !== undefined)
    return { screen, id: rest[0] }
  if (screen === 'explore' && rest[0] !== undefined)
    return { screen, id: rest[0], tab: rest[1] ?? '', client: rest[2] ?? '' }
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
