/** Tables of a page, read back cell by cell, for tests of what stands in them. */

export interface HtmlTable {
  readonly caption: string
  readonly heads: readonly string[]
  /** What stands between the tags of each cell. */
  readonly rows: readonly (readonly string[])[]
  /** Places of the columns whose heads say that they hold figures. */
  readonly figures: readonly number[]
}

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((found) => found[1]!)

/** The table of this id; undefined where the page has none. */
export function tableIn(html: string, id: string): HtmlTable | undefined {
  const start = html.indexOf(`<table class="data" id="${id}">`)
  if (start < 0) return undefined
  const text = html.slice(start, html.indexOf('</table>', start))
  const [head, body] = text.split('<tbody>') as [string, string]
  const heads = [...head.matchAll(/<th scope="col"([^>]*)>(.*?)<\/th>/g)]
  return {
    caption: all(head, /<caption>(.*?)<\/caption>/g)[0]!,
    heads: heads.map(([, , words]) => words!),
    rows: all(body, /<tr>(.*?)<\/tr>/g).map((row) => all(row, /<td[^>]*>(.*?)<\/td>/g)),
    figures: heads.flatMap(([, more], k) => (more!.includes('class="n"') ? [k] : [])),
  }
}
