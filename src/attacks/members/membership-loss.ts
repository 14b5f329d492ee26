/** Which candidates a client trained on: those whose loss under a model is small. */
import { OverhearError } from '../../errors.js'
import type { ModelFunctions } from '../../models/functions.js'
import { type Matrix, matrix, rowOf, rowsOf } from '../../numeric/linalg/matrix.js'
import { log } from '../../numeric/special/elementary-functions.js'
import { largestMagnitude, squaresAbout, totalOf } from '../../numeric/special/summaries.js'
import { choice, text } from '../../params.js'
import type { View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import { type Context, claimed, defineAttack, Inapplicable } from '../attack.js'
import { short } from '../local-model/optimum-error.js'
import { type ClaimedModel, claimedModel, classifies, labelsOf } from '../shared/claimed-model.js'
import { evaluable } from '../shared/evaluable-model.js'
import { optimumOf } from '../shared/turn-controls.js'

type Labelled = View<'candidates' | 'candidates.label'>

export const membershipLoss = defineAttack({
  id: 'membership-loss',
  title: 'Members among candidates, by a threshold on their loss under a model',
  paper: 'lmra',
  where: 'Section 2',
  target: 'members',
  perRecord: true,
  needs: ['candidates', 'candidates.label', 'target', 'model', 'loss', 'protocol'],
  uses: ['globals', 'auxiliary', 'auxiliary.label'],
  params: {
    from: text({ default: 'last-returned', doc: 'the attack whose model is used, or global: the last global model' }),
    threshold: choice({
      default: 'auto',
      choices: ['auto', 'auxiliary', 'split'],
      doc: 'mean loss of auxiliary records, or the best split of the candidates’ log losses; auto: the first if it can be had',
    }),
  },
  async run(view, context) {
    const { from } = context.params
    const functions = evaluable(view)
    const { theta, warnings } = await modelFrom(view, context)
    const batch = { features: view.candidates.features, labels: view['candidates.label'] }
    const losses = lossesOf(functions, theta, batch, context.tick)
    const rule = thresholdFor(view, { asked: context.params.threshold, functions, theta, losses })
    const rows = Array.from(losses.keys()).filter((i) => losses[i]! < rule.threshold)
    return claimed(
      { kind: 'members', client: view.target, rows, scores: losses.map((loss) => -loss) },
      {
        warnings: [...warnings, ...rule.warnings],
        details: { from, rule: rule.name, threshold: rule.threshold, candidates: losses.length, ...rule.details },
      },
    )
  },
  async plant({ view, params, truth }) {
    const theta = await optimumOf(truth, view.target)
    const members = await membersIn(view, truth)
    const model = claimed({ kind: 'model', client: view.target, theta })
    const labels = plantedLabels(view, evaluable(view), theta, members)
    const globals = params.from === 'global' && { globals: { rounds: [0], read: async () => theta } }
    return { view: { ...view, 'candidates.label': labels, ...globals }, claims: { [params.from]: model } }
  },
  async shuffle({ view, rng }) {
    const { candidates } = view
    const order = rng.permutation(candidates.features.rows)
    const features = rowsOf(candidates.features, order)
    const labels = rowsOf(columnOf(view, candidates.features.rows), order).data
    return { view: { ...view, candidates: { ...candidates, features }, 'candidates.label': labels } }
  },
})

/** Labels as rows: one value per record, or one per output. */
const columnOf = (view: Labelled, n: number): Matrix =>
  matrix(n, view['candidates.label'].length / n, view['candidates.label'])

async function modelFrom(
  { globals }: Partial<View<'globals'>>,
  context: Context<{ readonly from: string }>,
): Promise<ClaimedModel> {
  if (context.params.from !== 'global') return claimedModel(context, context.params.from)
  if (globals === undefined) throw new Inapplicable(['globals'], 'from=global needs the global models')
  return { theta: await globals.read(globals.rounds.at(-1)!), warnings: [] }
}

interface Batch {
  readonly features: Matrix
  readonly labels: Float64Array
}

function lossesOf(
  functions: ModelFunctions,
  theta: Float64Array,
  { features, labels }: Batch,
  tick: Context['tick'],
): Float64Array {
  const { rows: n, cols: d } = features
  if (n === 0) throw new OverhearError('E_SHAPE', 'there are no candidates', 'at least one is needed')
  const c = labels.length / n
  return Float64Array.from({ length: n }, (_, i) => {
    if (i % 1000 === 0) tick(i, n)
    const one = matrix(1, d, rowOf(features, i))
    return functions.loss(theta, { features: one, labels: labels.slice(i * c, (i + 1) * c) })
  })
}

interface Rule {
  readonly name: string
  readonly threshold: number
  readonly warnings: readonly string[]
  readonly details: Readonly<Record<string, number>>
}

interface Judged {
  readonly asked: 'auto' | 'auxiliary' | 'split'
  readonly functions: ModelFunctions
  readonly theta: Float64Array
  readonly losses: Float64Array
}

/** departs: the usual threshold is the mean loss of the training set, which an outsider does not know. */
function thresholdFor(
  view: Partial<View<'auxiliary' | 'auxiliary.label'>>,
  { asked, functions, theta, losses }: Judged,
): Rule {
  const { auxiliary, 'auxiliary.label': labels } = view
  if (asked !== 'split' && auxiliary !== undefined && labels !== undefined) {
    const threshold = functions.loss(theta, { features: auxiliary.features, labels })
    return { name: 'auxiliary', threshold, warnings: [], details: { auxiliary: auxiliary.features.rows } }
  }
  if (asked === 'auxiliary') throw new Inapplicable(['auxiliary', 'auxiliary.label'], 'threshold=auxiliary needs them')
  const { threshold, explained } = split(losses)
  const warnings =
    explained < CLEAR
      ? [
          `the candidates' losses do not fall into two groups (the split explains ${short(100 * explained)} % of their spread)`,
        ]
      : []
  return { name: 'split', threshold, warnings, details: { splitExplains: explained } }
}

const CLEAR = 0.75 // what the best split explains of a uniform spread; of a normal one it is 64 %

/** The cut of the sorted log losses that leaves the least variance within the two parts, halfway between its neighbours. */
export function split(losses: Float64Array): { threshold: number; explained: number } {
  const least = losses.reduce((low, x) => (x > 0 ? Math.min(low, x) : low), Number.POSITIVE_INFINITY)
  const floor = least === Number.POSITIVE_INFINITY ? 1 : least // a loss of zero counts as the least above it
  const sorted = losses.slice().sort()
  const logs = sorted.map((x) => log(Math.max(x, floor)))
  const n = logs.length
  const total = totalOf(logs)
  const spread = squaresAbout(logs, total / n)
  let [below, best, at] = [0, -1, 0]
  for (let i = 1; i < n; i++) {
    below += logs[i - 1]!
    const apart = below / i - (total - below) / (n - i)
    const between = ((i * (n - i)) / n) * apart * apart
    if (between > best) [best, at] = [between, i]
  }
  if (!(spread > 0) || at === 0) return { threshold: 0, explained: 0 } // all alike: nobody stands out
  return { threshold: (sorted[at - 1]! + sorted[at]!) / 2, explained: Math.min(best / spread, 1) }
}

/** Candidates that are records of the target. */
async function membersIn(view: Labelled & View<'target'>, truth: Truth): Promise<Set<number>> {
  const table = await truth.client(view.target)
  if (table?.labels === undefined) {
    throw new OverhearError('E_INPUT', `the truth holds no records of client "${view.target}"`)
  }
  const key = (features: Matrix, labels: Matrix, i: number): string =>
    `${rowOf(features, i).join()};${rowOf(labels, i).join()}`
  const own = matrix(table.features.rows, table.labels.length / Math.max(table.features.rows, 1), table.labels)
  const records = new Set(Array.from({ length: own.rows }, (_, i) => key(table.features, own, i)))
  const { features } = view.candidates
  const labels = columnOf(view, features.rows)
  return new Set(
    Array.from({ length: features.rows }, (_, i) => i).filter((i) => records.has(key(features, labels, i))),
  )
}

/** Members get the label that the model gives them, the others one that it finds absurd. */
function plantedLabels(
  view: Labelled & View<'loss'>,
  functions: ModelFunctions,
  theta: Float64Array,
  members: ReadonlySet<number>,
): Float64Array {
  const { features } = view.candidates
  const output = functions.predict(theta, features)
  if (classifies(functions.model, view)) {
    const classes = Math.max(functions.model.outputs, 2)
    const said = labelsOf(output, functions.model, view)
    return said.map((label, i) => (members.has(i) ? label : (label + 1) % classes))
  }
  const size = Math.max(1, largestMagnitude(output.data))
  const c = output.cols
  return output.data.map((z, i) => (members.has(Math.floor(i / c)) ? z + 1e-6 * size : z + 10 * size))
}
