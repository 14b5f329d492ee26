/** What one attack's claim looks like beside the truth: who is told from whom, at what price in false alarms, how sure it was. */
import type { AttackResult, Finding } from '../../audit/attack-result.js'
import { figure } from '../../audit/figures.js'
import { log } from '../../numeric/special/elementary-functions.js'
import { escaped, point } from '../escape.js'
import { type Axis, line, plot, type Scales, share } from './axes-plot.js'

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

/** A share on a scale of powers of ten, from the finest that so many records can tell. */
function logShare(finest: number): Axis {
  const powers = ['0.00001', '0.0001', '0.001', '0.01', '0.1', '1']
    .map((words): [number, string] => [Number(words), words])
    // Beside the finest there is no room for a power that is near it.
    .filter(([at]) => at > 3 * finest)
  const ticks: [number, string][] = [[finest, String(Number(finest.toPrecision(2)))], ...powers]
  return { name: 'false alarms (log)', ticks, place: (v) => 1 - log(Math.max(v, finest)) / log(finest) }
}

function rocFigures(ranked: Ranked, name: string): string {
  const curve = rocOf(ranked)
  if (curve.length === 0) return ''
  const negatives = ranked.truth.filter((is) => !is).length
  const steps = (to: Scales): string[] =>
    curve.flatMap(([fpr, tpr], i) => [
      ...(i === 0 ? [] : [`${to.x(fpr)},${to.y(curve[i - 1]![1])}`]),
      `${to.x(fpr)},${to.y(tpr)}`,
    ])
  const y = { ...share, name: 'found' }
  const coin = (to: Scales, from: number): string => {
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
  const bar = (to: Scales, k: number): string => {
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

function confusionTable({ score }: Finding, name: string): string {
  const { confusion } = score ?? {}
  if (confusion === undefined) return ''
  const head = confusion.values.map((value) => `<th scope="col" class="n">claimed ${escaped(value)}</th>`)
  const rows = confusion.counts.map(
    (counts, k) =>
      `<tr><th scope="row">truly ${escaped(confusion.values[k] ?? '-')}</th>${counts.map((n) => `<td class="n">${escaped(String(n))}</td>`).join('')}</tr>`,
  )
  return `<figure><table class="small"><caption>${escaped(`Claimed and true, ${name}`)}</caption><tr><td></td>${head.join('')}</tr>${rows.join('')}</table></figure>`
}

/** All that one finding has to show; '' of nothing. */
export function evidenceFigures(result: AttackResult, finding: Finding): string {
  const name = `${result.attack}${result.model === null ? '' : `, ${result.model}`}`
  const ranked = rankedOf(finding)
  const parts = `${ranked === null ? '' : rocFigures(ranked, name)}${sureFigure(finding, name)}${confusionTable(finding, name)}`
  return parts === '' ? '' : `<div class="figures">${parts}</div>`
}
