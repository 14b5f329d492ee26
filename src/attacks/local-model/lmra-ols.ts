/** The client's own optimum by one regression over any number of noisy messages. */
import { conditionNumber } from '../../numeric/linalg/condition.js'
import { rowsOf } from '../../numeric/linalg/matrix.js'
import { norm } from '../../numeric/linalg/vector.js'
import { choice, whole } from '../../params.js'
import { type Context, claimed, defineAttack, Inapplicable } from '../attack.js'
import { undoubted } from '../shared/believed-protocol.js'
import { permutedTurns } from '../shared/turn-controls.js'
import { plantedAffine } from './affine-control.js'
import { type AffineFit, designOf, type Form, fitAffine, type Pairs } from './affine-fit.js'
import { decayOf, noiseOf, notAffine, pulledBy } from './affine-turns.js'
import { checkMap, fitOfCheck, isNoise, type MapCheck, notNoise, precisionBehind } from './map-check.js'
import { digitsOf, short, type Trust, trustOf } from './optimum-error.js'
import { selectAtRandom, selectByCondition } from './select-messages.js'
import { type Messages, messagesOf } from './turn-matrices.js'
import { chooseForm, weightsByRound } from './weigh-rounds.js'

export const lmraOls = defineAttack({
  id: 'lmra-ols',
  title: "The client's own optimum by least squares over its messages",
  paper: 'aia',
  where: 'Alg. 3; lmra Obs. 5',
  target: 'model',
  needs: ['exchanges', 'target', 'model', 'loss', 'protocol'],
  uses: ['samples'],
  params: {
    form: choice({
      default: 'direct',
      choices: ['direct', 'inverse', 'tls', 'auto'],
      doc: 'update on model, model on update, errors on both sides, or the best of these on held-out messages',
    }),
    select: choice({
      default: 'all',
      choices: ['all', 'condition', 'random'],
      doc: 'all messages, the d + 1 best conditioned, or the best of random sets of d + 1',
    }),
    draws: whole({ default: 100_000, min: 1, max: 1e8, doc: 'sets that select=random draws' }),
    weights: choice({
      default: 'equal',
      choices: ['equal', 'round'],
      doc: 'all messages alike, or by a noise that changes evenly with the rounds (select=all)',
    }),
  },
  async run(view, context) {
    const messages = await messagesOf(view)
    const { form: asked, weights: weighting } = context.params
    const [n, d] = [messages.rounds.length, messages.theta.cols]
    if (n <= d) {
      const why = `the client was heard ${n} times; a map of ${d} parameters needs at least ${d + 1} messages`
      throw new Inapplicable([`${d + 1} messages`], why)
    }
    const chosen = asked === 'auto' ? chooseForm(messages) : { form: asked, heldOut: null }
    const { form } = chosen
    const rows = selected(messages, form, context)
    const used: Pairs = { theta: rowsOf(messages.theta, rows), descent: rowsOf(messages.descent, rows) }
    const rounds = Array.from(rows, (i) => messages.rounds[i]!)
    const weighted = weighting === 'round' && rounds.length >= 2 * (d + 1)
    const weights = weighted ? { weights: weightsByRound(used, rounds, form) } : {}
    requireSpread(used, form)
    const fit = fitAffine(used, { form, ...weights })
    const check = checkMap(messages)
    const { rounding, bits } = precisionBehind(check, messages)
    const apart = form === 'direct' ? 0 : distance(fit.optimum, fitAffine(used, { form: 'direct', ...weights }).optimum)
    // Misfits of the fitted ones in the form's own terms, where the fit leaves any; else what the check says.
    const exact = noiseOf(view).length === 0 && notAffine(view) === undefined
    const noisy = isNoise(check, { rounding, bits, exact })
    const own = rounds.length > fit.rank + 1 ? {} : { noise: check.noise }
    const told = noisy && !pulledBy(view)
    const trust = trustOf(fit, { rounding, apart, alike: check.alike, ...(told ? own : { noise: null }) })
    const ofMap = fitOfCheck(check, { rounding, exact })
    const condition = conditionNumber(designOf(used, form))
    const warnings = [...messages.warnings]
    const bent = notAffine(view)
    if (bent !== undefined) warnings.push(`${bent}: the regression is a first approximation`)
    if (weighting === 'round' && !weighted) {
      warnings.push(
        `weights=round was not applied: ${rounds.length} messages do not tell how noise changes with rounds`,
      )
    }
    warnings.push(...doubts(trust, { fit, d, condition, count: rounds.length, noisy, check }), ...decayOf(view))
    return claimed(
      { kind: 'model', client: view.target, theta: fit.optimum, ...ofMap },
      {
        fit: undoubted(view, ofMap.fit?.p ?? null),
        warnings,
        details: {
          form,
          select: context.params.select,
          weights: weighted ? 'round' : 'equal',
          messages: n,
          used: rounds.length,
          parameters: d,
          rank: fit.rank,
          condition,
          conditionOfMap: fit.conditionOfMap,
          errorEstimate: trust.relativeError,
          fromNoise: trust.fromNoise,
          fromRounding: trust.fromRounding,
          trustedDigits: trust.trustedDigits,
          checkedBy: check.by,
          bitsOfMessages: bits,
          ...(rounds.length === n ? {} : { rounds }),
          ...(chosen.heldOut === null ? {} : { heldOutMiss: { ...chosen.heldOut } }),
        },
      },
    )
  },
  plant: (input) => plantedAffine(input),
  shuffle: (input) => permutedTurns(input),
})

const distance = (a: Float64Array, b: Float64Array): number => norm(a.map((x, j) => x - b[j]!))

interface Choosing {
  readonly select: 'all' | 'condition' | 'random'
  readonly draws: number
}

function selected(messages: Messages, form: Form, { params, rng, tick }: Context<Choosing>): Int32Array {
  const A = designOf(messages, form)
  switch (params.select) {
    case 'all':
      return Int32Array.from(messages.rounds, (_, i) => i)
    case 'condition':
      return selectByCondition(A).rows
    case 'random':
      return selectAtRandom(A, { draws: params.draws, rng: rng.fork('sets'), tick }).rows
  }
}

function requireSpread({ theta, descent }: Pairs, form: Form): void {
  const { rows, cols, data } = form === 'inverse' ? descent : theta
  const moves = data.some((x, i) => x !== data[i % cols])
  if (moves) return
  const what = form === 'inverse' ? 'updates' : 'models sent'
  throw new Inapplicable(['messages that differ'], `the ${what} in all ${rows} messages are identical`)
}

interface Standing {
  readonly fit: AffineFit
  readonly d: number
  readonly condition: number
  readonly count: number
  readonly noisy: boolean
  readonly check: MapCheck
}

function doubts(trust: Trust, { fit: { rank, rankOfMap }, d, condition, count, noisy, check }: Standing): string[] {
  const found: string[] = []
  const { relativeError, fromRounding } = trust
  if (rank < d) {
    found.push(
      `singular to working precision: the ${count} messages tell ${rank} of ${d} directions apart (condition ` +
        `${short(condition)}, 0 trusted digits); along the others the claim stays at the mean of the models sent`,
    )
  } else if (rankOfMap < d) {
    found.push(
      `the client moves in ${rankOfMap} of ${d} directions only: along the others any model is its optimum, and the ` +
        'claim stays at the mean of the models sent',
    )
  }
  if (check.noise === null) {
    found.push(
      `${count} messages determine the map and leave nothing to measure its noise by: rounding alone would leave ` +
        `${digitsOf(fromRounding)} digits`,
    )
  }
  if (check.noise !== null && !noisy) found.push(notNoise)
  if (relativeError !== null && relativeError >= 0.5) {
    found.push(`the estimated error is ${short(100 * relativeError)} % of the model's size`)
  }
  return found
}
