/** What one attack's claim looks like beside the truth: who is told from whom, at what price in false alarms, how sure it was. */
import type { AttackResult, Finding } from '../../audit/attack-result.js'
import { figure } from '../../audit/figures.js'
import { log } from '../../numeric/special/elementary-functions.js'
import { escaped, point } from '../escape.js'

/** A score for each record, and whether it has what is claimed. */
interface Ranked {
  readonly what: string
  readonly scores: readonly number[]
  readonly truth: readonly boolean[]
}

/** Of claims with two answers; null where there are more, or nothing to rank by. */
export function rankedOf({ claim, score }: Finding): Ranked | null {
  const right = score?.perRecord
  if (right === undefined) return null
  if (claim.kind === 'members') {
    if (claim.scores === undefined || claim.scores.length !== right.length) return null
    const rows = new Set(claim.rows)
    const truth = claim.scores.map((_, i) => rows.has(i) === (right[i] === 1))
    return { what: 'was in the training', scores: claim.scores, truth }
  }
  if (claim.kind !== 'attribute' || claim.confidence === undefined || score?.confusion?.values.length !== 2) return null
  const { values, confidence } = claim
  const scores = values.map((value, i) => (value === 1 ? confidence[i]! : 1 - confidence[i]!))
  const truth = values.map((value, i) => (value === 1) === (right[i] === 1))
  return { what: `${claim.name} is ${score.confusion.values[1]}`, scores, truth }
}

/** False alarms and true ones as the threshold falls; ties move together. */
export function rocOf({ scores, truth }: Pick<Ranked, 'scores' | 'truth'>): [fpr: number, tpr: number][] {
  const order = scores.map((score, i) => ({ score, is: truth[i]! })).sort((a, b) => b.score - a.score)
  const positives = truth.filter(Boolean).length
  const negatives = truth.length - positives
  if (positives === 0 || negatives === 0) return []
  const curve: [number, number][] = [[0, 0]]
  let [hits, alarms] = [0, 0]
  for (const [i, { score, is }] of order.entries()) {
    if (is) hits++
    else alarms++
    if (order[i + 1]?.score !== score) curve.push([alarms / negatives, hits / positives])
  }
  return curve
}

const side = 190
const edge = 44

interface Axis {
  readonly name: string
  readonly ticks: readonly (readonly [at: number, words: string])[]
  /** From a value to 0..1. */
  place(value: number): number
}

const share: Axis = { name: '', ticks: [[0, '0'], [0.5, '0.5'], [1, '1']], place: (x) => x } // biome-ignore format: short

/** Axes with names and ticks around what is drawn by `draw`, which is given the two scales. */
function plot(
  title: string,
  { x, y }: { readonly x: Axis; readonly y: Axis },
  draw: (to: { x(v: number): string; y(v: number): string }) => string,
): string {
  const to = {
    x: (v: number): string => point(edge + side * x.place(v)),
    y: (v: number): string => point(8 + side * (1 - y.place(v))),
  }
  const [right, floor] = [edge + side, 8 + side]
  const ticks = [
    ...x.ticks.map(
      ([at, words]) =>
        `<text class="dim" x="${to.x(at)}" y="${floor + 14}" font-size="11" text-anchor="middle">${escaped(words)}</text>`,
    ),
    ...y.ticks.map(
      ([at, words]) =>
        `<text class="dim" x="${edge - 5}" y="${to.y(at)}" dy="4" font-size="11" text-anchor="end">${escaped(words)}</text>`,
    ),
  ]
  const names = `<text class="dim" x="${edge + side / 2}" y="${floor + 30}" font-size="12" text-anchor="middle">${escaped(x.name)}</text><text class="dim" transform="translate(11 ${8 + side / 2}) rotate(-90)" font-size="12" text-anchor="middle">${escaped(y.name)}</text>`
  return `<svg width="${right + 14}" height="${floor + 36}" viewBox="0 0 ${right + 14} ${floor + 36}" role="img" aria-label="${escaped(title)}"><path d="M${edge} 8V${floor}H${right}" fill="none" stroke="var(--dim)"/>${ticks.join('')}${names}${draw(to)}</svg>`
}

const line = (points: readonly string[], more = ''): string =>
  `<polyline points="${points.join(' ')}" fill="none" stroke="var(--leak)" stroke-width="2"${more}/>`

/** A share on a scale of powers of ten, from the finest that so many records can tell. */
function logShare(finest: number): Axis {
  const ticks = ['0.00001', '0.0001', '0.001', '0.01', '0.1', '1']
    .map((words): [number, string] => [Number(words), words])
    .filter(([at]) => at >= finest)
  return { name: 'false alarms (log)', ticks, place: (v) => 1 - log(Math.max(v, finest)) / log(finest) }
}

function rocFigures(ranked: Ranked, name: string): string {
  const curve = rocOf(ranked)
  if (curve.length === 0) return ''
  const negatives = ranked.truth.filter((is) => !is).length
  const steps = (to: { x(v: number): string; y(v: number): string }): string[] =>
    curve.flatMap(([fpr, tpr], i) => [
      ...(i === 0 ? [] : [`${to.x(fpr)},${to.y(curve[i - 1]![1])}`]),
      `${to.x(fpr)},${to.y(tpr)}`,
    ])
  const y = { ...share, name: 'found' }
  const coin = (to: { x(v: number): string; y(v: number): string }, from: number): string => {
    const at = Array.from({ length: 21 }, (_, i) => from + ((1 - from) * i * i) / 400)
    return line(at.map((v) => `${to.x(v)},${to.y(v)}`), ' stroke-dasharray="4 4" style="stroke:var(--dim)"') // biome-ignore format: short
  }
  const wide = plot(`found against false alarms, ${name}`, { x: { ...share, name: 'false alarms' }, y }, (to) => coin(to, 0) + line(steps(to))) // biome-ignore format: short
  const finest = Math.min(0.1, 1 / negatives)
  const corner = plot(`the corner of few false alarms, ${name}`, { x: logShare(finest), y }, (to) => coin(to, finest) + line(steps(to))) // biome-ignore format: short
  const words = `${ranked.truth.length} records of the first training, ${ranked.truth.length - negatives} of which it is true: ${ranked.what}.`
  return `<figure>${wide}<figcaption>${escaped(words)} Dashed: a coin.</figcaption></figure><figure>${corner}<figcaption>The same where few are accused wrongly: with ${negatives} others no rate below ${figure(finest)} can be told.</figcaption></figure>`
}

/** How sure the attack was of those that it is right about, and of the others. */
function sureFigure({ claim, score }: Finding, name: string): string {
  const right = score?.perRecord
  if (claim.kind !== 'attribute' || claim.confidence === undefined || right === undefined) return ''
  const { confidence } = claim
  if (score?.confusion === undefined) return ''
  const bins = 10
  const counts = [new Array<number>(bins).fill(0), new Array<number>(bins).fill(0)]
  for (const [i, p] of confidence.entries())
    counts[right[i] === 1 ? 0 : 1]![Math.min(bins - 1, Math.floor(p * bins))]!++
  const most = Math.max(1, ...counts.flat())
  const y: Axis = { name: 'records', ticks: [[0, '0'], [most, String(most)]], place: (v) => v / most } // biome-ignore format: short
  const bar = (to: { x(v: number): string; y(v: number): string }, k: number): string => {
    const one = (which: 0 | 1, shift: number): string => {
      const count = counts[which]![k]!
      if (count === 0) return ''
      const [x, top] = [to.x(k / bins + shift), to.y(count)]
      const paint = which === 0 ? 'fill="var(--leak)"' : 'fill="none" stroke="var(--ink)" stroke-width="1.5"'
      return `<rect x="${x}" y="${top}" width="7" height="${point(Number(to.y(0)) - Number(top))}" ${paint}><title>${count} ${which === 0 ? 'right' : 'wrong'}</title></rect>`
    }
    return one(0, 0.008) + one(1, 0.052)
  }
  const svg = plot(`how sure it was, ${name}`, { x: { ...share, name: 'how sure' }, y }, (to) =>
    Array.from({ length: bins }, (_, k) => bar(to, k)).join(''),
  )
  return `<figure>${svg}<figcaption>How sure the attack was of each record: filled where it is right, hollow where it is wrong.</figcaption></figure>`
}

function confusionTable({ score }: Finding): string {
  const { confusion } = score ?? {}
  if (confusion === undefined) return ''
  const head = confusion.values.map((value) => `<th scope="col" class="n">claimed ${escaped(value)}</th>`)
  const rows = confusion.counts.map(
    (counts, k) =>
      `<tr><th scope="row">truly ${escaped(confusion.values[k] ?? '-')}</th>${counts.map((n) => `<td class="n">${escaped(String(n))}</td>`).join('')}</tr>`,
  )
  return `<figure><table class="small"><caption>Claimed and true</caption><tr><td></td>${head.join('')}</tr>${rows.join('')}</table></figure>`
}

/** Figures that an attack gave beside its claim as a list: overlaps of features, the L-curve of its solver. */
export function detailFigures({ details }: AttackResult, name: string): string {
  const { overlap, lCurve } = details
  const numbers = (list: unknown): number[] =>
    Array.isArray(list) && list.every((one) => typeof one === 'number') ? (list as number[]) : []
  const [overlaps, curve] = [numbers(overlap), Array.isArray(lCurve) ? lCurve.map(numbers) : []]
  const last = overlaps.length - 1
  const over =
    last < 1
      ? ''
      : `<figure>${plot(`overlap of features, ${name}`, { x: { name: 'round heard', ticks: [[0, '1'], [last, String(last + 1)]], place: (v) => v / last }, y: { ...share, name: 'overlap' } }, (to) => line(overlaps.map((v, i) => `${to.x(i)},${to.y(Math.min(1, v))}`)))}<figcaption>What the features of clients with and without the property have in common, by round: at 0 they are told apart.</figcaption></figure>` // biome-ignore format: short
  return over + lFigure(curve.filter((one) => one.length === 2 && one.every((v) => v > 0)) as [number, number][], name)
}

/** How much the solution misfits against how large it is; the bend is where regularisation is neither too weak nor too strong. */
function lFigure(curve: readonly (readonly [misfit: number, size: number])[], name: string): string {
  if (curve.length < 2) return ''
  const axis = (k: 0 | 1, words: string): Axis => {
    const all = curve.map((one) => one[k])
    const [low, high] = [Math.min(...all), Math.max(...all)]
    const ends = [low, high].map((v): [number, string] => [v, v.toPrecision(2)])
    return { name: words, ticks: ends, place: (v) => (high > low ? log(v / low) / log(high / low) : 0.5) }
  }
  const svg = plot(`the L-curve, ${name}`, { x: axis(0, 'misfit (log)'), y: axis(1, 'size (log)') }, (to) =>
    line(curve.map(([a, b]) => `${to.x(a)},${to.y(b)}`)),
  )
  return `<figure>${svg}<figcaption>The L-curve of the solver: misfit to the messages against the size of the solution, as regularisation grows.</figcaption></figure>`
}

/** All that one finding has to show; '' of nothing. */
export function evidenceFigures(result: AttackResult, finding: Finding): string {
  const name = `${result.attack}${result.model === null ? '' : `, ${result.model}`}`
  const ranked = rankedOf(finding)
  const parts = `${ranked === null ? '' : rocFigures(ranked, name)}${sureFigure(finding, name)}${confusionTable(finding)}`
  return parts === '' ? '' : `<div class="figures">${parts}</div>`
}
