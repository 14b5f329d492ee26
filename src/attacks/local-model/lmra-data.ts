/** The client's own optimum by way of its data: records completed by inferred attributes, then trained on to the end. */
import { OverhearError } from '../../errors.js'
import { functionsOf } from '../../models/functions.js'
import { matrix, perRecord, rowsOf } from '../../numeric/linalg/matrix.js'
import { lbfgs } from '../../numeric/optimise/lbfgs.js'
import { minimise } from '../../numeric/optimise/optimiser.js'
import { largestMagnitude, meanOf } from '../../numeric/special/summaries.js'
import { text, whole } from '../../params.js'
import type { View } from '../../threat/granted-keys.js'
import { type Claimed, claimed, defineAttack, Inapplicable } from '../attack.js'
import { trueRecords } from '../attributes/attribute-controls.js'
import { fillInto, type Unknowns, unknownsOf } from '../attributes/unknown-columns.js'
import type { AttributeClaim, Claim, Fit } from '../claim.js'
import { modelOf } from '../shared/evaluable-model.js'
import { turnOf } from '../shared/target-turns.js'
import { permutedTurns, plantedTurns } from '../shared/turn-controls.js'

export const lmraData = defineAttack({
  id: 'lmra-data',
  effort: 5,
  title: 'The local optimum, trained on records with inferred attributes',
  paper: 'lmra',
  where: 'beyond: Section 3',
  target: 'model',
  needs: ['exchanges', 'target', 'records', 'records.label', 'sensitive', 'model', 'loss', 'protocol'],
  params: {
    from: text({ default: 'aia-linear', doc: 'the attack whose attributes are used' }),
    iterations: whole({ default: 3000, min: 1, max: 1_000_000, doc: 'most iterations of L-BFGS' }),
  },
  beyond: true,
  async run(view, context) {
    const { from, iterations } = context.params
    const outcome = await context.claimOf(from)
    if (outcome.status === 'not-applicable') throw new Inapplicable(outcome.missing, `${from} is not applicable`)
    const unknowns = unknownsOf(view)
    const features = completed(unknowns, outcome.claims, from)
    const { returned } = turnOf(await view.exchanges.read(view.exchanges.rounds.at(-1)!))
    const functions = functionsOf(modelOf(view), { loss: view.loss, lossScale: view.protocol.lossScale })
    const batch = { features, labels: unknowns.labels }
    const scale = functions.loss(returned, batch) || 1 // so that tolerances mean the same in dollars and in shares
    const objective = (theta: Float64Array) => {
      const { loss, grad } = functions.gradient(theta, batch)
      return { value: loss / scale, gradient: grad.map((g) => g / scale) }
    }
    const end = minimise(lbfgs({ memory: 20 }), objective, returned, {
      maxIterations: iterations,
      gradientTolerance: 1e-9,
      valueTolerance: 1e-7,
      patience: 50,
      keep: 'best',
      aborted({ iteration }) {
        context.tick(iteration, iterations)
        return false
      },
    })
    const warnings = outcome.warnings.map((doubt) => `${from}: ${doubt}`)
    const right = expectedRight(outcome.claims, unknowns)
    if (right !== undefined && right < leastRight) {
      const share = (100 * right).toFixed(1)
      warnings.push(`${from} expects ${share} % of its values to be right: the model fits the others' guesses as well`)
    }
    if (end.reason === 'iterations') warnings.push(`training had not ended after ${iterations} iterations`)
    return claimed(
      { kind: 'model', client: view.target, theta: end.x, ...fitOf(outcome.claims) },
      {
        warnings,
        details: {
          from,
          ...(right !== undefined && { expectedRight: right }),
          iterations: end.iterations,
          stopped: end.reason,
          lossBefore: scale,
          lossAfter: end.value * scale,
        },
      },
    )
  },
  /** Each turn ends at the true optimum, and the attributes are the true ones: training must stay there. */
  async plant({ view, truth, params }) {
    const { view: turned } = await plantedTurns({ view, truth })
    const records = await trueRecords(view, truth, view.target)
    return { view: turned, claims: { [params.from]: claimed(trueClaims(view, records.data)) } }
  },
  /** Labels of others, moved away as their mean alone would tell of the client, and attributes drawn at random. */
  async shuffle({ view, params, rng }) {
    const { view: turned } = await permutedTurns({ view, rng: rng.fork('coordinates') })
    const n = view.records.features.rows
    const order = rng.fork('labels').permutation(n)
    const draw = rng.fork('attributes')
    const claims = view.sensitive.map((one): AttributeClaim => {
      const values = Float64Array.from({ length: n }, () =>
        one.kind === 'continuous'
          ? one.range[0] + (one.range[1] - one.range[0]) * draw.uniform()
          : draw.integer(one.values.length),
      )
      return { kind: 'attribute', client: view.target, name: one.name, values }
    })
    const shuffled: Claimed = claimed(claims)
    const labels = rowsOf(perRecord(view['records.label'], n), order).data
    return {
      view: { ...turned, 'records.label': movedAway(labels, view) },
      claims: { [params.from]: shuffled },
    }
  },
})

/** Another class each; or further off than any label is large. */
function movedAway(labels: Float64Array, view: View<'loss' | 'model'>): Float64Array {
  const far = 3 * (largestMagnitude(labels) || 1)
  const classes = view.loss === 'cross-entropy' ? modelOf(view).outputs : 2
  return labels.map((y) => (view.loss === 'mse' ? y - far : (y + 1) % classes))
}

/** The model follows from the attributes: it fits the messages as they do. */
function fitOf(claims: readonly Claim[]): { readonly fit?: Fit } {
  const fits = claims.flatMap((one) => ('fit' in one && one.fit !== undefined ? [one.fit] : []))
  return fits[0] === undefined ? {} : { fit: fits[0] }
}

/** Share of right values below which the model is in doubt. */
const leastRight = 0.98

/** The mean confidence over the attributes of few values; undefined when none is given. */
function expectedRight(claims: readonly Claim[], { attributes }: Unknowns): number | undefined {
  const few = attributes
    .filter(({ sensitive }) => sensitive.kind !== 'continuous')
    .map(({ sensitive }) => sensitive.name)
  const all = claims.flatMap((one) =>
    one.kind === 'attribute' && few.includes(one.name) ? Array.from(one.confidence ?? []) : [],
  )
  return all.length === 0 ? undefined : meanOf(all)
}

/** The records with every claimed attribute in place; one that is not claimed is an error. */
function completed({ attributes, known }: Unknowns, claims: readonly Claim[], from: string) {
  const features = matrix(known.rows, known.cols, known.data.slice())
  for (const attribute of attributes) {
    const { name, kind } = attribute.sensitive
    const claim = claims.find((one): one is AttributeClaim => one.kind === 'attribute' && one.name === name)
    if (claim === undefined) throw new Inapplicable([`the attribute ${name}`], `${from} claims no ${name}`)
    if (claim.values.length !== known.rows) {
      const found = `${from} claims ${claim.values.length} values of ${name}`
      throw new OverhearError('E_SHAPE', found, `there are ${known.rows} records`)
    }
    fillInto(features, attribute, (i, c) =>
      kind === 'continuous' ? claim.values[i]! : attribute.candidates[claim.values[i]!]![c]!,
    )
  }
  return features
}

function trueClaims(view: View<'records' | 'sensitive' | 'target'>, complete: Float64Array): AttributeClaim[] {
  const { columns, features } = view.records
  return view.sensitive.map((one) => {
    const places = one.columns.map((name) => columns.indexOf(name))
    const values = Float64Array.from({ length: features.rows }, (_, i) => {
      const own = places.map((place) => complete[i * features.cols + place]!)
      if (one.kind === 'continuous') return own[0]!
      const off = one.values.map((row) => row.reduce((sum, v, c) => sum + Math.abs(v - own[c]!), 0))
      return off.indexOf(Math.min(...off))
    })
    return { kind: 'attribute', client: view.target, name: one.name, values }
  })
}
