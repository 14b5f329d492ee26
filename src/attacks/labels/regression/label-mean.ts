/** The mean label of a batch: the bias gradient is twice the mean error, so only the mean prediction must be guessed. */
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { meanOf, varianceOf } from '../../../numeric/special/summaries.js'
import { choice, whole } from '../../../params.js'
import type { View } from '../../../threat/granted-keys.js'
import { type Claimed, type Context, claimed, defineAttack, Inapplicable } from '../../attack.js'
import { believing } from '../../shared/believing.js'
import { evaluable } from '../../shared/evaluable-model.js'
import { regressionUpdate, requireRecords } from './mean-gradient.js'
import { meanOutput } from './mean-output.js'
import { auxiliaryLabels } from './metaclass-batch.js'
import { blupMeans, scoredGroups } from './metaclass-blup.js'
import { logitsOf, seenWith } from './record-scores.js'
import { plantedMean, shuffledGradient } from './regression-controls.js'
import { flatOutput, gainOf, type RegressionHead, regressionHead } from './regression-head.js'
import { type ReadUpdate, readPlainly, readRehearsed } from './rehearsal/read-update.js'

const estimates = ['zero', 'zeros', 'ones', 'normal', 'auxiliary', 'labels'] as const
type Estimate = (typeof estimates)[number]

export const labelMean = defineAttack({
  id: 'label-mean',
  // Where no stated protocol explains the messages, another is sought.
  effort: 30,
  title: 'The mean label of a batch',
  paper: 'labels',
  where: 'Section 4.2.1, Alg. 1',
  target: 'label-mean',
  needs: ['exchanges', 'target', 'round', 'model', 'loss', 'protocol'],
  uses: ['batchSize', 'samples', 'auxiliary', 'auxiliary.label'],
  params: {
    estimate: choice({
      default: 'auxiliary',
      choices: estimates,
      doc: 'the mean prediction: zero, or of inputs of zeros, of ones, of normal numbers, of the auxiliary data; labels: the best linear prediction from labelled auxiliary data',
    }),
    dummies: whole({ default: 500, min: 1, max: 100_000, doc: 'how many normal inputs are drawn' }),
  },
  run: (view, context) => believing(view, context, (own) => meanLabel(own, context)),
  plant: plantedMean,
  shuffle: shuffledGradient,
})

type Known = View<'exchanges' | 'target' | 'round' | 'model' | 'loss' | 'protocol'> &
  Partial<View<'batchSize' | 'samples' | 'auxiliary' | 'auxiliary.label'>>

async function meanLabel(
  view: Known,
  { params, rng }: Pick<Context<{ readonly estimate: Estimate; readonly dummies: number }>, 'params' | 'rng'>,
): Promise<Claimed> {
  const layer = regressionHead(view)
  if (layer.biasAt === undefined) throw new Inapplicable(['a bias'], 'without a bias the mean error is not seen')
  const heard = await regressionUpdate(view, layer, view.round)
  const inputs = inputsFor(params.estimate, { view, head: layer, rng, dummies: params.dummies })
  const brought = params.estimate === 'auxiliary' || params.estimate === 'labels'
  const labels = brought ? auxiliaryLabels(view) : undefined
  const asked = { head: layer, update: heard, features: inputs!, labels, rng }
  const { head, read } =
    layer.outputs > 1
      ? meanOutput(layer, heard)
      : { head: layer, read: brought ? readRehearsed(view, asked) : readPlainly(heard) }
  const { update, fit } = read
  const { mean, std, gain } =
    inputs === undefined ? { mean: 0, std: null, gain: 1 } : predictionsOf(view, head, { ...update, inputs })
  if (gain === 0) throw flatOutput('inputs')
  if (params.estimate === 'labels') return byLabels(view, { head, read, features: inputs!, labels })
  // [labels] Eq. (4.6): grad_b = 2 (mean of z - mean of y)
  const value = mean - update.gradB / (head.factor * gain)
  const bent = head.plain
    ? []
    : ['the slope of the output is taken as independent of the error: the mean label is approximate']
  // Of a mean over the batch against one over the inputs, were both drawn from the same records.
  const sampling = params.estimate === 'auxiliary' ? errorOf(update.records, std!, inputs!.rows) : null
  return claimed(
    { kind: 'label-mean', client: view.target, round: update.round, value, ...(fit && { fit }) },
    {
      warnings: [...read.warnings, ...update.warnings, ...bent],
      details: {
        estimate: params.estimate,
        meanPrediction: mean,
        gradB: update.gradB,
        localSteps: update.steps,
        explained: read.explained,
        error: sampling === null || read.error === null ? null : Math.max(sampling, read.error),
      },
    },
  )
}

interface Labelled {
  readonly head: RegressionHead
  readonly read: ReadUpdate
  readonly features: Matrix
  readonly labels: Float64Array | undefined
}

/** The best linear prediction of metaclass-means with one metaclass: what labels share with the whole last layer counts. */
function byLabels(view: View<'target' | 'model' | 'loss' | 'protocol'>, { head, read, features, labels }: Labelled) {
  if (labels === undefined) throw new Inapplicable(['auxiliary.label'], 'the auxiliary data have no labels')
  const { update, fit, warnings } = read
  const K = requireRecords(update.records)
  const seen = seenWith(update, { head, functions: evaluable(view), features })
  const rows = [Array.from(labels.keys())]
  const found = blupMeans(scoredGroups([seen], { labels, rows }), [K], { shift: true, ridge: 1e-6 })
  const value = found.means[0]!
  const error = read.error === null ? null : Math.max(Math.sqrt(found.variances[0]!), read.error)
  return claimed(
    { kind: 'label-mean', client: view.target, round: update.round, value, ...(fit && { fit }) },
    {
      warnings: [...warnings, ...update.warnings],
      details: { estimate: 'labels', gradB: update.gradB, localSteps: update.steps, explained: read.explained, error },
    },
  )
}

interface Inputs {
  readonly view: Partial<View<'auxiliary'>>
  readonly head: RegressionHead
  readonly rng: Rng
  readonly dummies: number
}

function inputsFor(estimate: Estimate, { view, head, rng, dummies }: Inputs): Matrix | undefined {
  const d = head.model.inputs
  switch (estimate) {
    case 'zero':
      return undefined
    case 'zeros':
      return matrix(1, d)
    case 'ones':
      return matrix(1, d, new Float64Array(d).fill(1))
    case 'normal':
      return matrix(dummies, d, rng.fork('dummies').normals(dummies * d))
    case 'auxiliary':
    case 'labels':
      if (view.auxiliary === undefined)
        throw new Inapplicable(['auxiliary'], 'the mean prediction is of auxiliary data')
      if (view.auxiliary.features.rows === 0) throw new Inapplicable(['auxiliary'], 'the auxiliary data hold no record')
      return view.auxiliary.features
  }
}

/** Mean and deviation of the predictions, and the mean slope that multiplies the errors. */
function predictionsOf(
  view: View<'model' | 'loss' | 'protocol'>,
  head: RegressionHead,
  { theta, w, b, inputs }: { theta: Float64Array; w: Float64Array; b: number; inputs: Matrix },
): { mean: number; std: number; gain: number } {
  const u = logitsOf(evaluable(view).penultimate(theta, inputs), { w, b })
  const z = u.map((x) => head.output.value(x))
  return { mean: meanOf(z), std: Math.sqrt(varianceOf(z)), gain: meanOf(u.map((x) => gainOf(head, x))) }
}

const errorOf = (K: number | undefined, std: number, D: number): number | null =>
  K === undefined ? null : std * Math.sqrt(1 / K + 1 / D)
