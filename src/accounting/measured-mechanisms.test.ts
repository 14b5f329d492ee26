import { describe, expect, test } from 'vitest'
import { type Rng, rng } from '../numeric/random/rng.js'
import { exp, log } from '../numeric/special/elementary-functions.js'
import { epsilonBounds } from './loss-bounds.js'
import { oneRunAudit } from './one-run.js'

// The bound from one run pays 2 m delta: at 1e-5 a thousand canaries show next to nothing with this confidence.
const delta = 1e-8
const confidence = 0.999

/** Steps on canaries, each of which moves a coordinate of its own: what an observer of every step, who knows it all, can see. */
interface Steps {
  readonly sampleRate: number
  readonly noiseMultiplier: number
  readonly steps: number
}

interface Run {
  /** How far a canary moves its coordinate in a step that it is in; 1 where it is clipped as stated. */
  readonly size?: number
  /** The same noise in every step. */
  readonly reused?: boolean
  /** Noise that the observer knows, since it draws from the same seed. */
  readonly known?: boolean
}

/** Scores by the likelihood ratio of each canary's coordinate, over all steps. */
function canaries(stream: Rng, { sampleRate: q, noiseMultiplier: sigma, steps }: Steps, run: Run = {}) {
  const m = 2000
  const { size = 1, reused = false, known = false } = run
  const inTraining = Array.from(stream.fork('coins').uniforms(m), (u) => u < 0.5)
  const scores = new Float64Array(m)
  for (let i = 0; i < m; i++) {
    const own = stream.fork('canary', i)
    const noise = own.fork('noise').normals(reused ? 1 : steps)
    const drawn = own.fork('sample').uniforms(steps)
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let t = 0; t < steps; t++) {
      const moved = inTraining[i] && drawn[t]! < q ? size : 0
      const y = moved + (known ? 0 : sigma * noise[reused ? 0 : t]!)
      scores[i]! += log(1 - q + q * exp((size * (2 * y - size)) / (2 * sigma * sigma)))
      least = Math.min(least, y)
      most = Math.max(most, y)
    }
    // Noise that does not change is taken off by looking at what does.
    if (reused) scores[i] = most - least
  }
  return { scores, inTraining }
}

const measured = (seed: number, steps: Steps, run?: Run): number =>
  oneRunAudit(canaries(rng(seed).fork('measured'), steps, run), { delta, confidence, thresholds: 'bonferroni' }).epsilon
const accounted = (steps: Steps): number => epsilonBounds([{ kind: 'gaussian', ...steps }], delta).upper

describe('one run beside the accountant', () => {
  test('in 40 of 40 random configurations the measured epsilon is at most the accounted one', () => {
    let tight = 0
    for (let seed = 0; seed < 40; seed++) {
      const draw = rng(7).fork('configuration', seed)
      const [a, b, c] = draw.uniforms(3)
      const steps: Steps = {
        sampleRate: a! < 0.3 ? 1 : 0.02 + 0.9 * a!,
        noiseMultiplier: 0.6 + 4 * b! * b!,
        steps: 1 + Math.floor(20 * c!),
      }
      const [lower, upper] = [measured(seed, steps), accounted(steps)]
      expect(lower).toBeLessThanOrEqual(upper)
      if (lower > 0) tight++
    }
    // Else it would be no test.
    expect(tight).toBeGreaterThan(30)
  })

  const stated: Steps = { sampleRate: 0.5, noiseMultiplier: 8, steps: 10 }
  const broken: readonly (readonly [string, Steps, Steps, Run])[] = [
    ['noise divided by 10', stated, { ...stated, noiseMultiplier: 0.8 }, {}],
    ['clipping skipped on biases', stated, stated, { size: 10 }],
    ['one seed for all clients', stated, stated, { known: true }],
    ['noise added once and reused', stated, stated, { reused: true }],
    [
      'a sampling rate ten times the stated one',
      { ...stated, sampleRate: 0.05, noiseMultiplier: 2 },
      { ...stated, noiseMultiplier: 2, sampleRate: 0.5 },
      {},
    ],
    [
      'the epsilon of one round claimed for all',
      { ...stated, steps: 1 },
      { ...stated, steps: 100, sampleRate: 0.5 },
      {},
    ],
  ]
  test.each(broken)('%s is caught', (_, claimed, done, run) => {
    expect(measured(1, done, run)).toBeGreaterThan(accounted(claimed))
  })

  test('and not where it is as stated', () => {
    expect(measured(1, stated)).toBeLessThanOrEqual(accounted(stated))
  })
})
