/** Sums of one number a round, and detectors made by hand, for tests of what attacks on properties make of them. */
import type { Derive } from '../src/attacks/derivation.js'
import type { DetectorParams } from '../src/attacks/properties/property-attack.js'
import { protocolOf } from './label-views.js'

const ids = ['a', 'b', 'c', 'd']
type Rows = readonly string[]
const rows: Rows = ['ab', 'bc', 'cd', 'ac', 'abd', 'd', 'bcd', 'a']

/** Sums of one number each, 0 unless told. */
export function sumsView({
  took = rows,
  sum = (_: number) => 0,
  ...change
}: {
  took?: Rows
  sum?: (r: number) => number
  [key: string]: unknown
} = {}) {
  const rounds = took.map((_, r) => 10 + r)
  const read = async (round: number) => ({ round, dThetaSum: Float64Array.of(sum(round - 10)), derived: false })
  return {
    protocol: protocolOf(),
    aggregates: { rounds, read },
    globals: { rounds, read: async () => new Float64Array(1) },
    participation: took.map((one, r) => ({ round: 10 + r, participants: [...one], dropped: [] })),
    sampleCounts: ids.map((id) => ({ id, samples: 5 })),
    property: { name: 'inversion' },
    ...change,
  } as never
}

const shape = { plusMean: 1, plusStd: 1, minusMean: -1, minusStd: 2, measured: 9, v: 0.5 }
export const keptDetector = (a: number, own = shape) => [
  Float64Array.of(a),
  Float64Array.of(0, 0.1, ...Object.values(own)),
]
export const deriveAs =
  (make: (index: number, settings: Record<string, unknown>) => Float64Array[]): Derive =>
  async (_, { settings, items, onItem, tick }) => {
    for (const index of items.keys()) {
      tick?.(index, items.length)
      await onItem(index, make(index, settings as Record<string, unknown>))
    }
  }

export const handParams: DetectorParams = {
  pairs: 8,
  features: 1,
  records: 0,
  floor: 0.1,
  maxNorm: 2,
  rounds: 0,
  curve: 0,
  property: 'given',
}
