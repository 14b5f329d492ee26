/** A truth that knows the best model of a client's own records where no file says it: models of one layer have one to find. */

import { localOptimum } from '../../federation/local-optimum.js'
import { recordedModel } from '../../models/index.js'
import type { Transcript } from '../../transcript/read-transcript.js'
import type { TruthFile } from '../../transcript/truth-file.js'

export function withOptima<T extends Pick<TruthFile, 'optimum' | 'client'>>(truth: T, { manifest }: Transcript): T {
  const { model: spec, loss, protocol } = manifest
  const model = spec.kind === 'opaque' ? undefined : recordedModel(spec)
  if (model === undefined || model.parameters.filter(({ role }) => role === 'weight').length !== 1) return truth
  const found = new Map<string, Promise<Float64Array | undefined>>()
  const compute = async (id: string): Promise<Float64Array | undefined> => {
    const stated = await truth.optimum(id)
    if (stated !== undefined) return stated
    const table = await truth.client(id)
    const { features, labels } = table ?? {}
    if (features === undefined || labels === undefined || features.rows === 0 || features.cols !== model.inputs) return
    const from = new Float64Array(model.parameters.reduce((d, { shape }) => d + shape.reduce((n, s) => n * s, 1), 0))
    return localOptimum(model, { features, labels }, { loss, lossScale: protocol.lossScale, from }).theta
  }
  const optimum = async (id: string): Promise<Float64Array | undefined> => {
    const own = found.get(id) ?? compute(id)
    found.set(id, own)
    return (await own)?.slice()
  }
  return { ...truth, optimum }
}
