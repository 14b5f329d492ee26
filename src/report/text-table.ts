/** Plain text in columns and lines: words to the left, numbers to the right, sentences wrapped. */

export function textTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows].map((row) => row.map(String))
  const widths = header.map((_, j) => Math.max(...cells.map((row) => (row[j] ?? '').length)))
  const right = header.map((_, j) => rows.every((row) => typeof row[j] === 'number' || /^[-+\d.]/.test(String(row[j]))))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, j) => (right[j] ? cell.padStart(widths[j]!) : cell.padEnd(widths[j]!)))
      .join('  ')
      .trimEnd()
  const [head, ...body] = cells
  return [line(head!), widths.map((w) => '-'.repeat(w)).join('  '), ...body.map(line)].join('\n')
}

const widest = 118

/** A sentence in lines of at most so many characters, but for words that are longer; those after the first are set in. */
export function wrapped(text: string, indent = '', width = widest): string[] {
  const start = /^ */.exec(text)![0]
  const lines: string[] = []
  let line = start
  for (const word of text.slice(start.length).split(' ')) {
    const empty = line.trim() === ''
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line)
      line = `${indent}${word}`
    } else line += empty ? word : ` ${word}`
  }
  return [...lines, line]
}
