import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createEngine } from '../numeric/engine/engine.js'
import { compile } from '../numeric/engine/program.js'
import * as t from '../numeric/engine/trace.js'
import { resident } from './resident.js'

test('a program on compressed rows holds on to all of them by itself', async () => {
  const engine = createEngine()
  const [n, k] = [50, 20]
  const X = Float64Array.from({ length: n * k }, (_, i) => (i % 7 === 0 ? i % 11 : 0))
  const program = (() => {
    const options = { precision: 'f64', engine, sparse: true, single: false } as const
    const held = resident({ X, y: new Float64Array(n), n }, options)
    const product = t.matmul(
      t.input('X', { rows: n, cols: k }, { sparse: true }),
      t.input('w', { rows: 1, cols: k }),
      'nt',
    )
    return compile({ outputs: [product], precision: 'f64', shared: held.all(), engine })
  })()
  program.set('w', new Float64Array(k).fill(1))
  program.run()
  const before = program.read(0)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 10)) // memory comes back between turns
  }
  const others = Array.from({ length: 200 }, (_, i) => engine.allocate(64 * (1 + (i % 40))))
  for (const { address, bytes } of others) engine.viewInts(address, bytes / 4).fill(1)
  program.run()
  expect(program.read(0)).toEqual(before)
})
