/** What a page draws of a trial: steps of the ladder, scores of attacks, what the training is worth, each by a name. */
import type { TrialLine } from './trial-line.js'
import type { Row } from './trial-result.js'

/** A trial as a point of pictures. */
export interface Drawn {
  readonly at: TrialLine['at']
  readonly seed: number
  readonly figures: Readonly<Record<string, number>>
}

/** The figures of a finished trial; one that failed has none. */
export function drawnOf({ at, seed, result }: TrialLine): Drawn {
  const figures = new Map<string, number[]>()
  const note = (name: string, value: Row[string] | undefined): void => {
    if (typeof value !== 'number') return
    const known = figures.get(name)
    if (known === undefined) figures.set(name, [value])
    else known.push(value)
  }
  const of = ({ kind, name, model }: Row): string => `${kind}${name === null ? '' : ` ${name}`}${ofModel(model)}`
  for (const row of result?.questions ?? []) {
    note(`${of(row)}: what records add`, row.recordStep)
    note(`${of(row)}: what the client adds`, row.clientStep)
  }
  for (const row of result?.scores ?? []) note(`${row.attack}, ${of(row)}: ${row.metric}`, row.value)
  for (const { model, metric, value } of result?.utility ?? []) note(`use${ofModel(model)}: ${metric}`, value)
  const worst = (name: string): boolean => name.endsWith(' add') || name.endsWith(' adds')
  const settled = [...figures].map(([name, values]) => {
    const value = worst(name) ? Math.max(...values) : values.reduce((a, b) => a + b, 0) / values.length
    return [name, value] as const
  })
  return { at, seed, figures: Object.fromEntries(settled) }
}

const ofModel = (model: Row[string] | undefined): string => (typeof model === 'string' ? `, ${model}` : '')
