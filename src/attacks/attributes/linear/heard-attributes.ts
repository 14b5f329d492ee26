/** Attributes under the stated protocol where the messages fit it, else under what is heard; none is called sure where nothing fits. */
import { type Detail, Inapplicable, type ProtocolFit as Stated } from '../../attack.js'
import { asHeard, believedProtocol, picked, stating, undoubted } from '../../shared/believed-protocol.js'
import { wordsOf } from '../../shared/heard-protocol.js'
import { type InferredAttributes, inferAttributes, type LinearSettings, type LinearView } from './infer-attributes.js'
import { unlikely } from './played/protocol-fit.js'

/** A protocol that is heard must fit so well, and log odds under it are divided by so much more than 1. */
const [leastP, tempered] = [0.05, 0.5]

export interface HeardAttributes extends InferredAttributes {
  readonly fit: Stated
}

export async function heardAttributes(view: LinearView, settings: LinearSettings): Promise<HeardAttributes> {
  const first = await attempted(view, settings)
  if (fits(first)) return { ...first.found!, fit: undoubted(view, first.p ?? null) }
  const paced = await atOtherRate(view, settings, first)
  if (paced !== undefined) return told(paced, view, first.p ?? 0)
  const listening = { rng: settings.rng.fork('protocol'), derive: settings.derive }
  const believed = await believedProtocol(picked(view, heardBy), listening)
  if (believed.differs && believed.explained) {
    const heard = asHeard(view, believed)
    const again = await attempted(heard, { ...settings, doubt: tempered })
    const better = fits(again, leastP) ? again : await atOtherRate(heard, settings, again)
    if (better !== undefined) return told(better, view, first.p ?? believed.p)
  }
  if (first.found === undefined) {
    throw believed.differs ? new Inapplicable(['protocol'], `${first.refused} (${believed.words})`) : first.error!
  }
  const doubt = believed.differs ? [`${believed.words}: the guesses go with neither`] : []
  const warnings = [...first.found.warnings, ...doubt]
  return { ...first.found, warnings, fit: { ...believed.fit, p: first.p ?? believed.p } }
}

/** What is looked at to hear a protocol. */
const heardBy = [
  ...(['exchanges', 'protocol', 'model', 'loss', 'samples'] as const),
  ...(['records', 'records.label', 'sensitive'] as const),
] as const

interface Attempted {
  readonly view: LinearView
  readonly found?: InferredAttributes
  /** How well the messages fit, and how far they went beside plays; undefined where no turn was played over. */
  readonly p?: number | undefined
  readonly reach?: number | undefined
  /** Why nothing was found: the messages are not what the protocol gives. */
  readonly refused?: string
  readonly error?: Inapplicable
}

const fits = ({ found, p }: Attempted, least = unlikely): boolean =>
  found !== undefined && (p === undefined || p >= least)

async function attempted(view: LinearView, settings: LinearSettings): Promise<Attempted> {
  try {
    const found = await inferAttributes(view, settings)
    return { view, found, p: numberIn(found.details.fit, 'p'), reach: numberIn(found.details.fit, 'reach') }
  } catch (error) {
    if (!(error instanceof Inapplicable) || !error.outcome.missing.includes('protocol')) throw error
    return { view, refused: error.message, error }
  }
}

function numberIn(detail: Detail | undefined, key: string): number | undefined {
  const value =
    typeof detail === 'object' && detail !== null ? (detail as Readonly<Record<string, Detail>>)[key] : undefined
  return typeof value === 'number' ? value : undefined
}

/** Rates that are tried one after another, and how far off a reach must be for the rate to be the reason. */
const [mostRates, off] = [3, 0.08]

/** The first fault that comes to mind: a rate as many times as large as messages went farther than plays. */
async function atOtherRate(
  view: LinearView,
  settings: LinearSettings,
  first: Attempted,
): Promise<Attempted | undefined> {
  let last = first
  let by = first.found === undefined ? 1 : fittedIn(first.found)
  for (let k = 0; k < mostRates; k++) {
    const { reach, found } = last
    if (found === undefined || reach === undefined || !(Math.abs(reach - 1) > off) || !(reach > 0.1)) return undefined
    by *= Math.min(4, reach)
    last = await attempted(atRate(view, by), { ...settings, doubt: tempered })
    if (fits(last, leastP)) return last
  }
  return undefined
}

/** What an unknown rate was fitted to, as a share of what is believed: 1 where it is stated. */
const fittedIn = ({ details: { rateFactor } }: InferredAttributes): number =>
  typeof rateFactor === 'number' && rateFactor > 0 ? 1 / rateFactor : 1

function atRate(view: LinearView, by: number): LinearView {
  const { protocol } = view
  const of = (rate: number | null): number => by * (rate ?? protocol.learningRate ?? 1)
  return stating(view, { ...protocol, learningRate: of(null) }, (_, rate) => of(rate))
}

function told({ found, view: heard }: Attempted, { protocol }: LinearView, p: number | null): HeardAttributes {
  const [stated, instead] = [wordsOf(protocol), wordsOf(heard.protocol)]
  const warning = `the messages do not fit what is stated; stated: ${stated}; heard: ${instead}`
  return {
    ...found!,
    warnings: [...found!.warnings, warning],
    details: { ...found!.details, stated, heard: instead },
    fit: { stated: { ...protocol }, heard: { ...heard.protocol }, p },
  }
}
