// How sure a claim is of itself, and whether it is wrong there: what every row of the zoo says of an attack.

/** @typedef {import('../dist/audit/attack-result.js').AttackResult} AttackResult */
/** @typedef {import('../dist/audit/attack-result.js').Finding} Finding */
/** @typedef {import('../dist/transcript/truth-file.js').TruthFile} TruthFile */

/**
 * Of `all` values that a claim holds (or would hold): how many are right, how many it is sure of, and how many of those are
 * wrong. A value with a confidence is sure from 0.95 on, and right or wrong. A value with a stated error is sure of itself,
 * and wrong where the truth is farther away than four such errors. A value with neither is never sure, and `right` is null
 * where nothing says when it would be.
 * @typedef {{ all: number, right: number | null, sure: number, wrong: number }} Sureness
 */

/** Times its stated error within which the truth must lie. */
const errorsAway = 4

/** @param {AttackResult} result @param {TruthFile | undefined} truth @returns {Promise<Sureness | null>} */
export async function surenessOf(result, truth) {
  const [finding] = result.findings
  if (finding?.score == null) return null
  const { claim, score } = finding
  const { details } = result
  switch (claim.kind) {
    case 'attribute':
      return byConfidence(finding)
    case 'label':
    case 'label-mean':
      return byErrors([{ miss: score.value, error: numberOr(details.error) }])
    case 'model':
      return byErrors([{ miss: score.also.relativeError ?? Number.NaN, error: numberOr(details.errorEstimate) }])
    case 'metaclass-means':
    case 'metaclass-counts':
      return byErrors(await metaclassErrors(claim, details, { truth, target: result.target }))
    case 'labels': {
      // One record: a label that the whole of the message confirms is a sure one.
      const right = score.value === 1 ? 1 : 0
      const sure = /** @type {{ fit?: { p: number } }} */ (claim).fit === undefined ? 0 : 1
      return { all: 1, right, sure, wrong: sure * (1 - right) }
    }
    default:
      return null
  }
}

/** @param {unknown} value */
const numberOr = (value) => (typeof value === 'number' ? value : null)

/** @param {Finding} finding @returns {Sureness | null} */
function byConfidence({ claim, score }) {
  const hits = score?.perRecord && Array.from(score.perRecord)
  const confidence = /** @type {{ confidence?: readonly number[] }} */ (claim).confidence ?? []
  if (hits === undefined) return null
  const sure = confidence.flatMap((c, i) => (c >= 0.95 ? [i] : []))
  return {
    all: hits.length,
    right: hits.reduce((sum, hit) => sum + (hit > 0 ? 1 : 0), 0),
    sure: sure.length,
    wrong: sure.filter((i) => hits[i] === 0).length,
  }
}

/** @param {readonly { miss: number, error: number | null }[]} values @returns {Sureness} */
function byErrors(values) {
  const stated = values.filter(({ error, miss }) => error !== null && Number.isFinite(miss))
  const wrong = stated.filter(({ error, miss }) => miss > errorsAway * /** @type {number} */ (error)).length
  return { all: values.length, right: null, sure: stated.length, wrong }
}

/**
 * @param {Finding['claim']} claim @param {AttackResult['details']} details
 * @param {{ truth: TruthFile | undefined, target: string | null }} beside
 */
async function metaclassErrors(claim, details, { truth, target }) {
  const values = /** @type {{ values: readonly (number | null)[] }} */ (claim).values
  const table = await truth?.client(target ?? '')
  const counts = values.map((_, c) => [...(table?.metaclasses ?? [])].filter((own) => own === c).length)
  const means = values.map((_, c) => {
    let sum = 0
    for (const [i, own] of [...(table?.metaclasses ?? [])].entries()) if (own === c) sum += table?.labels?.[i] ?? 0
    return sum / (counts[c] ?? 0)
  })
  const truths = claim.kind === 'metaclass-means' ? means : counts
  const errors = Array.isArray(details.errors) ? details.errors : []
  const shares = Array.isArray(details.auxiliaryCounts) ? details.auxiliaryCounts : undefined
  // Errors come in the order of the metaclasses of which something is claimed.
  const claimed = values.flatMap((value, c) =>
    shares === undefined ? (value === null || Number.isNaN(value) ? [] : [c]) : Number(shares[c]) > 0 ? [c] : [],
  )
  return claimed.flatMap((c, k) => {
    const miss = Math.abs(Number(values[c]) - Number(truths[c]))
    return Number.isFinite(miss) ? [{ miss, error: numberOr(errors[k]) }] : []
  })
}
