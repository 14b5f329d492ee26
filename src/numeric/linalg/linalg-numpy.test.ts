import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { largest, randomMatrix, withSingularValues } from '../../../test/linalg-checks.js'
import { conditionNumber } from './condition.js'
import { symmetricEigen } from './eigen.js'
import { leastSquares } from './least-squares.js'
import { solve } from './lu.js'
import { type Matrix, matrix, multiply, transpose } from './matrix.js'
import { pseudoInverse } from './pseudo-inverse.js'
import { leastSquaresQr } from './qr.js'
import { singularValues } from './svd.js'

const python = '/usr/bin/python3'

/** Reads problems as JSON from stdin, answers with one array of numbers each. */
const script = `
import json, sys
import numpy as np
answers = []
for p in json.load(sys.stdin):
    A = np.array(p["A"]).reshape(p["rows"], p["cols"])
    if p["task"] == "singular values":
        x = np.linalg.svd(A, compute_uv=False)
    elif p["task"] == "condition":
        x = np.linalg.cond(A).reshape(1)
    elif p["task"] == "pseudo-inverse":
        x = np.linalg.pinv(A)
    elif p["task"] == "eigenvalues":
        x = np.linalg.eigvalsh(A)
    else:
        B = np.array(p["B"]).reshape(p["rows"], 2)
        x = np.linalg.solve(A, B) if p["task"] == "solve" else np.linalg.lstsq(A, B, rcond=None)[0]
    answers.append(x.reshape(-1).tolist())
json.dump(answers, sys.stdout)
`

type Task = 'singular values' | 'condition' | 'eigenvalues' | 'solve' | 'least squares' | 'shortest' | 'pseudo-inverse'
const ours: { readonly [T in Task]: (A: Matrix, B: Matrix) => Float64Array } = {
  'singular values': (A) => singularValues(A),
  condition: (A) => Float64Array.of(conditionNumber(A)),
  eigenvalues: (A) => symmetricEigen(A).values,
  solve: (A, B) => solve(A, B).data,
  'least squares': (A, B) => leastSquaresQr(A, B).X.data,
  shortest: (A, B) => leastSquares(A, B).X.data, // more columns than rows: the minimum-norm solution
  'pseudo-inverse': (A) => pseudoInverse(A).inverse.data,
}
const tasks = Object.keys(ours) as Task[]

/** Problem k of 1,000: its task, a shape that fits it, and a condition number from 1 to 1e6. */
function problem(k: number): { task: Task; A: Matrix; B: Matrix } {
  const task = tasks[k % tasks.length]!
  const [side, more] = k < 200 ? [45, 60] : [16, 20] // the larger ones take numpy and JSON most of the time
  const short = 1 + ((k * 7) % side)
  const long = task === 'solve' || task === 'eigenvalues' ? short : short + ((k * 13) % more)
  const tall = task === 'least squares' || (task !== 'shortest' && k % 2 === 0)
  const [rows, cols] = tall ? [long, short] : [short, long]
  // Pseudo-inverses and shortest solutions carry the condition times the rounding, numpy's too: they stop a digit earlier.
  const digits = task === 'pseudo-inverse' || task === 'shortest' ? 5 : 6
  const condition = 10 ** (digits * ((k % 11) / 10))
  const values = Float64Array.from({ length: short }, (_, i) => condition ** (short > 1 ? -i / (short - 1) : 0))
  let A = withSingularValues({ rows, cols }, values, k)
  if (task === 'eigenvalues') {
    const T = transpose(A)
    A = matrix(
      rows,
      rows,
      A.data.map((x, i) => x + T.data[i]!),
    )
  }
  // The error of least squares grows with the condition squared times the residual: the residual shrinks with it.
  const B = multiply(A, randomMatrix({ rows: cols, cols: 2 }, k + 1000))
  const miss = randomMatrix({ rows, cols: 2 }, k + 2000)
  for (let i = 0; i < B.data.length; i++) B.data[i]! += miss.data[i]! / condition
  return { task, A, B }
}

const available = spawnSync(python, ['-c', 'import numpy; print(numpy.__version__)'], { encoding: 'utf8' })
const reason = available.status === 0 ? undefined : `${python} has no numpy: nothing to compare with`
if (reason !== undefined) process.stderr.write(`linalg-numpy.test.ts skipped: ${reason}\n`)

describe.skipIf(reason !== undefined)('against numpy', () => {
  test('1,000 problems agree to 1e-10 of their largest entry', () => {
    const problems = Array.from({ length: 1000 }, (_, k) => problem(k))
    const { stdout, stderr, status } = spawnSync(python, ['-c', script], {
      encoding: 'utf8',
      input: JSON.stringify(
        problems.map(({ task, A, B }) => ({ task, rows: A.rows, cols: A.cols, A: [...A.data], B: [...B.data] })),
      ),
      maxBuffer: 1 << 28,
    })
    expect(status, stderr).toBe(0)
    const answers: number[][] = JSON.parse(stdout)
    for (const [k, { task, A, B }] of problems.entries()) {
      const found = ours[task](A, B)
      const expected = Float64Array.from(answers[k]!)
      expect(found.length).toBe(expected.length)
      const apart = largest(found.map((x, i) => x - expected[i]!)) / largest(expected)
      expect(apart, `problem ${k}: ${task} of ${A.rows} x ${A.cols}`).toBeLessThan(1e-10)
    }
  })
})
