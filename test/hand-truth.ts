/** Truth and tables made by hand, for tests of grading. */
import { matrixOf } from '../src/numeric/linalg/matrix.js'
import type { Table } from '../src/transcript/encoded-table.js'
import type { Truth } from '../src/transcript/truth-file.js'

export interface HandTruth {
  readonly clients?: Readonly<Record<string, Table>>
  readonly batches?: readonly { round: number; client: string; rows: readonly number[] }[]
  readonly optimum?: Readonly<Record<string, readonly number[]>>
  readonly properties?: Readonly<Record<string, readonly string[]>>
  readonly protocol?: Readonly<Record<string, unknown>>
  readonly participation?: ReadonlyMap<number, readonly string[]>
}

export function truthOf({
  clients = {},
  batches = [],
  optimum = {},
  properties = {},
  protocol,
  participation,
}: HandTruth = {}): Truth {
  return {
    warnings: [],
    client: async (id) => clients[id],
    batch: (at) => batches.find(({ round, client }) => round === at.round && client === at.client)?.rows,
    optimum: async (id) => optimum[id] && Float64Array.from(optimum[id]),
    property: (name) => properties[name],
    protocol,
    participation,
  }
}

/** Rows of numbers under names; `labels` and `metaclasses` beside them. */
export function tableOf(
  columns: readonly string[],
  rows: readonly (readonly number[])[],
  { labels, metaclasses }: { labels?: readonly number[]; metaclasses?: readonly number[] } = {},
): Table {
  return {
    columns,
    features: rows.length === 0 ? { rows: 0, cols: columns.length, data: new Float64Array(0) } : matrixOf(rows),
    ...(labels !== undefined && { labels: Float64Array.from(labels) }),
    ...(metaclasses !== undefined && { metaclasses: Float64Array.from(metaclasses) }),
  }
}
