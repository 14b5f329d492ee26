// Dense linear algebra against numpy on one thread. Chunks of both sides alternate, so that a busy machine hurts both; the
// minimum over the chunks counts. Needs dist/ (npm run build:ts). `--json` prints the rows as JSON, `--only name` runs one.
// OVERHEAR_PYTHON chooses the interpreter (default /usr/bin/python3): which BLAS its numpy uses decides what is compared.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cholesky } from '../dist/numeric/linalg/cholesky.js'
import { conditionNumbers } from '../dist/numeric/linalg/condition.js'
import { symmetricEigen } from '../dist/numeric/linalg/eigen.js'
import { solve } from '../dist/numeric/linalg/lu.js'
import { matrix, multiply, transpose } from '../dist/numeric/linalg/matrix.js'
import { leastSquaresQr, qr } from '../dist/numeric/linalg/qr.js'
import { singularValues, svd } from '../dist/numeric/linalg/svd.js'

/** @typedef {import('../dist/numeric/linalg/matrix.js').Matrix} Matrix */
/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} task what the peer calls it
 * @property {number[][]} shapes
 * @property {number} inner calls in a chunk
 * @property {number} rounds
 * @property {number} [times] what a call's time is multiplied by
 * @property {number} [limit] our time over numpy's must not be above this
 * @property {boolean} [gram] the operand is AᵀA
 * @property {(A: Matrix, B: Matrix) => unknown} run
 */

/** @type {Case[]} */
const cases = [
  { name: 'SVD 12 x 12', task: 'svd', shapes: [[12, 12]], inner: 200, rounds: 60, limit: 1, run: (A) => svd(A) },
  {
    name: 'condition numbers, 1e5 of 12 x 12',
    task: 'cond',
    shapes: [[1000, 12, 12]],
    inner: 1,
    rounds: 150,
    times: 100, // a hundredth of them at a time: chunks of a second meet too much noise
    limit: 1,
    run: ({ data }) => conditionNumbers(data, { count: 1000, rows: 12, cols: 12 }),
  },
  {
    name: 'least squares 300 x 42',
    task: 'lstsq',
    shapes: [
      [300, 42],
      [300, 1],
    ],
    inner: 20,
    rounds: 60,
    limit: 0.5,
    run: (A, B) => leastSquaresQr(A, B),
  },
  { name: 'SVD 300 x 50', task: 'svd', shapes: [[300, 50]], inner: 5, rounds: 60, limit: 2, run: (A) => svd(A) },
  { name: 'SVD 1000 x 1000', task: 'svd', shapes: [[1000, 1000]], inner: 1, rounds: 4, run: (A) => svd(A) },
  {
    name: 'singular values 1000 x 1000',
    task: 'singular-values',
    shapes: [[1000, 1000]],
    inner: 1,
    rounds: 4,
    run: (A) => singularValues(A),
  },
  { name: 'QR 300 x 42', task: 'qr', shapes: [[300, 42]], inner: 20, rounds: 40, run: (A) => qr(A) },
  {
    name: 'solve 1000 x 1000',
    task: 'solve',
    shapes: [
      [1000, 1000],
      [1000, 1],
    ],
    inner: 1,
    rounds: 8,
    run: (A, B) => solve(A, B),
  },
  {
    name: 'symmetric eigen 300 x 300',
    task: 'eigh',
    shapes: [[300, 300]],
    inner: 1,
    rounds: 20,
    gram: true,
    run: (A) => symmetricEigen(A),
  },
  {
    name: 'Cholesky 300 x 300',
    task: 'cholesky',
    shapes: [[300, 300]],
    inner: 5,
    rounds: 40,
    gram: true,
    run: (A) => cholesky(A),
  },
]

/**
 * Roughly normal numbers from a linear congruential generator: the same on every run.
 * @param {number} rows
 * @param {number} cols
 */
function normals(rows, cols) {
  let state = 12345
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 0.5) / 4294967296
  }
  const draw = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  return matrix(rows, cols, Float64Array.from({ length: rows * cols }, draw))
}

function startPeer() {
  const python = process.env.OVERHEAR_PYTHON ?? '/usr/bin/python3'
  const child = spawn(python, [fileURLToPath(new URL('linalg-peer.py', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1' },
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${python} ended: is numpy installed?`)
    return JSON.parse(value)
  }
  return {
    next,
    /** @param {object} request */
    ask: (request) => {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      return next()
    },
    stop: () => child.stdin.end(),
  }
}

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const folder = mkdtempSync(join(tmpdir(), 'overhear-linalg-'))
const peer = startPeer()
const about = await peer.next()
const rows = []
try {
  for (const item of cases) {
    if (options.only !== undefined && !item.name.includes(options.only)) continue
    const operands = item.shapes.map(([rows = 0, ...rest]) => {
      const A = normals(
        rows,
        rest.reduce((a, b) => a * b, 1),
      )
      return item.gram ? multiply(transpose(A), A) : A
    })
    const [A = matrix(0, 0), B = matrix(0, 0)] = operands
    const arrays = operands.map(({ data }, i) => {
      const file = join(folder, `${i}.f64`)
      writeFileSync(file, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
      return { file, shape: item.shapes[i] }
    })
    await peer.ask({ name: item.name, task: item.task, arrays })
    item.run(A, B)
    let ours = Number.POSITIVE_INFINITY
    let theirs = Number.POSITIVE_INFINITY
    for (let round = 0; round < item.rounds; round++) {
      const start = performance.now()
      for (let i = 0; i < item.inner; i++) item.run(A, B)
      ours = Math.min(ours, (performance.now() - start) / 1000 / item.inner)
      theirs = Math.min(theirs, (await peer.ask({ name: item.name, inner: item.inner })).seconds)
    }
    const times = item.times ?? 1
    const ratio = ours / theirs
    const verdict = item.limit === undefined ? 'reported' : ratio <= item.limit ? 'met' : 'MISSED'
    rows.push({ name: item.name, ours: ours * times, numpy: theirs * times, ratio, limit: item.limit ?? null, verdict })
  }
} finally {
  peer.stop()
  rmSync(folder, { recursive: true })
}

if (options.json) console.log(JSON.stringify({ ...about, rows }, null, 2))
else {
  console.log(`numpy ${about.numpy} on ${about.libraries.join(', ') || 'an unknown BLAS'}, one thread\n`)
  const table = [
    ['', 'ours', 'numpy', 'ours / numpy', 'at most', ''],
    ...rows.map(({ name, ours, numpy, ratio, limit, verdict }) => [
      name,
      time(ours),
      time(numpy),
      ratio.toFixed(2),
      limit === null ? '-' : limit.toFixed(1),
      verdict,
    ]),
  ]
  const width = (/** @type {number} */ c) => Math.max(...table.map((line) => line[c]?.length ?? 0))
  for (const line of table) {
    console.log(line.map((cell, c) => (c === 0 ? cell.padEnd(width(c)) : cell.padStart(width(c)))).join('  '))
  }
}

/** @param {number} seconds */
function time(seconds) {
  if (seconds < 1e-3) return `${(seconds * 1e6).toFixed(1)} us`
  return seconds < 1 ? `${(seconds * 1e3).toFixed(2)} ms` : `${seconds.toFixed(3)} s`
}
