/** What attacks show of their work: how features of clients lie in rounds, what they have in common, and the L-curve of a solver. */
import type { AttackResult } from '../../audit/attack-result.js'
import { figure } from '../../audit/figures.js'
import { exp, log } from '../../numeric/special/elementary-functions.js'
import { escaped } from '../escape.js'
import { type Axis, line, plot, share } from './axes-plot.js'

type Workings = NonNullable<AttackResult['workings']>
type LCurve = NonNullable<Workings['lCurve']>
type FeatureEvidence = NonNullable<Workings['features']>
type FeatureRound = FeatureEvidence['rounds'][number]

/** All that an attack shows; '' of nothing. */
export function workingsFigures({ workings }: Pick<AttackResult, 'workings'>, name: string): string {
  const { features, lCurve } = workings ?? {}
  return `${features === undefined ? '' : featureFigures(features, name)}${lCurve === undefined ? '' : lFigure(lCurve, name)}`
}

function featureFigures({ property, rounds }: FeatureEvidence, name: string): string {
  if (rounds.length === 0) return ''
  const sorted = [...rounds].sort((a, b) => a.overlap - b.overlap)
  const chosen = [
    ['told apart best', sorted[0]!],
    ['in the middle', sorted[Math.floor(sorted.length / 2)]!],
    ['told apart worst', sorted.at(-1)!],
  ] as const
  const seen = new Set<FeatureRound>()
  const spreads = chosen.flatMap(([words, one]) => {
    if (seen.has(one)) return []
    seen.add(one)
    return [spreadFigure(one, { words, property, name })]
  })
  return `${overlapFigure(rounds, name)}${spreads.join('')}`
}

function overlapFigure(rounds: readonly FeatureRound[], name: string): string {
  if (rounds.length < 2) return ''
  const [first, last] = [rounds[0]!.round, rounds.at(-1)!.round]
  const at = (round: number): [number, string] => [round, String(round)]
  const x: Axis = { name: 'round', ticks: [at(first), at(last)], place: (v) => (v - first) / (last - first || 1) }
  const svg = plot(`overlap of features, ${name}`, { x, y: { ...share, name: 'overlap' } }, (to) =>
    line(rounds.map(({ round, overlap }) => `${to.x(round)},${to.y(Math.min(1, overlap))}`)),
  )
  return `<figure>${svg}<figcaption>What the features of clients with and without the property have in common, by round: at 0 they are told apart, at 1 they are alike.</figcaption></figure>`
}

interface Told {
  readonly words: string
  readonly property: string
  readonly name: string
}

/** The two distributions of one round, each to its own height, and what was heard between them. */
function spreadFigure(
  { round, having, lacking, overlap, heard }: FeatureRound,
  { words, property, name }: Told,
): string {
  const far = [having, lacking].flatMap(({ mean, deviation }) => [mean - 3 * deviation, mean + 3 * deviation])
  const [low, high] = [Math.min(...far, heard), Math.max(...far, heard)]
  const wide = high - low || 1
  const ends = [low, high].map((v): [number, string] => [v, figure(v)])
  const x: Axis = { name: 'feature', ticks: ends, place: (v) => (v - low) / wide }
  const y: Axis = { name: 'density', ticks: [], place: (v) => v }
  const bell = ({ mean, deviation }: FeatureRound['having'], from: number): number => {
    const z = (from - mean) / (deviation || 1)
    return exp(-0.5 * z * z)
  }
  const svg = plot(`features in round ${round}, ${name}`, { x, y }, (to) => {
    // From three deviations below its mean to three above, however narrow it is.
    const curve = (one: FeatureRound['having']): string[] =>
      Array.from({ length: 25 }, (_, k) => one.mean + one.deviation * (k / 4 - 3)).map(
        (v) => `${to.x(v)},${to.y(0.95 * bell(one, v))}`,
      )
    return `${line(curve(lacking), ' stroke-dasharray="4 3" style="stroke:var(--ink)"')}${line(curve(having))}<line x1="${to.x(heard)}" x2="${to.x(heard)}" y1="${to.y(0)}" y2="${to.y(1)}" stroke="var(--dim)" stroke-width="1.5"/>`
  })
  return `<figure>${svg}<figcaption>Round ${escaped(String(round))}, ${words}: features of clients with ${escaped(property)} (red), without it (dashed), each to its own height; the upright line is the mean that was heard. Overlap ${figure(overlap)}.</figcaption></figure>`
}

/** How far the solution is from the messages against how large it is; the bend is where regularisation is neither too weak nor too strong. */
function lFigure({ points, chosen, rule }: LCurve, name: string): string {
  const drawn = points.filter(({ misfit, size }) => misfit > 0 && size > 0)
  if (drawn.length < 2) return ''
  const axis = (key: 'misfit' | 'size', words: string): Axis => {
    const all = drawn.map((one) => one[key])
    const [low, high] = [Math.min(...all), Math.max(...all)]
    const ends = [low, high].map((v): [number, string] => [v, v.toPrecision(2)])
    return { name: words, ticks: ends, place: (v) => (high > low ? log(v / low) / log(high / low) : 0.5) }
  }
  const axes = { x: axis('misfit', 'misfit (log)'), y: axis('size', 'size (log)') }
  const svg = plot(`the L-curve, ${name}`, axes, (to) => {
    const dot =
      chosen === null || !(chosen.misfit > 0 && chosen.size > 0)
        ? ''
        : `<circle cx="${to.x(chosen.misfit)}" cy="${to.y(chosen.size)}" r="5" fill="var(--ink)"><title>chosen: ${escaped(rule)}</title></circle>`
    return line(drawn.map(({ misfit, size }) => `${to.x(misfit)},${to.y(size)}`)) + dot
  })
  const how =
    chosen === null
      ? `The solver, ${rule}, chooses by other means.`
      : `The dot is what the rule ${rule} chose: beta ${figure(chosen.beta)}.`
  return `<figure>${svg}<figcaption>The L-curve: misfit to the messages against the size of the solution, as regularisation grows. ${escaped(how)}</figcaption></figure>`
}
