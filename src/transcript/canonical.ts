/** JSON by which two values can be compared and named: keys sorted, whatever order they came in. */

export function canonical(value: unknown): string {
  const text = JSON.stringify(value, (_, v: unknown) =>
    typeof v === 'object' && v !== null && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  )
  return text ?? 'undefined'
}
