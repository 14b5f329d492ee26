/** A plain text table: words to the left, numbers to the right. */

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
