/** The model of a view as functions; attacks that must evaluate it stop here when it is opaque. */
import { type FunctionsOptions, functionsOf, type ModelFunctions } from '../../models/functions.js'
import { recordedModel } from '../../models/index.js'
import type { Model } from '../../models/model.js'
import type { View } from '../../threat/granted-keys.js'
import { Inapplicable } from '../attack.js'

export function modelOf({ model }: View<'model'>): Model {
  if (model.kind === 'opaque') throw new Inapplicable(['model'], 'the model is opaque: only its parameters are known')
  return recordedModel(model)
}

/** The trained loss, its scale included. */
export function evaluable(
  view: View<'model' | 'loss' | 'protocol'>,
  options: Omit<FunctionsOptions, 'loss' | 'lossScale'> = {},
): ModelFunctions {
  return functionsOf(modelOf(view), { ...options, loss: view.loss, lossScale: view.protocol.lossScale })
}
