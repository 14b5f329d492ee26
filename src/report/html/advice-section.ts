/** What could be changed: what-ifs that were run, with what each leaves and costs, or what is advised untried. */
import type { Advice } from '../../audit/advise/advise.js'
import type { Tried } from '../../audit/advise/tried.js'
import { figure } from '../../audit/figures.js'
import type { Verdict } from '../../audit/verdict.js'
import { adviceHeadline } from '../advice-text.js'
import { escaped } from '../escape.js'
import { type Axis, line, plot } from './axes-plot.js'
import { type Cell, dataTable, figureCell } from './data-table.js'

/** Of a table of steps: in AUC, or the share of an error that is gone. */
export function adviceSection({ advice: untried }: Verdict, measured: Advice | undefined): string {
  const head = '<h2 id="advice">What could be changed</h2>'
  if (measured !== undefined) return `${head}${measuredAdvice(measured)}`
  if (untried.length === 0) return ''
  const items = untried.map((line) => `<li>${escaped(line)}</li>`).join('')
  return `${head}<p class="dim">Untried: <code>overhear advise RUN</code> tries changes, measures what they leave and cost, and puts it here.</p><ul>${items}</ul>`
}

function measuredAdvice(advice: Advice): string {
  const { tried, front, refused, complete, recommended } = advice
  const kept = new Set(front)
  const rows = tried.map((one): Cell[] => {
    const { id, changes, worst, open, useLost, cost, epsilon, sure, repeats } = one
    const words = changes.map((change) => change.words).join(', and ')
    const left = worst === null ? '-' : worst.closed ? 'closed' : figure(worst.size)
    return [
      { t: id, ...(words !== '' && { d: words }) },
      figureCell(left, worst === null || worst.closed ? {} : { d: `${worst.about}, ${worst.step}` }),
      figureCell(figure(useLost)),
      figureCell(figure(cost.messages)),
      figureCell(figure(cost.localSteps)),
      figureCell(epsilon === null ? '-' : figure(epsilon.epsilon.upper)),
      figureCell(sure === null ? '-' : `${Math.floor(100 * sure)} %`),
      figureCell(String(repeats)),
      [...(id === recommended ? ['advised'] : []), ...(kept.has(id) ? ['front'] : []), ...(open.length > 0 ? [`${open.length} not tested`] : [])].join(', '), // biome-ignore format: a line
    ]
  })
  const columns = ['change', 'worst step left', 'use lost', 'messages a client', 'local steps', 'epsilon', 'sure', 'trainings', ''] // biome-ignore format: a line
  const table = dataTable(rows, { id: 'tried', caption: 'Everything that was tried', columns, figures: [1, 2, 3, 4, 5, 6, 7], source: 'advice.json: tried' }) // biome-ignore format: a line
  const not = refused.map(({ id, why }) => `<li>${escaped(`${id}: ${why}`)}</li>`).join('')
  return `<p>${escaped(adviceHeadline(advice))}.</p>${frontFigure(advice)}${table}${not === '' ? '' : `<details><summary>${refused.length} could not be done here</summary><ul>${not}</ul></details>`}${complete ? '' : '<p class="dim">Not everything was tried: the time was over, or somebody stopped it.</p>'}`
}

interface Spot {
  readonly one: Tried
  readonly lost: number
  readonly left: number
}

/** What is left of the worst step against the use that it costs: the front joined, what is advised filled, the target as a line. */
function frontFigure({ tried, front, recommended, target }: Advice): string {
  const spots = tried.flatMap((one): Spot[] =>
    one.worst === null || one.useLost === null || one.open.length > 0
      ? []
      : [{ one, lost: one.useLost, left: Math.max(0, one.worst.size) }],
  )
  if (spots.length < 2) return ''
  const lost = spots.map((one) => one.lost)
  const [low, high] = [Math.min(0, ...lost), Math.max(0.01, ...lost)]
  const most = Math.max(target, ...spots.map(({ left }) => left)) * 1.05
  const x: Axis = { name: 'use lost (R2 or accuracy)', ticks: [[low, figure(low)], [high, figure(high)]], place: (v) => (v - low) / (high - low) } // biome-ignore format: a line
  const y: Axis = { name: 'worst step left', ticks: [[0, '0'], [target, figure(target)], [most, figure(most)]], place: (v) => v / most } // biome-ignore format: a line
  const joined = spots.filter(({ one }) => front.includes(one.id)).sort((a, b) => a.lost - b.lost)
  const svg = plot('the Pareto front of what was tried', { x, y }, (to) => {
    const goal = `<line x1="${to.x(low)}" x2="${to.x(high)}" y1="${to.y(target)}" y2="${to.y(target)}" stroke="var(--dim)" stroke-dasharray="4 4"/>`
    const dots = spots.map(({ one, lost: a, left: b }) => {
      const on = front.includes(one.id)
      const paint = one.id === recommended ? 'fill="var(--none)" stroke="var(--ink)"' : on ? 'fill="var(--ink)"' : 'fill="none" stroke="var(--dim)"' // biome-ignore format: a line
      return `<circle cx="${to.x(a)}" cy="${to.y(b)}" r="${one.id === recommended ? 6 : 4}" ${paint}><title>${escaped(`${one.id}: worst step ${figure(b)}, use lost ${figure(a)}`)}</title></circle>`
    })
    // Names on the left of the middle stand to the right of their dots, and the others to the left.
    const names = joined.map(({ one, lost: a, left: b }) => {
      const late = x.place(a) > 0.5
      const shift = late ? -8 : 8
      return `<text class="dim" x="${to.x(a)}" y="${to.y(b)}" dx="${shift}" dy="${late ? -12 : -6}" font-size="10" text-anchor="${late ? 'end' : 'start'}">${escaped(one.id)}</text>`
    })
    return `${goal}${joined.length < 2 ? '' : line(joined.map((one) => `${to.x(one.lost)},${to.y(one.left)}`), ' style="stroke:var(--ink);stroke-width:1.5"')}${dots.join('')}${names.join('')}`
  }, { wide: 460 }) // biome-ignore format: a call
  return `<figure>${svg}<figcaption>Each dot is a change that was trained and audited. Filled and joined: the Pareto front, of which nothing else both leaks less and loses less; green and large: what is advised; dashed: the target of ${figure(target)}.</figcaption></figure>`
}

/** The same on the first sheet, in a few lines. */
export function adviceLines({ advice: untried }: Verdict, measured: Advice | undefined): string[] | null {
  if (measured !== undefined) {
    const { recommended, nearest, tried, asItIs, target } = measured
    const one = tried.find(({ id }) => id === (recommended ?? nearest))
    if (one === undefined) return [escaped('Nothing else was tried.')]
    const left = (from: Tried): string => (from.worst === null ? 'not tested' : from.worst.closed ? 'closed' : figure(from.worst.size)) // biome-ignore format: a line
    const words = one.changes.map((change) => change.words).join(', and ')
    return [
      escaped(recommended === null ? `Nothing tried brings every step under ${figure(target)}; nearest: ${words}` : words || 'Nothing needs to change'),
      escaped(`Worst step: ${left(asItIs)} now, ${left(one)} then`),
      escaped(`Use lost: ${figure(one.useLost)}${one.epsilon === null ? '' : `; epsilon at most ${figure(one.epsilon.epsilon.upper)}`}`),
      `<a href="#advice">measured: ${tried.length} variants</a>`,
    ] // biome-ignore format: lines
  }
  return untried.length === 0 ? null : untried.map((line) => escaped(line.split(/[:(]/)[0]!.trim()))
}
