/** Messages that are no plain updates by their looks alone: cut to their largest entries, to signs, to few values. */

/** What is odd about an update beside others of its kind, in words; undefined where nothing is. */
export function oddShape(heard: Float64Array, others: readonly Float64Array[]): string | undefined {
  const d = heard.length
  const zeros = zerosOf(heard)
  const usual = others.reduce((most, one) => Math.max(most, zerosOf(one)), 0)
  if (d >= few && zeros - usual > 0.2 * d) return `${zeros} of its ${d} entries are 0, where ${usual} are usual`
  const moved = heard.map(Math.abs).filter((v) => v > 0)
  const largest = moved.reduce((most, v) => Math.max(most, v), 0)
  const alike = moved.filter((v) => v > 0.99 * largest).length
  if (moved.length >= few && alike > 0.5 * moved.length) return `${alike} of its ${d} entries are of one size`
  const values = new Set(Array.from(moved, (v) => Math.round((v / largest) * 1e9)))
  if (moved.length >= many && values.size <= 256) return `its ${d} entries take ${values.size} values`
  return undefined
}

const zerosOf = (values: Float64Array): number => values.reduce((n, v) => n + (v === 0 ? 1 : 0), 0)

const few = 24 // fewer entries look like anything
const many = 1000 // that take a byte's values are no accident
