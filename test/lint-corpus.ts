/** Recordings with one fault each, and sound ones that look much the same: what lint must say of them. */

type Json = Record<string, unknown>

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
export const clients = (n = 8, samples = 640): Json[] => ids.slice(0, n).map((id) => ({ id, samples }))
const rounds = (sets: readonly (readonly string[])[], more: (i: number) => Json = () => ({})): Json[] =>
  sets.map((participants, i) => ({ participants, ...more(i) }))
const all = (n: number, of = ids): string[][] => Array.from({ length: n }, () => [...of])

/** A recording of eight clients, ten rounds, an MLP. */
export function recording({ protocol = {}, ...more }: Json & { protocol?: Json } = {}): Json {
  return {
    format: 'overhear-transcript/1',
    model: { kind: 'mlp', inputs: 4, hidden: [8], outputs: 1 },
    loss: 'mse',
    protocol: { share: 'parameters', localEpochs: 1, batchSize: 32, learningRate: 0.1, ...protocol },
    clients: clients(),
    rounds: rounds(all(10)),
    ...more,
  }
}

const dp = (more: Json = {}): Json => ({
  differentialPrivacy: {
    mechanism: 'dp-sgd',
    maxNorm: 1,
    noiseMultiplier: 1.1,
    sampleRate: 0.05,
    sampling: 'poisson',
    delta: 1e-5,
    ...more,
  },
})
const named = [
  { name: 'layers.0.weight', shape: [8, 4] },
  { name: 'layers.0.bias', shape: [8] },
  { name: 'layers.1.weight', shape: [1, 8] },
  { name: 'layers.1.bias', shape: [1] },
]
const linear = { model: { kind: 'linear', inputs: 4, outputs: 1 } }
const groups = [
  ['a', 'b', 'c', 'd', 'e', 'f'],
  ['c', 'd', 'e', 'f', 'g', 'h'],
  ['a', 'b', 'e', 'f', 'g', 'h'],
  ['a', 'b', 'c', 'd', 'g', 'h'],
]
const secure = { secureAggregation: true }

export interface Case {
  readonly name: string
  readonly manifest: Json
}
export interface Faulty extends Case {
  readonly code: string
}

// 10 rounds of 20 Poisson steps at rate 0.05 and noise 1.1 spend 3.9615 to 3.9618 at delta 1e-5, 4.443 by Rényi divergences.
export const faulty: readonly Faulty[] = [
  { code: 'OH101', name: 'an epsilon out of the air', manifest: recording({ protocol: dp({ epsilon: 3 }) }) },
  { code: 'OH101', name: 'an epsilon a little too small', manifest: recording({ protocol: dp({ epsilon: 3.6 }) }) },
  { code: 'OH102', name: 'the epsilon of one round', manifest: recording({ protocol: dp({ epsilon: 1.59 }) }) },
  { code: 'OH102', name: 'clipped layer by layer', manifest: recording({ protocol: dp({ perLayer: true }) }) },
  {
    code: 'OH103',
    name: 'a variance in place of a deviation',
    manifest: recording({ protocol: dp({ noiseMultiplier: 2, maxNorm: 3, noiseStd: 36 }) }),
  },
  {
    code: 'OH103',
    name: 'a deviation in place of a variance',
    manifest: recording({ protocol: dp({ noiseMultiplier: 2, maxNorm: 3, noiseVariance: 6 }) }),
  },
  {
    code: 'OH103',
    name: 'the epsilon of the squared multiplier',
    manifest: recording({ protocol: dp({ noiseMultiplier: 2, epsilon: 0.666 }) }),
  },
  {
    code: 'OH104',
    name: 'the median norm of the clients',
    manifest: recording({ protocol: dp({ maxNormFrom: 'median' }) }),
  },
  { code: 'OH104', name: 'the largest norm seen', manifest: recording({ protocol: dp({ maxNormFrom: 'data' }) }) },
  { code: 'OH105', name: 'weights alone', manifest: recording({ protocol: dp({ clipped: 'weights' }) }) },
  {
    code: 'OH105',
    name: 'a bias left out',
    manifest: recording({
      parameters: named,
      protocol: dp({ clipped: ['layers.0.weight', 'layers.0.bias', 'layers.1.weight'] }),
    }),
  },
  {
    code: 'OH106',
    name: 'a Poisson accountant, fixed batches',
    manifest: recording({ protocol: dp({ sampling: 'fixed', accountant: 'poisson-rdp' }) }),
  },
  { code: 'OH106', name: 'a rate, and no sampling', manifest: recording({ protocol: dp({ sampling: 'none' }) }) },
  {
    code: 'OH106',
    name: 'the epsilon of Poisson batches, shuffled ones',
    manifest: recording({ protocol: dp({ sampling: undefined, sampleRate: undefined, epsilon: 3.962 }) }),
  },
  { code: 'OH107', name: 'a delta of a hundredth', manifest: recording({ protocol: dp({ delta: 0.01 }) }) },
  { code: 'OH107', name: 'a delta for clients', manifest: recording({ protocol: dp({ unit: 'client', delta: 0.2 }) }) },
  { code: 'OH108', name: 'no noise', manifest: recording({ protocol: dp({ noiseMultiplier: 0 }) }) },
  { code: 'OH108', name: 'no norm', manifest: recording({ protocol: dp({ maxNorm: null }) }) },
  {
    code: 'OH109',
    name: 'a sensitivity of its own',
    manifest: recording({ protocol: dp({ maxNorm: 5, sensitivity: 1 }) }),
  },
  {
    code: 'OH109',
    name: 'a replaced record moves twice as far',
    manifest: recording({ protocol: dp({ neighbours: 'replace', sensitivity: 1 }) }),
  },
  { code: 'OH201', name: 'one seed', manifest: recording({ protocol: { ...dp(), noiseSeed: 42 } }) },
  {
    code: 'OH201',
    name: 'two clients with one seed',
    manifest: recording({ protocol: { clientSeeds: { a: 1, b: 2, c: 1 } } }),
  },
  {
    code: 'OH202',
    name: 'the same mask in two rounds',
    manifest: recording({ protocol: secure, rounds: rounds(all(4), (i) => ({ maskSeed: i % 3 })) }),
  },
  {
    code: 'OH202',
    name: 'one mask for all tensors',
    manifest: recording({ protocol: { ...secure, maskPerTensor: 'same' } }),
  },
  {
    code: 'OH203',
    name: 'a sum of two',
    manifest: recording({ protocol: secure, clients: clients(2), rounds: rounds(all(5, ['a', 'b'])) }),
  },
  {
    code: 'OH203',
    name: 'a sum of four',
    manifest: recording({ protocol: secure, clients: clients(4), rounds: rounds(all(5, ids.slice(0, 4))) }),
  },
  {
    code: 'OH204',
    name: 'changing groups of eight',
    // Five neighbours of eight in a ring, turning: 5 and 8 have no common divisor, so the matrix has full rank after eight rounds.
    manifest: recording({
      protocol: secure,
      rounds: rounds([0, 1, 2, 3, 4, 5, 6, 7].map((s) => [0, 1, 2, 3, 4].map((j) => ids[(s + j) % 8]!))),
    }),
  },
  {
    code: 'OH205',
    name: 'with and without one client',
    manifest: recording({ protocol: secure, rounds: rounds([ids, ids.slice(0, 7)]) }),
  },
  {
    code: 'OH206',
    name: 'a curious server, plain updates',
    manifest: recording({ protocol: { server: 'honest-but-curious' } }),
  },
  {
    code: 'OH206',
    name: 'a curious server that adds the noise itself',
    manifest: recording({
      protocol: {
        server: 'honest-but-curious',
        ...dp({ mechanism: 'central-dp', unit: 'client', sampling: 'none', delta: 0.01 }),
      },
    }),
  },
  {
    code: 'OH206',
    name: 'a malicious server that tells survivors',
    manifest: recording({ protocol: { ...secure, server: 'malicious' } }),
  },
  { code: 'OH301', name: 'batches of one', manifest: recording({ protocol: { batchSize: 1 } }) },
  {
    code: 'OH301',
    name: 'a client with one record',
    manifest: recording({ clients: [...clients(7), { id: 'h', samples: 1 }] }),
  },
  {
    code: 'OH302',
    name: 'a linear model, all records, ten rounds',
    manifest: recording({ ...linear, protocol: { batchSize: null } }),
  },
  {
    code: 'OH303',
    name: 'gradients of four records',
    manifest: recording({ protocol: { share: 'gradient', batchSize: 4 } }),
  },
  { code: 'OH303', name: 'one step over six records', manifest: recording({ clients: clients(8, 6) }) },
]

export const sound: readonly Case[] = [
  { name: 'plain training', manifest: recording() },
  { name: 'a claim that holds', manifest: recording({ protocol: dp({ epsilon: 3.97 }) }) },
  { name: "a claim by Rényi's bound", manifest: recording({ protocol: dp({ epsilon: 4.45 }) }) },
  { name: 'a claim rounded down', manifest: recording({ protocol: dp({ epsilon: 3.95 }) }) },
  { name: 'a generous claim', manifest: recording({ protocol: dp({ epsilon: 8 }) }) },
  { name: 'clipped as one vector', manifest: recording({ protocol: dp({ perLayer: false }) }) },
  {
    name: 'a deviation that fits',
    manifest: recording({ protocol: dp({ noiseMultiplier: 2, maxNorm: 3, noiseStd: 6 }) }),
  },
  {
    name: 'a variance that fits',
    manifest: recording({ protocol: dp({ noiseMultiplier: 2, maxNorm: 3, noiseVariance: 36 }) }),
  },
  { name: 'a norm fixed beforehand', manifest: recording({ protocol: dp({ maxNormFrom: 'fixed' }) }) },
  { name: 'a norm from public data', manifest: recording({ protocol: dp({ maxNormFrom: 'public' }) }) },
  {
    name: 'everything clipped',
    manifest: recording({ parameters: named, protocol: dp({ clipped: named.map(({ name }) => name) }) }),
  },
  { name: 'all clipped, in a word', manifest: recording({ protocol: dp({ clipped: 'all' }) }) },
  {
    name: 'Poisson batches, a Poisson accountant',
    manifest: recording({ protocol: dp({ accountant: 'poisson-rdp' }) }),
  },
  {
    name: 'fixed batches, accounted for as such',
    manifest: recording({ protocol: dp({ sampling: 'fixed', sampleRate: null, accountant: 'wor', epsilon: 30 }) }),
  },
  {
    name: 'shuffled batches without a claim',
    manifest: recording({ protocol: dp({ sampling: undefined, sampleRate: undefined }) }),
  },
  {
    name: 'shuffled batches, a claim that counts epochs',
    manifest: recording({ protocol: dp({ sampling: undefined, sampleRate: undefined, epsilon: 45 }) }),
  },
  { name: 'a small delta', manifest: recording({ protocol: dp({ delta: 1e-4 }) }) },
  {
    name: 'a small delta for a crowd',
    manifest: recording({ clients: { count: 10_000, samples: 20 }, protocol: dp({ unit: 'client', delta: 1e-5 }) }),
  },
  {
    name: 'a mechanism of which nothing is said',
    manifest: recording({ protocol: { differentialPrivacy: { mechanism: 'somebody’s' } } }),
  },
  { name: 'noise scaled to the norm', manifest: recording({ protocol: dp({ maxNorm: 5, sensitivity: 5 }) }) },
  {
    name: 'noise scaled to twice the norm',
    manifest: recording({ protocol: dp({ neighbours: 'replace', sensitivity: 2 }) }),
  },
  {
    name: 'seeds of their own',
    manifest: recording({ protocol: { ...dp(), noiseSeed: 'own', clientSeeds: { a: 1, b: 2 } } }),
  },
  {
    name: 'masks anew in every round',
    manifest: recording({ protocol: secure, rounds: rounds(all(4), (i) => ({ maskSeed: i })) }),
  },
  { name: 'sums of eight', manifest: recording({ protocol: secure }) },
  {
    name: 'sums of four with noise',
    manifest: recording({
      clients: clients(4),
      rounds: rounds(all(5, ids.slice(0, 4))),
      protocol: { ...secure, ...dp() },
    }),
  },
  {
    name: 'groups that stay together',
    manifest: recording({ protocol: secure, rounds: rounds([...groups, ...groups, ...groups]) }),
  },
  {
    name: 'a curious server behind secure sums',
    manifest: recording({ protocol: { ...secure, server: 'honest-but-curious' } }),
  },
  {
    name: 'a malicious server, lists compared',
    manifest: recording({ protocol: { ...secure, server: 'malicious', consistencyCheck: true } }),
  },
  { name: 'a trusted server', manifest: recording({ protocol: { server: 'trusted' } }) },
  { name: 'batches of one with noise', manifest: recording({ protocol: { ...dp(), batchSize: 1 } }) },
  {
    name: 'a linear model, few rounds',
    manifest: recording({ ...linear, protocol: { batchSize: null }, rounds: rounds(all(4)) }),
  },
  { name: 'a linear model, mini-batches', manifest: recording(linear) },
  { name: 'gradients of 32 records', manifest: recording({ protocol: { share: 'gradient' } }) },
  { name: 'four records, many steps', manifest: recording({ protocol: { batchSize: 4 } }) },
]
