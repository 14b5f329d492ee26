// Start-up in a fresh process: import the package, instantiate the kernels, ten steps of an MLP 41-128-1. Minimum and
// median over several processes; Node's own start is measured beside it.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const at = (/** @type {string} */ path) => JSON.stringify(new URL(`../dist/bundle/${path}`, import.meta.url).href)
const work = `
const start = performance.now()
await import(${at('index.js')})
const { fingerprintTraining } = await import(${at('doors/models.js')})
const imported = performance.now()
fingerprintTraining({ steps: 10 })
console.log(JSON.stringify({ import: imported - start, tenSteps: performance.now() - imported }))`

/** @param {string} code */
function child(code) {
  const start = performance.now()
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  })
  return { wall: performance.now() - start, stdout }
}

/** @param {readonly number[]} values */
const summary = (values) => {
  const sorted = [...values].sort((a, b) => a - b)
  return { min: Math.round(sorted[0] ?? 0), median: Math.round(sorted[sorted.length >> 1] ?? 0) }
}

const runs = Array.from({ length: 9 }, () => ({ ours: child(work), bare: child('0') }))
const inside = runs.map(({ ours }) => {
  const { import: imported, tenSteps } = JSON.parse(ours.stdout)
  return imported + tenSteps
})
console.log(
  JSON.stringify({
    'import, instantiate, ten steps (ms)': summary(inside),
    'whole process (ms)': summary(runs.map(({ ours }) => ours.wall)),
    'node alone (ms)': summary(runs.map(({ bare }) => bare.wall)),
  }),
)
