/** Rules about noise, clipping, and the epsilon that is claimed for them. */
import { reachOf } from '../../accounting/mechanism.js'
import type { Setup } from '../account/setup.js'
import { type Mistake, understated } from './claimed-epsilon.js'
import { defineLintRule, type Found, saidOfPrivacy } from './rule.js'

const figure = (value: number): string => String(Number(value.toPrecision(5)))

/** Computed once for all rules that ask about it. */
const known = new WeakMap<Setup, { readonly found: ReturnType<typeof understated> }>()

function claimOf(setup: Setup): ReturnType<typeof understated> {
  const { found } = known.get(setup) ?? { found: understated(setup) }
  known.set(setup, { found })
  return found
}

/** A claim that does not hold, where that mistake explains it. */
function claims(setup: Setup, mistake: Mistake): Found[] {
  const found = claimOf(setup)
  if (found === undefined || found.mistake !== mistake) return []
  const { claimed, atLeast, client, how } = found
  const what = `epsilon ${claimed} is claimed, at least ${figure(atLeast)} is spent by client ${client}`
  const why = how === '' ? '' : `; what is claimed is ${how}`
  return [{ subject: { of: 'privacy', key: 'epsilon' }, evidence: `${what}${why}` }]
}

const composed = 'compose over every local step of every round: overhear account does it for this file'

export const claimedEpsilon = defineLintRule({
  code: 'OH101',
  id: 'claimed-epsilon',
  severity: 'error',
  danger: 8,
  title: 'the claimed epsilon is smaller than what is spent',
  fix: 'state what overhear account computes, or add noise until the claim holds (overhear account --epsilon)',
  check: (setup) => claims(setup, 'unexplained'),
})

export const notComposed = defineLintRule({
  code: 'OH102',
  id: 'noise-not-composed',
  severity: 'error',
  danger: 8.5,
  title: 'epsilon is not composed over rounds, steps or layers',
  fix: composed,
  check(setup) {
    const layers = saidOfPrivacy(setup).perLayer
    const apart: Found[] =
      layers === true
        ? [
            {
              subject: { of: 'privacy', key: 'perLayer' },
              evidence: `each layer is clipped to ${setup.privacy?.maxNorm ?? 'a norm'} by itself, so a record moves all of them by the root of their number times that`,
              fix: 'clip the whole gradient, or count the layers as one more composition',
            },
          ]
        : []
    return [...apart, ...claims(setup, 'not-composed')]
  },
})

export const deviationOrVariance = defineLintRule({
  code: 'OH103',
  id: 'deviation-or-variance',
  severity: 'error',
  danger: 8.5,
  title: 'deviation and variance of the noise are mixed up',
  fix: 'noise has deviation noiseMultiplier x maxNorm: pass the deviation where one is expected, and its square nowhere',
  check(setup) {
    const { noiseStd, noiseVariance } = saidOfPrivacy(setup)
    const { noiseMultiplier: z = null, maxNorm: C = null } = setup.privacy ?? {}
    const found: Found[] = []
    if (typeof noiseStd === 'number' && z !== null && C !== null && off(noiseStd, z * C)) {
      const square = !off(noiseStd, z * z * C * C) || !off(noiseStd, z * z * C)
      const evidence = `noiseStd is ${figure(noiseStd)}, noiseMultiplier x maxNorm is ${figure(z * C)}${square ? ', whose square it is' : ''}`
      found.push({ subject: { of: 'privacy', key: 'noiseStd' }, evidence })
    }
    if (typeof noiseVariance === 'number' && z !== null && C !== null && off(noiseVariance, z * z * C * C)) {
      const evidence = `noiseVariance is ${figure(noiseVariance)}, (noiseMultiplier x maxNorm)^2 is ${figure(z * z * C * C)}`
      found.push({ subject: { of: 'privacy', key: 'noiseVariance' }, evidence })
    }
    return [...found, ...claims(setup, 'variance')]
  },
})

const off = (a: number, b: number): boolean => Math.abs(a - b) > 0.01 * Math.abs(b)

export const privateClipping = defineLintRule({
  code: 'OH104',
  id: 'clipping-norm-from-private-data',
  severity: 'error',
  danger: 6,
  title: 'the clipping norm is taken from private data',
  fix: 'fix the norm beforehand, take it from public data, or pay for its estimate with a share of epsilon',
  check(setup) {
    const from = saidOfPrivacy(setup).maxNormFrom
    if (typeof from !== 'string' || ['fixed', 'public', 'private-estimate'].includes(from)) return []
    return [
      {
        subject: { of: 'privacy', key: 'maxNormFrom' },
        evidence: `maxNormFrom is "${from}": the norm itself tells of the records`,
      },
    ]
  },
})

export const clippingSkips = defineLintRule({
  code: 'OH105',
  id: 'clipping-skips-parameters',
  severity: 'error',
  danger: 8,
  title: 'clipping leaves parameters out',
  fix: 'clip the gradient as one vector, scalars and biases included',
  check(setup) {
    const { clipped: stated, clippedParameters } = saidOfPrivacy(setup)
    const clipped = stated ?? clippedParameters
    const key = stated === undefined ? 'clippedParameters' : 'clipped'
    const names = parameterNames(setup)
    if (clipped === 'weights') {
      return [
        {
          subject: { of: 'privacy', key },
          evidence: 'only weights are clipped: biases carry what they like',
        },
      ]
    }
    if (!Array.isArray(clipped) || names.length === 0) return []
    const left = names.filter((name) => !clipped.includes(name))
    if (left.length === 0) return []
    return [{ subject: { of: 'privacy', key }, evidence: `not clipped: ${left.slice(0, 5).join(', ')}` }]
  },
})

function parameterNames({ raw }: Setup): string[] {
  const { parameters } = raw
  if (!Array.isArray(parameters)) return []
  return parameters.flatMap((one: { name?: unknown }) => (typeof one?.name === 'string' ? [one.name] : []))
}

export const wrongSampling = defineLintRule({
  code: 'OH106',
  id: 'poisson-accountant-for-fixed-batches',
  severity: 'error',
  danger: 7,
  title: 'batches are not drawn as the accountant has it',
  fix: 'draw Poisson batches (sampleRate of dp-sgd), or account for fixed ones: overhear account --batches fixed',
  check(setup) {
    const { sampling, sampleRate, accountant } = setup.privacy ?? {}
    const found = claims(setup, 'poisson')
    const drawn = sampling === 'fixed' || sampling === 'none'
    if (drawn && /poisson/i.test(accountant ?? '')) {
      found.push({
        subject: { of: 'privacy', key: 'accountant' },
        evidence: `accountant "${accountant}", batches are ${sampling}`,
      })
    }
    if (sampling === 'none' && (sampleRate ?? 0) > 0 && (sampleRate ?? 0) < 1) {
      found.push({
        subject: { of: 'privacy', key: 'sampleRate' },
        evidence: `sampleRate is ${sampleRate}, and nothing is sampled`,
      })
    }
    return found
  },
})

export const largeDelta = defineLintRule({
  code: 'OH107',
  id: 'delta-above-one-over-n',
  severity: 'warning',
  danger: 5,
  title: 'delta allows to give whole records away',
  fix: 'take delta well below one over the number of records (or clients) that are protected',
  check(setup) {
    const { delta = null, unit = 'record' } = setup.privacy ?? {}
    if (delta === null || setup.privacy === null) return []
    const sizes = setup.clients.flatMap(({ records }) => (records === null ? [] : [records]))
    const crowd = setup.raw.clients as { count?: unknown } | undefined
    const counted = typeof crowd?.count === 'number' ? crowd.count : setup.clients.length
    const n = unit === 'client' ? counted : sizes.reduce((a, b) => Math.max(a, b), 0)
    if (n === 0 || delta <= 1 / n) return []
    const evidence = `delta is ${delta}, above 1/${n}: releasing one of ${n} ${unit}s in the clear would keep to it`
    return [{ subject: { of: 'privacy', key: 'delta' }, evidence }]
  },
})

export const noNoise = defineLintRule({
  code: 'OH108',
  id: 'privacy-without-noise',
  severity: 'error',
  danger: 8,
  title: 'differential privacy is stated, and there is no noise or no clipping',
  fix: 'clip to a norm and add noise, or do not call it differential privacy',
  check({ privacy }) {
    if (privacy === null) return []
    const found: Found[] = []
    const { noiseMultiplier, maxNorm, epsilon } = privacy
    // A stranger's recording may leave figures out: that is not known, not zero, unless an epsilon is claimed for them.
    if (noiseMultiplier === 0)
      found.push({ subject: { of: 'privacy', key: 'noiseMultiplier' }, evidence: 'noiseMultiplier is 0' })
    if (maxNorm === null && (noiseMultiplier ?? 0) > 0) {
      found.push({
        subject: { of: 'privacy' },
        evidence: 'no maxNorm is stated: what is not clipped moves the sum without limit',
      })
    }
    if (noiseMultiplier === null && epsilon !== undefined) {
      found.push({
        subject: { of: 'privacy', key: 'epsilon' },
        evidence: `epsilon ${epsilon} is claimed, no noise is stated`,
      })
    }
    return found
  },
})

export const sensitivityApart = defineLintRule({
  code: 'OH109',
  id: 'sensitivity-apart-from-clipping',
  severity: 'error',
  danger: 7,
  title: 'the sensitivity that noise is scaled to is not the clipping norm',
  fix: 'scale noise to the clipping norm (twice the norm where a record is replaced)',
  check(setup) {
    const { sensitivity } = saidOfPrivacy(setup)
    const { maxNorm = null, neighbours = 'add-remove' } = setup.privacy ?? {}
    if (typeof sensitivity !== 'number' || maxNorm === null) return []
    const needed = reachOf(neighbours) * maxNorm
    if (sensitivity >= 0.999 * needed) return []
    const evidence = `sensitivity is ${figure(sensitivity)}, a clipped record moves the sum by up to ${figure(needed)}`
    return [{ subject: { of: 'privacy', key: 'sensitivity' }, evidence }]
  },
})
