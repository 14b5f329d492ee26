/** Grad-w-O: gradient matching whose rounds and learning rate are picked by the accuracy, which no attacker knows. */

import { claimed, Inapplicable } from '../../attacks/attack.js'
import { gradientParams, matchGrid } from '../../attacks/attributes/aia-gradient.js'
import type { Sensitive } from '../../attacks/attributes/unknown-columns.js'
import type { AttributeClaim } from '../../attacks/claim.js'
import { OverhearError } from '../../errors.js'
import { columnsOfAttribute, levelsOf } from '../../metrics/attribute-levels.js'
import type { Table } from '../../transcript/encoded-table.js'
import { defineOracle } from './oracle.js'

export const aiaGradientOracle = defineOracle({
  id: 'aia-gradient-oracle',
  effort: 40,
  title: 'Attributes by matching gradients, rounds and learning rate picked by the accuracy',
  paper: 'aia',
  where: 'Section 5.3, Grad-w-O',
  target: 'attribute',
  needs: ['exchanges', 'target', 'records', 'records.label', 'sensitive', 'model', 'loss', 'protocol'],
  uses: ['channel'],
  params: gradientParams,
  async run(view, { truth, ...context }) {
    const { target: client, sensitive } = view
    const table = await truth.client(client)
    if (table === undefined) throw new Inapplicable([`clients.${client}`], 'the truth lacks the records')
    const judges = sensitive.map((one) => judgeOf(table, one, client))
    const { candidates } = await matchGrid(view, context)
    // One attribute at a time: the accuracy of each is what this oracle is told.
    const picks = judges.map((judge, a) => bestBy(candidates, ({ guesses }) => judge(guesses[a]!)))
    const claims = picks.map(
      ({ one }, a): AttributeClaim => ({
        kind: 'attribute',
        client,
        name: sensitive[a]!.name,
        values: one.guesses[a]!,
      }),
    )
    const told = picks.map(({ one: { set, rate, cosine }, merit }) => ({ set, rate, cosine, merit }))
    return claimed(claims, { details: { variant: context.params.variant, picked: told, tried: candidates.length } })
  },
})

/** How right guesses are, the higher the better: the share of right ones, or for numbers the negative mean square error. */
type Judge = (guesses: Float64Array) => number

function judgeOf(table: Table, sensitive: Sensitive, client: string): Judge {
  const columns = columnsOfAttribute(table, sensitive)
  if (columns === undefined) {
    throw new Inapplicable([`clients.${client}.${sensitive.name}`], 'the truth lacks the attribute')
  }
  const { rows: n, cols, data } = table.features
  const levels = sensitive.kind === 'continuous' ? undefined : levelsOf(table, columns, sensitive.values)
  return (guesses) => {
    if (guesses.length !== n) {
      const found = `the truth holds ${n} records of client "${client}"; ${guesses.length} are known to the attack`
      throw new OverhearError('E_SHAPE', found, 'both must be the same records')
    }
    if (levels !== undefined) return guesses.reduce((right, v, i) => right + Number(v === levels[i]), 0) / n
    return -guesses.reduce((sum, v, i) => sum + squared(v - data[i * cols + columns[0]!]!), 0) / n
  }
}

const squared = (x: number): number => x * x

/** The highest merit; ties to the first. */
function bestBy<T>(all: readonly T[], meritOf: (one: T) => number): { readonly one: T; readonly merit: number } {
  return all
    .map((one) => ({ one, merit: meritOf(one) }))
    .reduce((best, next) => (next.merit > best.merit || Number.isNaN(best.merit) ? next : best))
}
