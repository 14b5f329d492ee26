/** Advice as a terminal shows it: what to change first, then everything that was tried. */
import type { Advice } from '../audit/advise/advise.js'
import type { Tried } from '../audit/advise/tried.js'
import { figure } from '../audit/figures.js'
import { harmless } from '../errors.js'
import { textTable, wrapped } from './text-table.js'

/** The document as lines for a terminal. */
export function adviceText(advice: Advice): string {
  const { tried, front, refused, complete } = advice
  const lines = [
    ...wrapped(adviceHeadline(advice), '  '),
    '',
    ...table(tried, new Set(front)),
    '',
    'worst: the largest step of a ladder that is left, in AUC or as the share of an error that is gone; * no other one leaks less',
    'and loses less; use lost: of R2 or accuracy on held-out rows, in one training; sure: that every step is under the target',
    ...refused.flatMap(({ id, why }) => wrapped(`cannot be done here: ${id}: ${why}`, '  ')),
    ...(complete ? [] : ['not everything was tried: the time was over, or somebody stopped it; the same call goes on']),
  ]
  return harmless(lines.join('\n'), '\n')
}

/** What to do, what is left then, and what it costs. */
export function adviceHeadline({
  tried,
  asItIs,
  recommended,
  nearest,
  target,
  confirmation,
  unconfirmed,
}: Advice): string {
  const now = `as it is: ${leftBy(asItIs)}`
  const one = tried.find(({ id }) => id === (recommended ?? nearest))
  if (one === undefined) return `${now}; nothing else was tried`
  const what = one.changes.map(({ words }) => words).join(', and ')
  const after = `${leftBy(one)}, in ${one.repeats} trainings`
  const price = `${useText(one)}; ${costText(one, asItIs)}${epsilonText(one)}`
  const then = `${now}; then ${after}; ${confirmedText(confirmation)}; ${price}`
  if (recommended === 'as-it-is') return `nothing needs to change. ${now}; ${confirmedText(confirmation)}; ${price}`
  if (recommended !== null) return `do this: ${what}. ${then}`
  return `nothing that was tried surely brings every step under ${target}${lostText(unconfirmed)}. Nearest: ${what}. ${then}`
}

/** What other deals say, which had no part in the choice. */
const confirmedText = (confirmation: Tried | null): string =>
  confirmation === null
    ? 'not confirmed on other deals, for which there was no time'
    : `on other deals, ${leftBy(confirmation)} in ${confirmation.repeats} trainings${confirmation.sure === null ? '' : `, sure to ${percent(confirmation.sure)}`}`

const lostText = (ids: readonly string[]): string =>
  ids.length === 0 ? '' : ` (on other deals it is not sure of ${ids.join(', ')})`

function leftBy({ worst, open }: Tried): string {
  const untested = open.length === 0 ? '' : `, ${open.length} not tested (${open[0]})`
  if (worst === null) return `nothing was tested${untested}`
  if (worst.closed) return `nobody has what it takes to ask any of it${untested}`
  return `the worst step is ${signed(worst.size)} (${worst.about}, ${worst.step})${untested}`
}

const signed = (x: number): string => `${x < 0 ? '' : '+'}${figure(x)}`
const percent = (x: number): string => `${Math.floor(100 * x)} %`

function useText({ use, useLost }: Tried): string {
  const values = use.flatMap(({ model, metric, value }) =>
    metric === null ? [] : [`${model} ${metric} ${figure(value)}`],
  )
  return `${values.join(', ')}${useLost === null ? '' : ` (${figure(-useLost)} against now)`}`
}

function costText({ cost }: Tried, before: Tried): string {
  const beside = (what: string, now: number | null, then: number | null): string =>
    now === null
      ? `${what} not known`
      : `${figure(now)} ${what}${then === null || then === now ? '' : `, not ${figure(then)}`}`
  return [
    beside('messages a client', cost.messages, before.cost.messages),
    beside('local steps', cost.localSteps, before.cost.localSteps),
  ].join(', ')
}

const epsilonText = ({ epsilon }: Tried): string =>
  epsilon === null
    ? ''
    : `; epsilon at most ${figure(epsilon.epsilon.upper)} at delta ${figure(epsilon.delta)}: ${epsilon.means}`

function table(tried: readonly Tried[], front: ReadonlySet<string>): string[] {
  const rows = tried.map((one) => {
    const { id, worst, open, useLost, cost, epsilon, sure, repeats } = one
    const left = worst === null ? '-' : worst.closed ? 'closed' : signed(worst.size)
    return [
      `${front.has(id) ? '*' : ' '} ${id}`,
      `${left}${open.length === 0 ? '' : '?'}`,
      worst === null || worst.closed ? '' : `${worst.about}, ${worst.step}`,
      figure(useLost),
      figure(cost.messages),
      epsilon === null ? '' : figure(epsilon.epsilon.upper),
      sure === null ? '-' : percent(sure),
      repeats,
    ]
  })
  return textTable(['change', 'worst', 'of', 'use lost', 'messages', 'epsilon', 'sure', 'trainings'], rows).split('\n')
}
