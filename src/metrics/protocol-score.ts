/** Grades what is believed of how a client trains: the share of its settings that are right. */
import { OverhearError } from '../errors.js'
import { metric, needed } from './grading.js'
import { scoreOf } from './score.js'

type Settings = Readonly<Record<string, unknown>>

/** How far a number may be off: a fourth of it. */
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 0.25 * Math.max(Math.abs(a), Math.abs(b))
/** The same for shares of 1. */
const nearShare = (a: number, b: number): boolean => Math.abs(a - b) <= 0.1

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** Equal numbers, or equally absent ones. */
const alike =
  (close: (a: number, b: number) => boolean, absent: number | null = null) =>
  (a: unknown, b: unknown): boolean => {
    const [x, y] = [numberOf(a) ?? absent, numberOf(b) ?? absent]
    return x === null || y === null ? x === y : close(x, y)
  }

const named = (value: unknown, key: string): string | null => {
  const name = typeof value === 'object' && value !== null ? (value as Settings)[key] : value
  return typeof name === 'string' ? name : null
}

const sameKind =
  (key: string, usual: string | null) =>
  (a: unknown, b: unknown): boolean =>
    (named(a, key) ?? usual) === (named(b, key) ?? usual)

/** What is graded, and when two values count as the same. Weight decay within a hundredth of nothing is nothing. */
const graded: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  optimizer: sameKind('name', 'sgd'),
  learningRate: alike(near),
  momentum: alike(nearShare, 0),
  weightDecay: alike((a, b) => near(a, b) || Math.max(a, b) < 1e-3, 0),
  clipNorm: alike(near),
  dropout: alike(nearShare, 0),
  batchSize: alike((a, b) => a === b),
  localEpochs: alike((a, b) => a === b),
  dropLast: (a, b) => (a ?? false) === (b ?? false),
  schedule: sameKind('kind', null),
  compression: (a, b) => sameKind('kind', null)(a, b) && alike(near)(level(a), level(b)),
  differentialPrivacy: (a, b) => noisy(a) === noisy(b),
}

/** How much is left of a change: bits, or the share. */
function level(value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return null
  const { bits, share } = value as { bits?: unknown; share?: unknown }
  return numberOf(share) ?? numberOf(bits)
}

/** Whether there is noise: clipping alone cannot be told from what training does by itself. */
function noisy(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { mechanism, noiseMultiplier } = value as { mechanism?: unknown; noiseMultiplier?: unknown }
  return mechanism === 'noise' || (typeof noiseMultiplier === 'number' ? noiseMultiplier > 0 : true)
}

/** Settings of the truth about which a claim is right, by name. */
export function rightSettings(claimed: Settings, truth: Settings): ReadonlyMap<string, boolean> {
  const asked = Object.entries(graded).filter(([key]) => truth[key] !== undefined)
  return new Map(asked.map(([key, same]) => [key, same(claimed[key], truth[key])]))
}

const shareRight = (right: ReadonlyMap<string, boolean>): number =>
  [...right.values()].filter(Boolean).length / right.size

/** Chance is believing what the recording states, or what is usual where it states nothing. */
export const protocol = metric('protocol', 'how a client trains', (claim, { truth, known }) => {
  const [real] = needed(['protocol', truth.protocol])
  const odd = Object.entries(claim.settings).find(([, value]) => typeof value === 'number' && !Number.isFinite(value))
  if (odd !== undefined) throw new OverhearError('E_NON_FINITE', `${odd[0]} is claimed to be ${odd[1]}`)
  const right = rightSettings(claim.settings, real)
  if (right.size === 0) throw new OverhearError('E_INPUT', 'the protocol of the truth holds no setting that is graded')
  const stated = known.protocol === undefined ? undefined : rightSettings(known.protocol, real)
  const wrong = [...right].flatMap(([key, is]) => (is ? [] : [key]))
  const differs = stated === undefined ? [] : [...stated].flatMap(([key, is]) => (is ? [] : [key]))
  return scoreOf({
    metric: 'share of settings',
    value: shareRight(right),
    better: 'higher',
    guesses: stated === undefined ? [] : [{ words: 'what the recording states', value: shareRight(stated) }],
    notes: [
      ...(wrong.length > 0 ? [`wrong: ${wrong.join(', ')}`] : []),
      ...(differs.length > 0 ? [`stated wrongly or not at all: ${differs.join(', ')}`] : []),
    ],
  })
})
