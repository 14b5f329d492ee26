/** All attributes of a view from its messages: jointly where combinations are few, else one after the other. */
import type { ModelFunctions } from '../../../models/functions.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { log } from '../../../numeric/special/elementary-functions.js'
import type { View } from '../../../threat/granted-keys.js'
import { type Detail, Inapplicable } from '../../attack.js'
import type { Derive } from '../../derivation.js'
import { evaluable } from '../../shared/evaluable-model.js'
import { underModel } from '../least-loss.js'
import { type Belief, energiesOfCombinations } from '../search-values.js'
import { fillInto, type Unknown, type Unknowns, unknownsOf } from '../unknown-columns.js'
import { posteriorOf } from '../value-posterior.js'
import { attributeRange } from './continuous-attribute.js'
import { attributeShares, type Settings } from './discrete-attribute.js'
import { type LinearRounds, linearRounds } from './gradient-sums.js'
import type { RateMode } from './linear-problem.js'
import { lengthened } from './played/other-steps.js'
import { requireSums } from './played/plain-steps.js'

export type LinearView = View<'records' | 'records.label' | 'sensitive' | 'model' | 'loss' | 'protocol' | 'exchanges'> &
  Partial<View<'samples'>>

export interface LinearSettings extends Settings {
  readonly rate: 'auto' | RateMode
  /** A model whose losses speak too. */
  readonly fuse?: Float64Array | undefined
  /** Has what other attacks heard of the protocol. */
  readonly derive?: Derive | undefined
}

export interface InferredAttributes {
  readonly unknowns: Unknowns
  readonly beliefs: readonly Belief[]
  /** The records with every guess in place. */
  readonly filled: Matrix
  readonly details: Readonly<Record<string, Detail>>
  readonly warnings: readonly string[]
}

/** Combinations up to which several attributes are one unknown. */
const mostJoint = 16
const sweeps = 2

export async function inferAttributes(view: LinearView, settings: LinearSettings): Promise<InferredAttributes> {
  const unknowns = unknownsOf(view)
  const n = unknowns.known.rows
  const samples = view.samples ?? n
  if (samples < n)
    throw new Inapplicable(
      ['records'],
      `the client trained on ${samples} records and ${n} were given: they are not all its own`,
    )
  requireSums(view.protocol)
  const plain = await linearRounds(view, { samples })
  requireMovement(plain)
  const rate = settings.rate === 'auto' ? (plain.rateKnown ? 'known' : 'one') : settings.rate
  if (rate === 'known' && !plain.rateKnown)
    throw new Inapplicable(['learningRate'], 'rate=known needs the learning rate')
  const functions = evaluable(view)
  const groups = groupsOf(unknowns.attributes)
  const beliefs: Belief[] = []
  const filled = matrix(n, unknowns.known.cols, unknowns.known.data.slice())
  for (const attribute of unknowns.attributes) fillMiddle(filled, attribute)
  const middling = { known: filled, labels: unknowns.labels }
  const turns = lengthened(view, plain, { functions, samples, known: middling, rng: settings.rng })
  let details: Readonly<Record<string, Detail>> = {}
  const warnings: string[] =
    samples > n ? [`${samples - n} of the client's ${samples} records are unknown: others stand for them`] : []
  if (turns.repeated > 0) {
    const all = turns.repeated + turns.rounds.length
    warnings.push(`${turns.repeated} of ${all} messages repeat others: ${turns.rounds.length} count`)
  }
  for (let sweep = 0; sweep < (groups.length > 1 ? sweeps : 1); sweep++) {
    for (const group of groups) {
      const known = { known: filled, labels: unknowns.labels }
      const common = { view, functions, turns, samples, rate, known, exact: turns.exact }
      const [first] = group
      if (first!.sensitive.kind === 'continuous') {
        const { belief, misfit } = attributeRange({ ...common, attribute: first! }, settings)
        place(beliefs, unknowns, first!, belief)
        fillInto(filled, first!, (i) => belief.values[i]!)
        const doubt = `${first!.sensitive.name}: values between two kinks of a network may be taken for others; errors are lower bounds`
        if (functions.model.dense?.hidden.length !== 0 && !warnings.includes(doubt)) warnings.push(doubt)
        details = { solver: 'range', rounds: turns.rounds.length, unknowns: n, misfit }
        continue
      }
      const evidence = evidenceOf(view, { functions, known, group, fuse: settings.fuse })
      const found = attributeShares({ ...common, attributes: group, evidence }, settings)
      for (const [a, attribute] of group.entries()) {
        const belief = found.beliefs[a]!
        place(beliefs, unknowns, attribute, belief)
        fillInto(filled, attribute, (i, c) => attribute.candidates[belief.values[i]!]![c]!)
      }
      details = found.details
      warnings.push(...found.warnings.filter((one) => !warnings.includes(one)))
    }
  }
  return { unknowns, beliefs, filled, details: { ...details, rate, localSteps: turns.steps }, warnings }
}

function place(beliefs: Belief[], { attributes }: Unknowns, attribute: Unknown, belief: Belief): void {
  beliefs[attributes.indexOf(attribute)] = belief
}

function groupsOf(attributes: readonly Unknown[]): (readonly Unknown[])[] {
  const discrete = attributes.filter(({ sensitive }) => sensitive.kind !== 'continuous')
  const rest = attributes.filter(({ sensitive }) => sensitive.kind === 'continuous').map((one) => [one])
  const joint = discrete.reduce((product, { candidates }) => product * candidates.length, 1)
  const together = discrete.length === 0 ? [] : joint <= mostJoint ? [discrete] : discrete.map((one) => [one])
  return [...together, ...rest]
}

function fillMiddle(filled: Matrix, attribute: Unknown): void {
  const { candidates } = attribute
  fillInto(filled, attribute, (_, c) => candidates.reduce((sum, row) => sum + row[c]!, 0) / candidates.length)
}

/** Turns in which nothing moved say nothing. */
function requireMovement({ rounds }: LinearRounds): void {
  const moved = rounds.some(({ mean }) => mean.some((x) => x !== 0))
  if (!moved) throw new Inapplicable(['exchanges'], 'no model changed in any turn: the messages carry nothing')
}

/** Log odds of each combination against the first by its loss under a model. */
function evidenceOf(
  view: View<'model' | 'loss' | 'protocol'>,
  input: {
    readonly functions: ModelFunctions
    readonly known: Pick<Unknowns, 'known' | 'labels'>
    readonly group: readonly Unknown[]
    readonly fuse: Float64Array | undefined
  },
): Float64Array | undefined {
  const { functions, known, group, fuse } = input
  if (fuse === undefined) return undefined
  const options = underModel(view, fuse, functions)
  const energies = energiesOfCombinations({ ...known, attributes: group }, options)
  const { shares } = posteriorOf(energies, { residuals: options.residuals })
  const [K, n] = [energies.length, known.known.rows]
  const logShare = (i: number, v: number): number => log(Math.max(shares[i * K + v]!, 1e-12))
  return Float64Array.from({ length: n * (K - 1) }, (_, c) => {
    const [v, i] = [Math.floor(c / n) + 1, c % n]
    return logShare(i, v) - logShare(i, 0)
  })
}
