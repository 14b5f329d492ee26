/** A linear least-squares client's own optimum from d + 1 messages, exactly, or the reasons why they cannot give it. */
import { conditionNumber } from '../../numeric/linalg/condition.js'
import { type Matrix, rowsOf } from '../../numeric/linalg/matrix.js'
import { choice } from '../../params.js'
import { claimed, defineAttack, Inapplicable } from '../attack.js'
import { undoubted } from '../shared/believed-protocol.js'
import { permutedTurns } from '../shared/turn-controls.js'
import { plantedAffine } from './affine-control.js'
import { type AffineFit, designOf, type Form, fitAffine, type Pairs } from './affine-fit.js'
import { decayOf, noiseOf, pulledBy, requireAffine } from './affine-turns.js'
import {
  checkMap,
  fitOfCheck,
  isNoise,
  type MapCheck,
  notNoise,
  precisionBehind,
  roundingExplains,
} from './map-check.js'
import { digitsOf, short, trustOf } from './optimum-error.js'
import { selectByCondition } from './select-messages.js'
import { type Messages, messagesOf } from './turn-matrices.js'

export const lmraExact = defineAttack({
  id: 'lmra-exact',
  title: "The client's own optimum from d + 1 messages of full-batch least squares",
  paper: 'lmra',
  where: 'Obs. 1; aia Prop. 2',
  target: 'model',
  needs: ['exchanges', 'target', 'model', 'loss', 'protocol'],
  uses: ['samples'],
  params: {
    form: choice({
      default: 'direct',
      choices: ['direct', 'inverse'],
      doc: 'regress the update on the model (direct) or the model on the update (inverse)',
    }),
  },
  async run(view, { params: { form } }) {
    requireAffine(view)
    const messages = await messagesOf(view)
    const d = messages.theta.cols
    requireCount(messages)
    const { rows } = selectByCondition(evenDesign(messages, form))
    const used = pick(messages, rows)
    const fit = fitAffine(used, { form })
    const condition = conditionNumber(designOf(used, form))
    const check = checkMap(messages)
    const precision = precisionBehind(check, messages)
    const { rounding } = precision
    const plain = trustOf(fit, { rounding, noise: 0 })
    if (fit.rank < d || digitsOf(plain.fromRounding) === 0)
      throw singular({ messages, fit, condition, error: plain.fromRounding })
    const exact = roundingExplains(check, precision)
    const stated = noiseOf(view)
    const noisy = isNoise(check, { ...precision, exact: stated.length === 0 })
    const decayed = pulledBy(view)
    const trust = trustOf(fit, { rounding, noise: noisy && !decayed ? check.noise : null, alike: check.alike })
    const own = fitOfCheck(check, { rounding, exact: true })
    return claimed(
      { kind: 'model', client: view.target, theta: fit.optimum, ...own },
      {
        fit: undoubted(view, own.fit?.p ?? null),
        warnings: [
          ...messages.warnings,
          ...doubts(check, { exact, stated, digits: digitsOf(plain.fromRounding) }),
          ...(exact === false && !noisy ? [notNoise] : []),
          ...(fit.rankOfMap < d ? [unmoved(fit)] : []),
          ...decayOf(view),
        ],
        details: {
          form,
          exact,
          checkedBy: check.by,
          condition,
          conditionOfMap: fit.conditionOfMap,
          trustedDigits: trust.trustedDigits,
          errorEstimate: trust.relativeError,
          fromRounding: trust.fromRounding,
          messages: messages.rounds.length,
          rounds: [...rows].map((i) => messages.rounds[i]!),
          misfit: check.misfit,
          noiseOverRounding: check.noise === null || rounding === 0 ? null : check.noise / rounding,
          bitsOfMessages: precision.bits,
        },
      },
    )
  },
  plant: (input) => plantedAffine(input),
  shuffle: (input) => permutedTurns(input),
})

interface Doubted {
  readonly exact: boolean | null
  readonly stated: readonly string[]
  readonly digits: number
}

function doubts(check: MapCheck, { exact, stated, digits }: Doubted): string[] {
  if (exact === true) return []
  if (exact === null) {
    return [
      `not checked: no message is left to tell whether the map is exact; rounding alone would leave ${digits} digits`,
      ...stated,
    ]
  }
  const how =
    check.by === 'symmetry'
      ? 'the map through all messages is not symmetric, as plain steps on squared errors would make it'
      : `each message is missed by the map through the others, by ${short(100 * check.misfit!)} % of the updates`
  return [
    `not exact: ${how} (batches, noise, single precision, another optimiser or a changed rate); lmra-ols weighs all`,
    ...stated,
  ]
}

const unmoved = ({ rankOfMap, optimum }: AffineFit): string =>
  `the client moves in ${rankOfMap} of ${optimum.length} directions only: along the others any model is its optimum`

function requireCount({ rounds, theta: { cols: d } }: Messages): void {
  if (rounds.length > d) return
  throw new Inapplicable(
    [`${d + 1} messages`],
    `the client was heard ${rounds.length} times; ${d} parameters need ${d + 1} affinely independent models`,
  )
}

interface Unfit {
  readonly messages: Messages
  readonly fit: AffineFit
  readonly condition: number
  readonly error: number
}

/** departs: [lmra] Obs. 1 and [aia] Prop. 2 ask for d + 1 messages; the models in them must be affinely independent. */
function singular({ messages, fit, condition, error }: Unfit): Inapplicable {
  const d = messages.theta.cols
  const why =
    fit.rank < d
      ? `the models sent differ in ${fit.rank} of ${d} directions only`
      : `rounding alone is estimated to move the answer by ${short(error)} of its size`
  return new Inapplicable(
    [`${d + 1} affinely independent models`],
    `the system is singular to working precision: its condition number is ${short(condition)} (0 trusted digits, ` +
      `${messages.rounds.length} messages of ${messages.bits} bits); ${why}`,
  )
}

/** Models or descents less their mean, each column in units of its spread: what is chosen does not hang on units. */
function evenDesign(pairs: Pairs, form: Form): Matrix {
  const A = designOf(pairs, form)
  const { rows: n, cols: k } = A
  for (let j = 0; j + 1 < k; j++) {
    let mean = 0
    for (let i = 0; i < n; i++) mean += A.data[i * k + j]! / n
    let spread = 0
    for (let i = 0; i < n; i++) {
      A.data[i * k + j]! -= mean
      spread = Math.max(spread, Math.abs(A.data[i * k + j]!))
    }
    if (spread > 0) for (let i = 0; i < n; i++) A.data[i * k + j]! /= spread
  }
  return A
}

const pick = ({ theta, descent }: Pairs, rows: Int32Array): Pairs => ({
  theta: rowsOf(theta, rows),
  descent: rowsOf(descent, rows),
})
