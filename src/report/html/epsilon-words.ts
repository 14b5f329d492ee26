/** Epsilon as it is claimed, accounted for and shown by canaries: in a few lines, and as a table of its own. */
import { claimsTooLittle, showsMore } from '../../audit/account/promise.js'
import type { AuditDocument, PrivacyFacts } from '../../audit/document.js'
import { figure } from '../../audit/figures.js'
import { escaped } from '../escape.js'
import { type Cell, dataTable, figureCell } from './data-table.js'
import { term } from './glossary.js'

export const epsilonName = `${term('epsilon', 'Epsilon')}: claimed, accounted, empirical`

/** Of 100 guessers who tell all apart, one may fail: no protection that anybody would notice. */
const uselessFrom = 0.99

/** For the first sheet. */
export function epsilonWords({ privacy }: AuditDocument): string[] {
  if (privacy === undefined || privacy === null) {
    return ['None is claimed: there is no differential privacy, so no proof bounds what better attacks learn.']
  }
  const { claimed, accounted, delta, unit, why, means, advantage } = privacy
  const kept =
    accounted === null || claimed === null
      ? ''
      : claimsTooLittle(claimed, accounted)
        ? ' The claim is <b class="leak">broken</b>.'
        : ' The claim is kept.'
  return [
    `Claimed: ${claimed === null ? 'no figure' : escaped(figure(claimed))}, of one ${escaped(unit)}`,
    accounted === null
      ? `Accounted: none, ${escaped(why ?? 'for no reason that was given')}`
      : `Accounted: ${escaped(figure(accounted.lower))} to ${escaped(figure(accounted.upper))} at delta ${escaped(String(delta))}, of client ${escaped(privacy.client ?? '-')}.${kept}`,
    empiricalWords(privacy),
    ...(means === undefined
      ? []
      : [
          `${escaped(means.split(' (')[0]!)}.${(advantage ?? 0) >= uselessFrom ? ' <b class="weak">So the proof promises next to nothing</b>; what the attacks found is all there is to go by.' : ''}`,
        ]),
  ]
}

/** What canaries show at least, beside what is accounted for the same training. */
function empiricalWords({ empirical, notMeasured }: PrivacyFacts): string {
  if (empirical === undefined)
    return `Empirical: not measured, ${escaped(notMeasured ?? 'for no reason that was given')}`
  const { epsilon, confidence, canaries, accounted } = empirical
  const kept = showsMore(epsilon, accounted)
    ? ` That is more than the ${escaped(figure(accounted.upper))} accounted for the same training: the noise <b class="leak">does not do what it says</b>.`
    : ''
  return `Empirical: at least ${escaped(figure(epsilon))}, by ${escaped(String(canaries))} canaries, sure to ${escaped(String(Math.round(100 * confidence)))} %.${kept}`
}

/** Every figure of it, and what it speaks of. */
export function epsilonTable({ privacy }: AuditDocument): string {
  if (privacy === undefined || privacy === null) return ''
  const { claimed, accounted, delta, unit, why, client, clients, mechanism, empirical, notMeasured, means } = privacy
  const of = `delta ${delta ?? '-'}, one ${unit}`
  const rows: Cell[][] = [
    ['claimed', figureCell(claimed === null ? '-' : figure(claimed)), `what the settings of ${mechanism} say; ${of}`],
    [
      'accounted',
      figureCell(accounted === null ? '-' : `${figure(accounted.lower)} to ${figure(accounted.upper)}`),
      accounted === null
        ? (why ?? 'for no reason that was given')
        : `of client ${client ?? '-'}, who spends most of the ${clients[0]} of ${clients[1]} clients that were accounted for; ${of}. ${means ?? ''}`,
    ],
    empirical === undefined
      ? ['empirical', figureCell('-'), `not measured: ${notMeasured ?? 'for no reason that was given'}`]
      : [
          'empirical',
          figureCell(`at least ${figure(empirical.epsilon)}`),
          `by ${empirical.canaries} canaries in one more training, sure to ${Math.round(100 * empirical.confidence)} %; for that training ${figure(empirical.accounted.lower)} to ${figure(empirical.accounted.upper)} is accounted`,
        ],
  ]
  const columns = ['epsilon', 'value', 'of what']
  return `<h2 id="epsilon">Epsilon</h2>${dataTable(rows, { id: 'epsilons', caption: 'What is proven, and what was shown', columns, figures: [1], source: 'audit.json: privacy' })}` // biome-ignore format: a line
}
