/** A client's turn played over on records that are known or supposed, under a protocol that is stated or supposed. */
import { compressions, compressorOf } from '../../models/compressions/index.js'
import type { DescentOptions } from '../../models/descent.js'
import type { Batch } from '../../models/functions.js'
import { recordedModel } from '../../models/index.js'
import { optimizers, ownNames } from '../../models/optimizers/index.js'
import type { Privacy } from '../../models/private-step.js'
import { type Held, type Trainer, trainer } from '../../models/trainer.js'
import type { Precision } from '../../numeric/engine/kernels.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { View } from '../../threat/granted-keys.js'
import { Inapplicable } from '../attack.js'

/** How clients train. What is unknown in it counts as what most people do: plain SGD, nothing clipped or compressed. */
export type Recipe = View<'protocol'>['protocol']

export interface Replay {
  hold(records: Batch): Held
  /** What the client would send, as a change of the model; where gradients are shared, minus the gradient. */
  play(turn: ReplayedTurn): Float64Array
  release(): void
}

export interface ReplayedTurn {
  readonly theta: Float64Array
  readonly records: Held
  /** The records that the client trains on, as rows of `records`; all unless told. A row may come twice. */
  readonly rows?: Int32Array
  /** Of this round; the recipe's unless told. */
  readonly learningRate?: number | null
  readonly rng: Rng
  /** Told the model before each step. */
  onStep?(theta: Float64Array): void
}

/** Whoever plays turns under a recipe; its kernel memory is given back by `release`. */
export function replayer(
  view: View<'model' | 'loss'>,
  recipe: Recipe,
  { precision = 'f64' }: { readonly precision?: Precision } = {},
): Replay {
  const worker = trainerOf(view, recipe, precision)
  const gradients = recipe.share === 'gradient'
  const compress = compressionBy(recipe)
  const alike = !gradients && recipe.dropout === 0 && privacyOf(recipe) === undefined
  return {
    hold: (records) => worker.hold(records),
    play({ theta, records, rows, rng, onStep, learningRate = recipe.learningRate }) {
      if (learningRate === null && !gradients) {
        throw new Inapplicable(['learningRate'], 'a turn cannot be played over without the learning rate')
      }
      worker.use(records)
      worker.load(theta)
      const from = gradients ? theta : worker.theta()
      let change = new Float64Array(theta.length)
      const all = rows ?? Int32Array.from({ length: records.n }, (_, i) => i)
      const { steps, batch: B } = stepsOf(recipe, all.length)
      if (alike && B === all.length && onStep === undefined) worker.repeat(all, learningRate!, steps)
      else
        forEachStep(all, { recipe, rng }, (batch, draws) => {
          onStep?.(worker.theta())
          if (gradients) change = worker.gradient(batch, draws).map((g) => -g)
          else worker.step(batch, learningRate!, draws)
        })
      if (!gradients) worker.movedInto(change, from)
      return compress === undefined ? change : compress(change)
    },
    release: () => worker.release(),
  }
}

function trainerOf({ model, loss }: View<'model' | 'loss'>, recipe: Recipe, precision: Precision): Trainer {
  if (model.kind === 'opaque') throw new Inapplicable(['model'], 'the model is opaque: only its parameters are known')
  if (recipe.mixup) throw new Inapplicable(['protocol.mixup'], 'mixtures of records cannot be played over')
  const { dropout, lossScale } = recipe
  const privacy = privacyOf(recipe)
  return trainer(recordedModel(model, { dropout }), {
    precision,
    loss,
    lossScale,
    ...descentBy(recipe),
    ...(privacy !== undefined && { privacy }),
  })
}

/** What a recipe says of steps, for a trainer. */
export function descentBy(recipe: Recipe): DescentOptions {
  const { momentum, proxMu, weightDecay = 0, clipNorm = null } = recipe
  const optimizer = optimizerOf(recipe)
  return { proxMu, weightDecay, clipNorm, optimizer, momentum: optimizer.name === 'sgd' ? momentum : 0 }
}

/** How a recipe shortens changes; undefined where they are sent as they are. */
export const compressionBy = (recipe: Recipe): ReturnType<typeof compressorOf> => compressorOf(compressionOf(recipe))

/** The optimizer that is stated, if it is one of ours. */
function optimizerOf({ optimizer }: Recipe): { readonly name: string } {
  if (optimizer === undefined || optimizer === null) return { name: 'sgd' }
  if (!Object.hasOwn(optimizers, optimizer.name)) {
    throw new Inapplicable(['protocol.optimizer'], `${optimizer.name} cannot be played over`)
  }
  return ownNames(optimizer)
}

function compressionOf({ compression }: Recipe): { readonly name: string } {
  if (compression === undefined || compression === null) return { name: 'none' }
  const { kind, ...params } = compression
  if (!Object.hasOwn(compressions, kind)) {
    throw new Inapplicable(['protocol.compression'], `${kind} cannot be played over`)
  }
  return { name: kind, ...params }
}

function privacyOf({ differentialPrivacy: dp }: Recipe): Privacy | undefined {
  if (dp === null || dp.maxNorm === null) return undefined
  // Norm and noise of whole changes are not those of steps.
  if (dp.unit === 'client') {
    throw new Inapplicable(['protocol.differentialPrivacy'], `${dp.mechanism} cannot be played over`)
  }
  const sampling = dp.sampleRate !== null && dp.sampleRate > 0 ? { sampleRate: dp.sampleRate } : {}
  return { maxNorm: dp.maxNorm, noiseMultiplier: dp.noiseMultiplier ?? 0, ...sampling }
}

/** Steps of a turn over n records, and how many are in a batch. */
export function stepsOf(recipe: Recipe, n: number): { readonly steps: number; readonly batch: number } {
  const { batchSize, localEpochs, localSteps, dropLast = false, share } = recipe
  const batch = Math.max(1, Math.min(batchSize ?? n, n))
  const perEpoch = dropLast ? Math.max(1, Math.floor(n / batch)) : Math.ceil(n / batch)
  const steps = share === 'gradient' ? 1 : (localSteps ?? Math.max(1, Math.round((localEpochs ?? 1) * perEpoch)))
  return { steps, batch }
}

type Visit = (batch: Int32Array, draws: () => Rng) => void

/** Batches of a turn: of records in a new order for every epoch, or Poisson samples. */
function forEachStep(rows: Int32Array, { recipe, rng }: { recipe: Recipe; rng: Rng }, visit: Visit): void {
  const n = rows.length
  const { steps, batch: B } = stepsOf(recipe, n)
  const q = privacyOf(recipe)?.sampleRate
  const end = recipe.dropLast === true ? Math.max(B, n - (n % B)) : n
  const perEpoch = Math.ceil(end / B)
  let order = rows
  for (let s = 0; s < steps; s++) {
    const own = rng.fork('step', s)
    if (q !== undefined) {
      const coins = own.fork('sample').uniforms(n)
      visit(
        rows.filter((_, i) => coins[i]! < q),
        () => own,
      )
      continue
    }
    const at = s % perEpoch
    if (at === 0)
      order =
        B >= n
          ? rows
          : rng
              .fork('epoch', s)
              .permutation(n)
              .map((i) => rows[i]!)
    visit(order.subarray(at * B, Math.min(end, (at + 1) * B)), () => own)
  }
}
