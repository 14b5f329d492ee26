/** A made-up stage for studies that look at data and models themselves: clients of all sizes, and functions of no model. */
import type { Records } from '../src/data/records.js'
import type { optimaApart as Real } from '../src/metrics/theory/optima-apart.js'
import { type Matrix, matrix } from '../src/numeric/linalg/matrix.js'
import { type Rng, rng } from '../src/numeric/random/rng.js'
import type { Scenario } from '../src/scenario/scenario-schema.js'

/** Rows of each client: on either side of all limits on sizes that a study has. */
const sizes = [150, 60, 200, 201, 2000, 2001, 5, 17, 30, 9, 12, 40]
const [validation, auxiliary] = [rowsFrom(7000, 8), rowsFrom(8000, 6)]
const all = 9000
/** Groups of rows: some that only one of the first two clients has. */
const groups = ['a', 'b', 'c', 'd', 'e', 'f']
const codeOf = (row: number): number => (row < 5 ? 4 : row < sizes[0]! ? row % 4 : [0, 1, 2, 3, 5][row % 5]!)

function rowsFrom(first: number, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => first + i)
}

/** Numbers that follow from numbers, and differ with each of them. */
function mixed(count: number, ...lists: readonly Float64Array[]): Float64Array {
  let state = 7
  for (const list of lists) {
    for (const bits of new Uint32Array(Float64Array.from(list).buffer)) state = Math.imul(state ^ bits, 0x01000193)
  }
  return Float64Array.from({ length: count }, (_, i) => {
    const hashed = Math.imul(state ^ (i + 1), 0x9e3779b1)
    return ((hashed ^ (hashed >>> 15)) >>> 0) / 2 ** 31 - 1
  })
}

const classes = 10
function recordsOf(rows: ArrayLike<number>, areClasses: boolean): Records {
  const features = matrix(rows.length, 3)
  for (let i = 0; i < rows.length; i++) {
    for (let j = 0; j < 3; j++) features.data[3 * i + j] = ((rows[i]! + 1) * (j + 7)) % 23
  }
  const labels = Float64Array.from(rows, (row) => {
    const drawn = (row * 7919) % 101
    return areClasses ? drawn % classes : drawn / 4
  })
  return { features, labels }
}

/** All that is trained on where one model has the records of all clients. */
export const pooled = recordsOf(rowsFrom(0, 65), false)

export function madeStage(scenario: Scenario) {
  let first = 0
  const clients = sizes.map((size, i) => {
    const rows = rowsFrom(first, size)
    first += size
    return { id: `${i}`, rows }
  })
  const areClasses = scenario.data.name === 'mnist'
  const codes = Int32Array.from({ length: all }, (_, row) => codeOf(row))
  // Who has all rows has some of every group that there is.
  const words = scenario.partition.name === 'iid' ? groups.slice(0, 5) : groups
  const table = { rows: all, columns: [{ kind: 'word', name: 'group', codes, words }] }
  const encode = (rows: ArrayLike<number>) => ({ records: recordsOf(rows, areClasses) })
  return {
    world: { source: { table, metaclass: 'group' }, clients, validation, auxiliary, encode },
    choice: { model: { of: scenario.models }, loss: areClasses ? 'cross-entropy' : 'mse' },
    spec: { rounds: 3, seed: scenario.seed, training: scenario.training },
    population: {
      count: sizes.length,
      samples: (client: number) => sizes[client]!,
      records: (client: number) => recordsOf(clients[client]!.rows, areClasses),
    },
  }
}

/** A last layer of ten classes and two units, after five other parameters. */
export const functionsOf = (_model: unknown, { loss }: { readonly loss: string }) => ({
  gradient: (theta: Float64Array, { features, labels }: Records) => {
    return { loss: 0, grad: mixed(35, theta, features.data, labels, Float64Array.of(loss.length)) }
  },
  penultimate: (theta: Float64Array, { rows, data }: Matrix): Matrix => matrix(rows, 2, mixed(2 * rows, theta, data)),
})

export const initialise = (_model: unknown, own: Rng): Float64Array => own.normals(4)

/** As many optima as clients, nowhere. */
export function optimaApart({ clients, classes, penalty }: Parameters<typeof Real>[0]) {
  const settings = Float64Array.of(penalty ?? 0, classes ? 1 : 0)
  const key = mixed(1, ...clients.map(({ labels }) => Float64Array.from(labels)), settings)[0]!
  const own = rng(`${key}`).fork('distances')
  return { distances: matrix(clients.length, clients.length, own.normals(clients.length ** 2)) }
}
