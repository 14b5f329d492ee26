// How many draws a second the random streams give. Run `npm run build:ts` first, then `node bench/rng.mjs`.
import { philoxFill } from '../dist/numeric/random/philox.js'
import { rng } from '../dist/numeric/random/rng.js'

/** Millions a second, best of seven. @param {string} what @param {number} count @param {() => unknown} work */
function rate(what, count, work) {
  let best = Number.POSITIVE_INFINITY
  for (let repeat = 0; repeat < 7; repeat++) {
    const start = performance.now()
    work()
    best = Math.min(best, performance.now() - start)
  }
  console.log(`${what.padEnd(40)} ${(count / best / 1000).toFixed(2).padStart(8)} M/s`)
}

/** @param {number} count @param {() => number} draw */
function drawn(count, draw) {
  let sum = 0
  for (let i = 0; i < count; i++) sum += draw()
  return sum
}

const N = 1 << 20
const words = new Uint32Array(N)
const stream = rng('bench')
rate('philoxFill, words', N, () => philoxFill(words, { counter: [0, 0, 1, 2], key: [3, 4] }))
rate('uniforms(n)', N, () => stream.uniforms(N))
rate('normals(n)', N, () => stream.normals(N))
rate('normals(100), a fresh stream each time', N, () => {
  for (let i = 0; i < N; i += 100) stream.fork(i).normals(100)
})
rate('u32()', N, () => drawn(N, () => stream.u32()))
rate('uniform()', N, () => drawn(N, () => stream.uniform()))
rate('integer(1000)', N, () => drawn(N, () => stream.integer(1000)))
rate('normal()', N, () => drawn(N, () => stream.normal()))
rate('normal({ mean, std })', N, () => drawn(N, () => stream.normal({ mean: 1, std: 2 })))
rate('gumbel()', N, () => drawn(N, () => stream.gumbel()))
rate('gamma(0.1)', N / 8, () => drawn(N / 8, () => stream.gamma(0.1)))
rate('gamma(7.5)', N / 8, () => drawn(N / 8, () => stream.gamma(7.5)))
rate('permutation(n), items', N, () => stream.permutation(N))
rate('sample(1e9, k), items', N / 8, () => stream.sample(1e9, N / 8))
rate("fork('round', t, 'client', k)", N / 16, () => {
  for (let i = 0; i < N / 16; i++) stream.fork('round', i >> 4, 'client', i & 15)
})
rate("fork('client', k).u32()", N / 16, () => drawn(N / 16, () => stream.fork('client', 7).u32()))
