/** The last layer of a classifier: where it lies in the flat vector, its gradient and its parameters. */
import { OverhearError } from '../../../errors.js'
import { type Matrix, matrix, transpose } from '../../../numeric/linalg/matrix.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import type { View } from '../../../threat/granted-keys.js'
import type { ParameterShape } from '../../../transcript/manifest.js'
import { Inapplicable } from '../../attack.js'
import {
  type AttackedUpdate,
  attackedUpdate,
  type UpdateView,
  updateNeeds,
  updateUses,
} from '../../shared/attacked-update.js'

export const headNeeds = [...updateNeeds, 'model', 'loss', 'parameters'] as const
export const headUses = updateUses
export type HeadView = UpdateView & View<'model' | 'loss' | 'parameters'>

/** Weights [n, m] and, if there is one, the bias [n] of the layer z = W a + b under the softmax. */
export interface HeadPlace {
  readonly classes: number // n
  readonly width: number // m
  readonly weightAt: number
  readonly biasAt: number | undefined
  /** The weights lie as [m, n], as other frameworks have it. */
  readonly transposed: boolean
  /** Length of the flat vector. */
  readonly size: number
}

export interface Layer {
  readonly W: Matrix // [n, m]
  readonly b: Float64Array | undefined
}

export interface ClassHead {
  readonly place: HeadPlace
  readonly update: AttackedUpdate
  readonly gradW: Matrix // [n, m]
  readonly gradB: Float64Array | undefined
  /** The layer's parameters in the model that was sent; undefined when the recording lacks it. */
  readonly layer: Layer | undefined
}

/** Reads the attacked update's last layer; `size` as for `attackedUpdate`. */
export async function classHead(view: HeadView, options: { readonly size: 'known' | 'any' }): Promise<ClassHead> {
  if (view.loss !== 'cross-entropy') {
    throw new Inapplicable(['a softmax over classes'], `the loss is ${view.loss}, not cross-entropy`)
  }
  const place = headPlace(view.parameters)
  const update = await attackedUpdate(view, options)
  const { W: gradW, b: gradB } = layerOf(update.grad, place)
  return { place, update, gradW, gradB, layer: update.theta && layerOf(update.theta, place) }
}

/** The last parameters, if they look like a layer over classes: weights alone, or weights and a bias. */
export function headPlace(parameters: readonly ParameterShape[]): HeadPlace {
  const sizes = parameters.map(({ shape }) => shape.reduce((n, s) => n * s, 1))
  const size = totalOf(sizes)
  const last = parameters.at(-1)?.shape ?? []
  const biased = last.length === 1
  const weight = (biased ? parameters.at(-2)?.shape : last) ?? []
  const [rows, cols] = weight
  const end = biased ? size - sizes.at(-1)! : size
  if (weight.length === 2 && rows !== undefined && cols !== undefined) {
    const fits = !biased || last[0] === rows
    const [classes, width] = fits ? [rows, cols] : [cols, rows]
    if (classes > 1 && (fits || last[0] === cols)) {
      const biasAt = biased ? end : undefined
      return { classes, width, weightAt: end - rows * cols, biasAt, transposed: !fits, size }
    }
  }
  const shapes = parameters.slice(-2).map(({ name, shape }) => `${name} [${shape.join(', ')}]`)
  throw new Inapplicable(['a last layer over classes'], `the last parameters are ${shapes.join(' and ')}`)
}

/** The layer's piece of a flat vector. */
export function layerOf(flat: Float64Array, place: HeadPlace): Layer {
  const { classes, width, weightAt, biasAt, transposed, size } = place
  if (flat.length !== size) {
    throw new OverhearError('E_SHAPE', `the update holds ${flat.length} values`, `the parameters hold ${size}`)
  }
  const [rows, cols] = transposed ? [width, classes] : [classes, width]
  const stored = matrix(rows, cols, flat.slice(weightAt, weightAt + rows * cols))
  const b = biasAt === undefined ? undefined : flat.slice(biasAt, biasAt + classes)
  return { W: transposed ? transpose(stored) : stored, b }
}

/** A copy of a flat vector with the layer's piece replaced. */
export function withLayer(flat: Float64Array, place: HeadPlace, { W, b }: Layer): Float64Array {
  const changed = flat.slice()
  changed.set((place.transposed ? transpose(W) : W).data, place.weightAt)
  if (place.biasAt !== undefined) changed.set(b ?? new Float64Array(place.classes), place.biasAt)
  return changed
}
