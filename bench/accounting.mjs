// Epsilon beside dp-accounting on the same compositions: both bounds by privacy losses against its one, and by Rényi divergences.
// One core, interleaved, minima. Needs dist/ (npm run build:ts); OVERHEAR_PYTHON names an interpreter with dp-accounting.
import { epsilonBounds, rdpEpsilon } from '../dist/doors/accounting.js'
import { startPeer } from './peer.mjs'

const rows = [
  { sampleRate: 0.01, noiseMultiplier: 1, steps: 1000, delta: 1e-5 },
  { sampleRate: 0.001, noiseMultiplier: 0.7, steps: 10_000, delta: 1e-6 },
  { sampleRate: 0.05, noiseMultiplier: 1.1, steps: 60, delta: 1e-5 },
  { sampleRate: 0.0001, noiseMultiplier: 0.5, steps: 100_000, delta: 1e-7 },
]
const repetitions = 5
const peer = await startPeer('accounting-peer.py')
for (const { delta, ...one } of rows) {
  const mechanism = { kind: /** @type {const} */ ('gaussian'), ...one }
  for (const way of ['pld', 'rdp']) {
    const best = { ours: Number.POSITIVE_INFINITY, theirs: Number.POSITIVE_INFINITY }
    const said = { ours: '', theirs: 0 }
    for (let i = 0; i < repetitions; i++) {
      const start = performance.now()
      if (way === 'pld') {
        const { lower, upper } = epsilonBounds([mechanism], delta)
        said.ours = `${lower.toFixed(5)}..${upper.toFixed(5)}`
      } else said.ours = rdpEpsilon([mechanism], delta).epsilon.toFixed(5)
      best.ours = Math.min(best.ours, performance.now() - start)
      const { seconds, epsilon } = await peer.ask({ ...one, delta, way })
      best.theirs = Math.min(best.theirs, 1000 * seconds)
      said.theirs = epsilon
    }
    const ratio = (best.theirs / best.ours).toFixed(1)
    const name = `${way} q ${one.sampleRate} sigma ${one.noiseMultiplier} T ${one.steps}`
    const [ours, theirs] = [best.ours.toFixed(1), best.theirs.toFixed(1)]
    console.log(
      `${name}: ${ours} ms (${said.ours}), dp-accounting ${theirs} ms (${said.theirs.toFixed(5)}), ratio ${ratio}`,
    )
  }
}
peer.close()
