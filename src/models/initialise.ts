/** First values for theta, by name. Every parameter draws from its own address, so adding a layer moves no other. */
import { lookup } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import { type Initialiser, type Model, type Parameter, parameterCount } from './model.js'

const size = ({ shape }: Parameter): number => shape.reduce((n, s) => n * s, 1)

const uniform =
  (bound: (p: Parameter) => number): Initialiser =>
  (p, rng) =>
    rng.uniforms(size(p)).map((u) => (2 * u - 1) * bound(p))

const normal =
  (std: (p: Parameter) => number): Initialiser =>
  (p, rng) =>
    rng.normals(size(p), { mean: 0, std: std(p) })

/** Weights by the given rule, biases zero. */
const weightsOnly =
  (rule: Initialiser): Initialiser =>
  (p, rng) =>
    p.role === 'weight' ? rule(p, rng) : new Float64Array(size(p))

export const initialisers = {
  /** Weights and biases uniform in +-1/sqrt(fan in): PyTorch's default for linear and convolutional layers. */
  pytorch: uniform(({ fanIn }) => 1 / Math.sqrt(fanIn)),
  'xavier-uniform': weightsOnly(uniform(({ fanIn, fanOut }) => Math.sqrt(6 / (fanIn + fanOut)))),
  'xavier-normal': weightsOnly(normal(({ fanIn, fanOut }) => Math.sqrt(2 / (fanIn + fanOut)))),
  'kaiming-uniform': weightsOnly(uniform(({ fanIn }) => Math.sqrt(6 / fanIn))),
  'kaiming-normal': weightsOnly(normal(({ fanIn }) => Math.sqrt(2 / fanIn))),
  /** Standard normal, biases too. */
  normal: normal(() => 1),
  zeros: ((p) => new Float64Array(size(p))) as Initialiser,
} as const

export function initialise(
  model: Model,
  rng: Rng,
  name: keyof typeof initialisers | (string & {}) = 'pytorch',
): Float64Array {
  const rule = lookup<Initialiser>(initialisers, name, 'initialiser')
  const theta = new Float64Array(parameterCount(model))
  let offset = 0
  for (const p of model.parameters) {
    theta.set(rule(p, rng.fork('parameter', p.name)), offset)
    offset += size(p)
  }
  return theta
}
