/** The protocol that an attack goes by: the stated one, or what the messages say where that does not explain them. */
import type { Rng } from '../../numeric/random/rng.js'
import type { View } from '../../threat/granted-keys.js'
import type { ProtocolFit } from '../attack.js'
import { type Derivation, type Derive, deriveHere } from '../derivation.js'
import {
  affordable,
  type HeardProtocol,
  type HeardView,
  heardIn,
  heardUses,
  rateAt,
  turnsHeard,
  wordsOf,
} from './heard-protocol.js'
import type { HeardTurn } from './recipe-fit.js'
import { doubtedP } from './recipe-search.js'
import type { Recipe } from './replayed-turn.js'
import { mapped } from './turn-controls.js'

export interface Believed extends HeardProtocol {
  readonly fit: ProtocolFit
  /** Whether what was heard explains the messages. */
  readonly explained: boolean
  /** Whether it is something else than what is stated. */
  readonly differs: boolean
  /** "stated: SGD 0.1; heard: SGD 0.049". */
  readonly words: string
}

export interface Listening {
  readonly rng: Rng
  readonly rounds?: number
  readonly plays?: number
  /** Has what another attack heard of the same. */
  readonly derive?: Derive | undefined
}

/** Messages that are looked at, and plays of each, unless told: enough to tell what moves claims. */
const [someRounds, somePlays] = [6, 12]
/** Fewer messages look like anything: nothing else than what is stated is believed of them. */
const fewest = 3

export async function believedProtocol(view: HeardView, options: Listening): Promise<Believed> {
  const { rounds = someRounds, plays = somePlays, rng, derive = deriveHere(rng) } = options
  const turns = await turnsHeard(view, Math.min(rounds, affordable(view, plays)))
  const heard = await heardOnce(view, turns, { plays, derive })
  const { stated, p, heardP } = heard
  return {
    ...heard,
    fit: { stated: { ...stated }, heard: { ...heard.heard }, p },
    explained: turns.length >= fewest && heardP !== null && heardP > doubtedP,
    differs: keyOf(heard.heard) !== keyOf(stated),
    words: `stated: ${wordsOf(stated)}; heard: ${wordsOf(heard.heard)}`,
  }
}

type Keys = 'protocol' | (typeof heardUses)[number]

/** What is heard in turns, as the numbers of its text; the turns are handed along: round, rate (NaN: not stated), models, changes. */
const hearing: Derivation<Keys, { readonly plays: number }> = {
  id: 'heard-protocol',
  of: () => ['protocol', ...heardUses],
  open: (part, { plays }, rng) => ({
    make({ given = [] }) {
      const [rounds, rates, ...models] = given
      const turns = Array.from(rounds!, (round, t): HeardTurn => {
        const learningRate = Number.isNaN(rates![t]) ? null : rates![t]!
        return { round, theta: models[2 * t]!, change: models[2 * t + 1]!, learningRate }
      })
      const { stated: _, ...heard } = heardIn(part as View<'protocol'>, turns, { rng, plays })
      return [Float64Array.from(JSON.stringify(heard), (letter) => letter.charCodeAt(0))]
    },
    release() {},
  }),
}

interface Asked {
  readonly plays: number
  readonly derive: Derive
}

/** Made once for all who hear the same turns and know the same of the records. */
async function heardOnce(
  view: HeardView,
  turns: readonly HeardTurn[],
  { plays, derive }: Asked,
): Promise<HeardProtocol> {
  const rounds = Float64Array.from(turns, ({ round }) => round)
  const rates = Float64Array.from(turns, ({ learningRate }) => learningRate ?? Number.NaN)
  const given = [rounds, rates, ...turns.flatMap(({ theta, change }) => [theta, change])]
  let text = ''
  await derive(hearing, {
    view: { ...view, globals: { rounds: [], read: async () => new Float64Array(0) } },
    settings: { plays },
    items: [{ rounds: [], given }],
    onItem: (_, [letters]) => {
      text = Array.from(letters!, (code) => String.fromCharCode(code)).join('')
    },
  })
  return { ...(JSON.parse(text) as Omit<HeardProtocol, 'stated'>), stated: view.protocol }
}

/** What changes turns, in a form that can be compared; what is not stated is what is usual. */
function keyOf(recipe: Recipe): string {
  const { optimizer, learningRate, momentum, proxMu, weightDecay = 0, clipNorm = null, dropout } = recipe
  const { compression = null, dropLast = false, batchSize, localEpochs, localSteps, differentialPrivacy } = recipe
  const name = optimizer?.name ?? 'sgd'
  const steps = [batchSize, localEpochs, localSteps, dropLast]
  return JSON.stringify([name, learningRate, momentum, proxMu, weightDecay, clipNorm, dropout, steps, compression, differentialPrivacy]) // biome-ignore format: one line
}

/** The same view, as if what was heard had been stated. */
export function asHeard<V extends View<'protocol' | 'exchanges'>>(view: V, { heard, pace }: HeardProtocol): V {
  return stating(view, heard, (round, stated) => rateAt(pace, round, stated))
}

/** The same view with another protocol, and other rates than those that are stated of rounds; nothing else of it is read. */
export function stating<V extends View<'protocol' | 'exchanges'>>(
  view: V,
  protocol: Recipe,
  rateOf: (round: number, stated: number | null) => number | null,
): V {
  const exchanges = mapped(view.exchanges, (one) =>
    one.update.kind === 'gradient' ? one : { ...one, learningRate: rateOf(one.round, one.learningRate) },
  )
  return Object.create(view, { protocol: { value: protocol }, exchanges: { value: exchanges } }) as V
}

/** Some keys of a view, for those who may look at no others. */
export function picked<V extends object, K extends keyof V>(view: V, keys: readonly K[]): Pick<V, K> {
  const some: Partial<Pick<V, K>> = {}
  for (const key of keys) if (view[key] !== undefined) some[key] = view[key]
  return some as Pick<V, K>
}

/** The fit of an attack that had no reason to doubt what is stated. */
export const undoubted = ({ protocol }: View<'protocol'>, p: number | null): ProtocolFit => ({
  stated: { ...protocol },
  heard: { ...protocol },
  p,
})
