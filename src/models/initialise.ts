/** First values for theta, by name. Every parameter draws from its own address, so adding a layer moves no other. */
import type { Rng } from '../numeric/random/rng.js'
import { type Entry, find, table } from '../registry.js'
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

interface InitialiserEntry extends Entry {
  readonly draw: Initialiser
}

const initialiser = <const I extends string>(id: I, title: string, draw: Initialiser) => ({
  id,
  title,
  params: {},
  draw,
})

export const initialisers = table('initialiser', [
  initialiser(
    'pytorch',
    "weights and biases uniform in +-1/sqrt(fan in): PyTorch's default for linear and convolutional layers",
    uniform(({ fanIn }) => 1 / Math.sqrt(fanIn)),
  ),
  initialiser(
    'xavier-uniform',
    'weights uniform in +-sqrt(6 / (fan in + fan out)), biases zero',
    weightsOnly(uniform(({ fanIn, fanOut }) => Math.sqrt(6 / (fanIn + fanOut)))),
  ),
  initialiser(
    'xavier-normal',
    'weights normal with variance 2 / (fan in + fan out), biases zero',
    weightsOnly(normal(({ fanIn, fanOut }) => Math.sqrt(2 / (fanIn + fanOut)))),
  ),
  initialiser(
    'kaiming-uniform',
    'weights uniform in +-sqrt(6 / fan in), biases zero',
    weightsOnly(uniform(({ fanIn }) => Math.sqrt(6 / fanIn))),
  ),
  initialiser(
    'kaiming-normal',
    'weights normal with variance 2 / fan in, biases zero',
    weightsOnly(normal(({ fanIn }) => Math.sqrt(2 / fanIn))),
  ),
  initialiser(
    'normal',
    'standard normal, biases too',
    normal(() => 1),
  ),
  initialiser(
    'uniform-half',
    'weights and biases uniform in +-0.5, as DLG is published with',
    uniform(() => 0.5),
  ),
  initialiser('zeros', 'all zero', (p) => new Float64Array(size(p))),
])

export function initialise(
  model: Model,
  rng: Rng,
  name: keyof typeof initialisers | (string & {}) = 'pytorch',
): Float64Array {
  const { draw } = find<InitialiserEntry>(initialisers, name)
  const theta = new Float64Array(parameterCount(model))
  let offset = 0
  for (const p of model.parameters) {
    theta.set(draw(p, rng.fork('parameter', p.name)), offset)
    offset += size(p)
  }
  return theta
}
