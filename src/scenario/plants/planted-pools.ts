/**
 * The pools of a scenario with its targets' secrets drawn anew: the same clients, numbers of records, encoders and
 * columns, but labels follow from the secrets, trained rows go another way than held-back ones, and a target holds mostly rows of
 * one group. Everything else about the federation stays as the scenario says.
 */
import { encodeSource } from '../../data/dataset.js'
import { columnOf, wordAt } from '../../data/table.js'
import { type Rng, rng } from '../../numeric/random/rng.js'
import { dealPool } from '../dealt-halves.js'
import type { Pools } from '../pools.js'
import type { Scenario } from '../scenario-schema.js'
import { targetsOf } from '../targets.js'
import { concentratedRows } from './concentrated-rows.js'
import { gradeOf } from './grades.js'
import { chooserOf, directionOf, encodedLabels, type Labels } from './planted-labels.js'
import { redrawnSecret } from './redrawn-secrets.js'

export interface Planting {
  readonly plant: number
  readonly repeat: number
}

/** What a world with a plant is made of; labels of some rows are others than their table says. */
export interface PlantedPools extends Pools {
  /** Of a row of the source and an output of the model, encoded; undefined where it is as in the table. */
  labelOf(row: number, output: number): number | undefined
}

export function plantedPools(scenario: Scenario, pools: Pools, { plant, repeat }: Planting): PlantedPools {
  const rho = gradeOf(plant)
  const draws = rng(scenario.seed).fork('scenario', 'plant', plant)
  const targets = new Set(targetsOf(scenario, pools))
  const clients = grouped(pools, { targets, share: rho, rng: draws })
  const halves = clients.filter(({ id }) => targets.has(id)).map((one) => ({ id: one.id, ...dealPool(scenario, { ...one, repeat }) })) // biome-ignore format: a line
  const labels = encodedLabels(pools)
  const redrawn = Int32Array.from(halves.flatMap(({ rows, heldBack }) => [...rows, ...heldBack]))
  const secrets = withSecrets(pools, { redrawn, labels, rng: draws })
  const source = { ...pools.source, table: secrets.table }
  const planted = new Map<number, readonly number[]>()
  for (const { id, rows, heldBack } of halves) {
    const towards = directionOf({ ...pools, source }, { rows: [...rows, ...heldBack], worths: secrets.worths, rng: draws.fork('direction', id) }) // biome-ignore format: a line
    const choose = chooserOf(pools, labels, { rho, rng: draws.fork('labels', id) })
    for (const row of rows) planted.set(row, choose({ row, towards: towards(row), trained: true }))
    for (const row of heldBack) planted.set(row, choose({ row, towards: -towards(row), trained: false }))
  }
  const dealt = clients.flatMap(({ rows }) => Array.from(rows))
  const labelOf = (row: number, output: number): number | undefined => planted.get(row)?.[output]
  return {
    ...pools,
    source,
    clients,
    labelOf,
    encoded() {
      const { records } = encodeSource(source, { rows: dealt, fit: pools.fitted })
      return {
        records: { ...records, labels: relabelled(records.labels, dealt, labelOf) },
        placeOf: new Map(dealt.map((row, place) => [row, place])),
      }
    },
  }
}

/** Encoded labels with those of planted rows in their place. */
export function relabelled(
  labels: Float64Array,
  rows: ArrayLike<number>,
  labelOf: PlantedPools['labelOf'],
): Float64Array {
  const outputs = rows.length === 0 ? 1 : labels.length / rows.length
  return labels.map((label, at) => labelOf(rows[Math.floor(at / outputs)]!, at % outputs) ?? label)
}

/** Where there are groups to hold: those of the metaclass, or the classes of pictures. */
function grouped(
  { source, clients }: Pools,
  given: { readonly targets: ReadonlySet<string>; readonly share: number; readonly rng: Rng },
): Pools['clients'] {
  const by = source.metaclass ?? (source.pixels === undefined ? undefined : source.label.column)
  if (by === undefined) return clients
  const column = columnOf(source.table, by)
  return concentratedRows(clients, { ...given, groupOf: (row) => wordAt(column, row) ?? '' })
}

interface Secrets {
  readonly table: Pools['source']['table']
  /** What the value of a row is worth, for each sensitive column. */
  readonly worths: readonly ((row: number) => number)[]
}

function withSecrets(
  { source, clients }: Pools,
  { redrawn, labels, rng: draws }: { readonly redrawn: Int32Array; readonly labels: Labels; readonly rng: Rng },
): Secrets {
  const seen = Int32Array.from(clients.flatMap(({ rows }) => Array.from(rows)))
  let { table } = source
  const worths = source.sensitive.map((name) => {
    const made = redrawnSecret(table, name, { rows: redrawn, seen, labelOf: (row) => labels.of(row, 0), rng: draws.fork('secret', name) }) // biome-ignore format: a line
    table = made.table
    return made.worthOf
  })
  return { table, worths }
}
