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
