// The SGD step of an MLP 41-128-1, batch 32: the compiled graph beside a hand-fused WASM step on the same kernels,
// interleaved chunks, minima. Run `npm run build` first. (Beside PyTorch: `overhear bench --against torch`.)
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'
import { mlp } from '../dist/doors/models.js'
import { compile, gradient, trace } from '../dist/doors/numeric.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const [n, d] = [32, 41]
/** @param {number} count @param {number} salt */
const wave = (count, salt) => Float32Array.from({ length: count }, (_, i) => Math.sin(12.9898 * i + salt))

function compiledStep() {
  const model = mlp({ inputs: d, hidden: [128], outputs: 1 })
  const theta = trace.input('theta', { rows: 1, cols: 128 * 43 + 1 })
  const X = trace.input('X', { rows: n, cols: d })
  const y = trace.input('y', { rows: n, cols: 1 })
  const e = trace.sub(model.trace(theta, X).output, y)
  const [grad] = gradient(trace.scale(trace.dot(e, e), 1 / n), [theta])
  const times = trace.input('times', { rows: 1, cols: 1 })
  if (grad === undefined) throw new Error('no gradient')
  const program = compile({ outputs: [], updates: [{ input: theta, addend: grad, times }], precision: 'f32' })
  program.set(
    'theta',
    wave(128 * 43 + 1, 1).map((x) => x / 10),
  )
  program.set('X', wave(n * d, 2))
  program.set('y', wave(n, 3))
  program.set('times', [-0.01])
  return () => program.run()
}

async function handFusedStep() {
  /** @type {Uint8Array | undefined} */
  let bytes
  const flags = ['-O3', '--converge', '--runtime', 'stub', '--noAssert', '--enable', 'simd', '--enable', 'bulk-memory']
  const { error, stderr } = await asc.main(
    ['bench/hand-fused.ts', '--config', 'none', '--outFile', 'step.wasm', ...flags],
    {
      readFile: (name) => {
        try {
          return readFileSync(name.startsWith('/') ? name : `${root}${name}`, 'utf8')
        } catch {
          return null
        }
      },
      writeFile: (_name, contents) => {
        bytes = typeof contents === 'string' ? new TextEncoder().encode(contents) : contents
      },
      listFiles: () => [],
    },
  )
  if (error || bytes === undefined) throw new Error(`AssemblyScript failed: ${stderr.toString()}`)
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes)), { env: { abort() {} } })
  const { memory, heapBase, step } = /** @type {any} */ (exports)
  memory.grow(16)
  let at = Math.ceil(heapBase() / 64) * 64
  /** @param {Float32Array} values */
  const place = (values) => {
    const address = at
    new Float32Array(memory.buffer, address, values.length).set(values)
    at += Math.ceil((4 * values.length) / 64) * 64
    return address
  }
  const theta = place(wave(128 * 43 + 1, 1).map((x) => x / 10))
  const [X, y, times] = [place(wave(n * d, 2)), place(wave(n, 3)), place(Float32Array.of(-0.01))]
  return () => step(theta, X, y, at, times)
}

/** @param {() => void} f @param {number} count */
function secondsPer(f, count) {
  const start = performance.now()
  for (let i = 0; i < count; i++) f()
  return (performance.now() - start) / 1000 / count
}

const contenders = { compiled: compiledStep(), 'hand-fused': await handFusedStep() }
const best = { compiled: Number.POSITIVE_INFINITY, 'hand-fused': Number.POSITIVE_INFINITY }
for (let chunk = 0; chunk < 60; chunk++) {
  for (const name of /** @type {const} */ (['compiled', 'hand-fused'])) {
    best[name] = Math.min(best[name], secondsPer(contenders[name], 400))
  }
}
const us = Object.fromEntries(Object.entries(best).map(([name, s]) => [name, Number((1e6 * s).toFixed(2))]))
const ratio = Number((best.compiled / best['hand-fused']).toFixed(3))
console.log(JSON.stringify({ microseconds: us, 'compiled / hand-fused': ratio }))
