/** Text and numbers as they may stand in HTML. */

export function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, (c) => entities[c]!)
}

/** A place in a picture. */
export const point = (pixels: number): string => pixels.toFixed(1)

/** A value as JSON that may stand inside a script element: nothing in it can end the element. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
