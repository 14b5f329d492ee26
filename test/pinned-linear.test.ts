import { Inapplicable } from '../src/attacks/attack.js'
import { sharesOf } from '../src/attacks/attributes/linear/coordinate-descent.js'
import { linearRounds } from '../src/attacks/attributes/linear/gradient-sums.js'
import { inferAttributes } from '../src/attacks/attributes/linear/infer-attributes.js'
import {
  candidatesOf,
  type Problem,
  problemOf,
  type RateMode,
} from '../src/attacks/attributes/linear/linear-problem.js'
import { misfitOf, residualsOf, strangers, sumsAt, sumsOf } from '../src/attacks/attributes/linear/message-residuals.js'
import { featuresFit } from '../src/attacks/attributes/linear/played/played-features.js'
import { fitOf, playedTurns } from '../src/attacks/attributes/linear/played/protocol-fit.js'
import { fitRates } from '../src/attacks/attributes/linear/played/rehearsed-rate.js'
import { rehearse } from '../src/attacks/attributes/linear/played/rehearsed-turns.js'
import { mended } from '../src/attacks/attributes/linear/played/replayed-guesses.js'
import { descend } from '../src/attacks/attributes/linear/projected-gradient.js'
import { metricOf, plainMetric, squaresIn, weightsIn } from '../src/attacks/attributes/linear/residual-metric.js'
import { infer } from '../src/attacks/attributes/linear/reweighted-fit.js'
import { drawsFrom, meanBelief, tempered } from '../src/attacks/attributes/linear/value-draws.js'
import { distancesOf } from '../src/attacks/attributes/linear/value-evidence.js'
import { solvePass } from '../src/attacks/attributes/linear/weighted-fit.js'
import { assemble, linearPart, ratesOf } from '../src/attacks/attributes/linear/weighted-squares.js'
import { combinationsOf } from '../src/attacks/attributes/search-values.js'
import { unknownsOf } from '../src/attacks/attributes/unknown-columns.js'
import { evaluable } from '../src/attacks/shared/evaluable-model.js'
import { rng } from '../src/numeric/random/rng.js'
import { binary, continuous, several, type WorldOptions, world } from './attribute-world.js'
import { pinResults } from './pinned-results.js'

interface Made {
  /** How long the messages are trusted. */
  readonly rate?: RateMode
  /** What is stated of the protocol beside what the world has. */
  readonly states?: object
  /** Records the client trains on beyond those that are known. */
  readonly more?: number
}

/** The view of a world, with what is stated of its protocol. */
function viewOf(options: WorldOptions, { states = {}, more = 0 }: Made) {
  const { view } = world(options)
  const protocol = { ...view.protocol, ...states } as typeof view.protocol
  const { learningRate } = protocol
  const read = async (round: number) => ({ ...(await view.exchanges.read(round)), learningRate })
  return { ...view, protocol, samples: view.samples + more, exchanges: { ...view.exchanges, read } }
}

async function problemFrom(options: WorldOptions, made: Made = {}): Promise<Problem> {
  const view = viewOf(options, made)
  const unknowns = unknownsOf(view)
  const { attributes } = unknowns
  const turns = await linearRounds(view, { samples: view.samples })
  const candidates = candidatesOf(unknowns, attributes, combinationsOf(attributes))
  const places = attributes.flatMap((one) => one.places)
  const common = { view, functions: evaluable(view), candidates, places, turns, samples: view.samples }
  return problemOf({ ...common, rate: made.rate ?? 'known' })
}

const passes = { passes: 2, rehearsals: 3, directions: 4 }

/** All that an inference finds, and how often it tells how far it is. */
const inferring = (options: WorldOptions, made: Made = {}, settings: object = {}) => {
  return async () => {
    const told: number[][] = []
    const problem = await problemFrom(options, made)
    const tick = (...by: number[]) => void told.push(by)
    const { Q, ending, ...found } = infer(problem, { ...passes, rng: rng('infer'), tick, ...settings })
    return [found, found.determined?.(), Q, ending?.dispersion, told]
  }
}
const line = { records: 12, rounds: 6, batchSize: 4, effect: 0.5, noise: 1 } as const
const net = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [5], activation: 'relu' } as const
/** More unknowns than so few messages tell apart. */
const dim = { ...line, records: 20, rounds: 3, noise: 2 }
const wide = { ...line, records: 9, sensitive: several, model: { ...net, inputs: 6 } }
const dp = { mechanism: 'dp-sgd', maxNorm: 0.5, noiseMultiplier: 0.4, sampleRate: null, delta: null }

/** What parts of an inference give for one problem, with shares that are neither sure nor even. */
const parts = (options: WorldOptions, made: Made = {}, directions = 3) => {
  return async () => {
    const problem = await problemFrom(options, made)
    const { records: n, values, size } = problem.gradients
    const N = n * (values - 1)
    const p = rng('p')
      .uniforms(N)
      .map((x) => x / values)
    const rounds = problem.rounds.map((_, t) => t)
    const offsets = problem.rounds.map((_, t) => rng('offset').fork(t).normals(size, { std: 0.01 }))
    const sums = sumsOf(problem, p)
    const left = residualsOf(problem, { sums, offsets, rates: rounds.map((t) => 1 + t / 10) })
    const metric = metricOf(left, directions)
    const weights = weightsIn(problem, metric, left)
    const pass = { rounds, offsets, metric, weights }
    const some = { ...pass, rounds: rounds.filter((t) => t % 2 === 1) }
    const { factors, gram } = problem
    const messages = problem.rounds.map(({ mean }) => mean.map((x) => problem.samples * x))
    const rates = ratesOf(problem, sums, pass)
    const whole = assemble(problem, pass, { factors: factors!, gram: gram! })
    const shares = sharesOf({ ...whole, records: n })
    const bare = { ...problem, gram: undefined, factors: undefined } as unknown as Problem
    const evidence = rng('evidence').normals(N)
    const solved = (units: 'none' | 'residuals' | 'noise', more: object = {}) => {
      const { determined, ...found } = solvePass(problem, pass, { units, ...more })
      return [found, determined?.()]
    }
    return [
      [
        sums,
        left,
        metric,
        weights,
        rates,
        squaresIn(metric, left),
        strangers(problem, p),
        strangers(problem, undefined),
      ],
      [sumsAt(problem, problem.rounds[1]!.at, [p, p.map((x) => 1 - x)]), misfitOf(messages, { sums, rates, pass })],
      [
        whole,
        assemble(problem, some, { factors: factors!, gram: gram!, single: true }),
        linearPart(problem, some, factors!),
      ],
      [shares, distancesOf(whole.Q, shares, n)],
      descend(problem, pass),
      descend(problem, some, { maxIterations: 7, start: p }),
      descend(bare, pass, {
        maxIterations: 9,
        tolerance: 1e-3,
        precision: evidence.map((x) => x * x),
        linear: evidence,
      }),
      [solved('none'), solved('residuals', { evidence }), solved('noise', { start: p }), solved('noise', { evidence })],
      [solved('residuals', { rough: true }), solvePass(bare, pass, { units: 'none', evidence })],
    ]
  }
}

/** Turns played over, and what is made of how they scatter. */
const playing = (options: WorldOptions, made: Made = {}, plays = 3) => {
  return async () => {
    const problem = await problemFrom(options, made)
    const { records: n, values } = problem.gradients
    const draws = [0, 1].map((d) => Int32Array.from({ length: n }, (_, i) => (i * i + d * (i % 3)) % values))
    const rates = problem.rounds.map((_, t) => 1 + t / 20)
    const played = [false, true].map((settled) => rehearse(problem, { draws, plays, rates, rng: rng('play'), settled }))
    const heard = problem.rounds.map(({ mean }) => mean.map((x) => problem.samples * x))
    const metric = metricOf(played[0]!.scatter, 2)
    const turns = [plainMetric, metric].map((one) => playedTurns(played[0]!, { heard, plays, metric: one }))
    const squares = heard.map((m) => m.reduce((sum, x) => sum + x * x, 0))
    const left = squares.map((x, t) => x / (3 + t))
    const fits = turns.map((one) => fitOf({ messages: squares, left, played: one }))
    const looks = featuresFit({ problem, rehearsal: played[0]!, heard, plays, rng: rng('looks') })
    return [played, turns, fits, looks]
  }
}

/** What a rate is divided by, for so many rounds. */
const rating = (options: WorldOptions, rate: RateMode, by: readonly number[] = []) => {
  return async () => {
    const problem = await problemFrom(options, { rate })
    const guesses = Int32Array.from({ length: problem.gradients.records }, (_, i) => Number(i % 3 === 0))
    const rates = problem.rounds.map((_, t) => by[t % Math.max(1, by.length)] ?? 1)
    return fitRates(problem, { guesses, rates, rng: rng('rates') })
  }
}

const wholly = (options: WorldOptions, made: Made = {}, settings: object = {}) => {
  return async () => {
    const told: number[][] = []
    const tick = (...by: number[]) => void told.push(by)
    const given = { ...passes, rate: 'auto', rng: rng('whole'), tick, ...settings } as const
    try {
      const { unknowns: _, ...found } = await inferAttributes(viewOf(options, made), given as never)
      return [found, told]
    } catch (error) {
      if (error instanceof Inapplicable) return error.outcome
      throw error
    }
  }
}

const replayed = { ...line, records: 7, batchSize: null, localEpochs: 4 }
const mending = (options: WorldOptions, starts: readonly (readonly number[])[]) => async () =>
  mended(
    await problemFrom(options),
    starts.map((one) => Int32Array.from({ length: options.records! }, (_, i) => one[i % one.length]!)),
  )

pinResults('linear', {
  'least squares in rounds': [
    inferring(line),
    inferring({ ...line, model: net }),
    inferring(wide),
    inferring(line, {}, { passes: 1, rehearsals: 0 }),
    inferring(line, {}, { passes: 4, rehearsals: 1, doubt: 0.7 }),
    inferring(line, {}, { evidence: rng('said').normals(12) }),
    inferring(line, { more: 5 }),
    inferring({ ...line, privacy: { maxNorm: 0.5, noiseMultiplier: 0.4 } }, { states: { differentialPrivacy: dp } }),
    inferring({ ...line, batchSize: null, localEpochs: 3 }),
    inferring({ ...line, batchSize: null }),
  ],
  'least squares at a rate that is not known': [
    inferring(line, { rate: 'one' }),
    inferring({ ...line, rounds: 4, model: net }, { rate: 'each' }),
    inferring({ ...line, rounds: 41, records: 5 }, { rate: 'one' }, { rehearsals: 2 }),
    inferring({ ...line, rounds: 22, records: 5 }, { rate: 'each', states: { learningRate: 0.02 } }),
  ],
  'least squares over many rounds, few of them first': [
    inferring({ ...line, rounds: 21 }),
    inferring({ ...line, rounds: 20 }, {}, { rehearsals: 1 }),
    inferring({ ...line, rounds: 45, records: 6 }, {}, { passes: 3, rehearsals: 0 }),
    inferring({ ...line, rounds: 45, records: 6 }, {}, { passes: 1, rehearsals: 1 }),
    inferring({ ...line, rounds: 80, records: 6 }, {}, { passes: 1, rehearsals: 2 }),
    inferring({ ...line, rounds: 21, records: 6 }, {}, { passes: 1, rehearsals: 0 }),
  ],
  'parts of least squares': [
    parts(line),
    parts({ ...line, model: net }, { rate: 'one' }),
    parts(wide, { rate: 'each' }, 2),
    parts({ ...line, rounds: 30 }, { more: 3 }, 60),
  ],
  'turns played over': [
    playing(line),
    playing({ ...line, model: net, localEpochs: 2 }, { more: 2 }),
    playing({ ...line, batchSize: null, localEpochs: 3 }, {}, 4),
    playing({ ...line, privacy: { maxNorm: 0.5, noiseMultiplier: 0.4 } }, { states: { differentialPrivacy: dp } }),
    playing(line, { states: { momentum: 0.5 } }),
    playing({ ...line, rounds: 3 }, { states: { weightDecay: 0.1, clipNorm: 0.2 } }, 2),
  ],
  'rates by rehearsal': [
    rating(line, 'one'),
    rating({ ...line, rounds: 12 }, 'one', [0.4, 3]),
    rating({ ...line, rounds: 13 }, 'one', [2, 0, 1]),
    rating({ ...line, rounds: 26, records: 5 }, 'one', [-1]),
    rating({ ...line, rounds: 14, records: 5 }, 'each', [1.2]),
    rating({ ...line, learningRate: 30 }, 'each'),
  ],
  'guesses mended by playing turns over': [
    mending(replayed, [[0]]),
    mending(replayed, [
      [1, 0],
      [0, 0, 1],
    ]),
    mending({ ...replayed, sensitive: several }, [[0, 1, 2, 3]]),
    mending({ ...replayed, model: net }, [[1]]),
  ],
  'beliefs about attributes': [
    wholly(line),
    wholly({ ...line, model: net }, {}, { rate: 'each' }),
    wholly(wide),
    wholly({ ...line, batchSize: null, records: 4 }),
    wholly({ ...line, batchSize: null, records: 9 }),
    wholly(replayed),
    wholly(replayed, { states: { learningRate: 0.06 } }),
    wholly({ ...replayed, records: 14 }),
    wholly(line, { states: { learningRate: 0.2 } }),
    wholly(line, { states: { clipNorm: 0.2 } }, { rehearsals: 0 }),
    wholly({ ...line, rounds: 3 }, { states: { clipNorm: 2 }, more: 3 }, { rehearsals: 0, rate: 'known' }),
    wholly({ ...line, rounds: 3 }, { states: { clipNorm: 2, learningRate: null } }, { rehearsals: 0 }),
    wholly(line, { states: { learningRate: null } }),
    wholly(line, { more: 4 }),
    wholly(line, { more: -1 }),
    wholly({ ...line, records: 6, sensitive: [continuous] }),
    wholly({ ...line, records: 6, rounds: 4, sensitive: [continuous, binary], model: { ...net, inputs: 5 } }),
    wholly({ ...line, records: 3, batchSize: null, sensitive: [continuous] }),
    ...[[-1, 0.5], [-0.99, 0.9], [0, 5], [-5, 0], [-20, 10], [-20, 10.1], [1, 4]].map(([low, high]) => wholly({ ...line, records: 3, rounds: 3, sensitive: [{ ...continuous, range: [low!, high!] } as typeof continuous] })), // biome-ignore format: a line
    wholly(replayed, {}, { rehearsals: 0 }),
    wholly(replayed, {}, { rehearsals: 1 }),
    wholly(dim, {}, { fuse: Float64Array.from([0.9, -0.4, 0.3, 0.6, 0.1]) }),
    wholly(dim),
    wholly(dim, {}, { rate: 'known', doubt: 0.5 }),
    wholly(line, { states: { learningRate: null } }, { rate: 'known' }),
  ],
  'beliefs drawn from, averaged and tempered': [
    () =>
      drawsFrom(
        [0.2, 0.5, 0.3].map((x) => new Float64Array(40).fill(x)),
        4,
        rng('draws'),
      ),
    () => tempered([Float64Array.of(0.9, 0, 1), Float64Array.of(0.1, 1, 0)], 1.5),
    () => meanBelief([[Float64Array.of(0.9, 0)], [Float64Array.of(0.1, 1)], [Float64Array.of(0.3, 1)]]),
  ],
})
