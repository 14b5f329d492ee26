/** A truth for controls where none is given: an optimum and sensitive values that were drawn, to be planted in a copy of the messages. */
import { matrix } from '../../numeric/linalg/matrix.js'
import { norm } from '../../numeric/linalg/vector.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Sources } from '../../threat/grant.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { Sensitive } from '../../transcript/knowledge-file.js'
import type { Transcript } from '../../transcript/read-transcript.js'
import type { Truth } from '../../transcript/truth-file.js'

/**
 * Grading by it says only whether the attack finds what was planted. Of attacks on models it holds no records: the drawn
 * optimum is not theirs.
 */
export function madeUpTruth(sources: Sources, target: string | null, rng: Rng, ofModels: boolean): Truth {
  const { transcript, knowledge } = sources
  return {
    warnings: [],
    async client(id) {
      const table = id === target && !ofModels ? await knowledge?.records() : undefined
      return table && filledIn(table, knowledge?.sensitive ?? [], rng.fork('values'))
    },
    batch: () => undefined,
    optimum: async (id) => (id === target ? drawnModel(transcript, rng.fork('optimum')) : undefined),
    property: () => undefined,
  }
}

/** As far from the last model that was sent as that is from the first, or as it is long. */
async function drawnModel({ rounds, readRound }: Transcript, rng: Rng): Promise<Float64Array | undefined> {
  const entries = rounds()
  if (entries.length === 0) return undefined
  const sent = async (round: number) => (await readRound(round, { clients: [] })).global
  const [first, last] = [await sent(entries[0]!.round), await sent(entries.at(-1)!.round)]
  if (last === undefined) return undefined
  const way = first === undefined ? 0 : norm(last.map((v, j) => v - first[j]!))
  const std = (way || norm(last) || 1) / Math.sqrt(last.length)
  const step = rng.normals(last.length, { mean: 0, std })
  return last.map((v, j) => v + step[j]!)
}

function filledIn(table: Table, sensitive: readonly Sensitive[], rng: Rng): Table {
  const { rows, cols } = table.features
  const features = matrix(rows, cols)
  features.data.set(table.features.data)
  for (const one of sensitive) {
    const places = one.columns.map((name) => table.columns.indexOf(name))
    const draws = rng.fork(one.name).uniforms(rows)
    for (let i = 0; i < rows; i++) {
      const value = drawnValue(one, draws[i]!)
      for (const [k, j] of places.entries()) if (j >= 0) features.data[i * cols + j] = value[k]!
    }
  }
  return { ...table, features }
}

function drawnValue(one: Sensitive, u: number): readonly number[] {
  if (one.kind !== 'continuous') return one.values[Math.floor(u * one.values.length)]!
  const [low, high] = one.range
  return [low + u * (high - low)]
}
