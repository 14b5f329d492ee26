/** Studies as people read them: ours beside the paper's as a table in Markdown, and each claim with whether it holds. */
import type { CheckedClaim, StudyRow, StudySummary } from '../studies/summary.js'

/** How a study was run, as it is kept beside its rows. */
export interface StudyRun {
  readonly quick: boolean
  readonly seeds: readonly number[]
  readonly cells: number
  readonly planned: number
  /** Of one processor, for all cells together. */
  readonly seconds: number
  readonly version: string
  /** The day on which it ended. */
  readonly date: string
  /** Why it did not run, or what failed. */
  readonly trouble: readonly string[]
}

export interface ToldStudy extends StudySummary {
  readonly run: StudyRun
}

/** Two places, fewer of what is large; of what two places would hide, its size. */
function digits(value: number): string {
  const size = Math.abs(value)
  if (size > 0 && size < 0.005) return value.toExponential(1)
  return size >= 20 ? value.toFixed(1) : value.toFixed(2)
}
const withSpread = (mean: number, std: number | null, n = 2): string =>
  std === null || n < 2 ? digits(mean) : `${digits(mean)} ± ${digits(std)}`

export const oursText = ({ ours }: Pick<StudyRow, 'ours'>): string => withSpread(ours.mean, ours.std, ours.n)
export const paperText = ({ paper }: Pick<StudyRow, 'paper'>): string =>
  paper === null ? '' : withSpread(paper.mean, paper.std)

export const claimWord = (holds: boolean | null): string =>
  holds === null ? 'not decided' : holds ? 'holds' : 'does NOT hold'

/** A claim and what came of it; of one that does not hold, what we make of that. */
export const claimText = ({ text, holds, believed }: CheckedClaim): string =>
  `${claimWord(holds)}: ${text}${believed === undefined ? '' : `. ${believed}`}`

/** The panels of a study in their order, and the series of each. */
export function panelsOf({ rows }: Pick<StudySummary, 'rows'>) {
  const panels = new Map<string, Map<string, StudyRow[]>>()
  for (const row of rows) {
    const series = panels.get(row.panel) ?? new Map<string, StudyRow[]>()
    panels.set(row.panel, series.set(row.series, [...(series.get(row.series) ?? []), row]))
  }
  return panels
}

/** In how many runs, how long, by which version. */
export function runText({ quick, seeds, cells, planned, seconds, version, date }: StudyRun): string {
  const extent = quick ? 'quick run' : 'full run'
  const part = cells === planned ? '' : `, ${cells} of ${planned} cells only`
  const from = seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds[0]} to ${seeds.at(-1)}`
  const minutes = seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`
  return `${extent} of ${date}, ${from}${part}, ${minutes} of one processor, overhear ${version}`
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** One study in Markdown, below a heading of the given depth. */
export function studyMarkdown(study: ToldStudy, depth = 2): string {
  const { title, where, paper, unit, axis, rows: all, claims, departs, run } = study
  const tables = [...panelsOf(study)].map(([panel, series]) => {
    const places = [...new Set([...series.values()].flat().map(({ x }) => x))].sort(
      (a, b) => (a ?? Number.MAX_VALUE) - (b ?? Number.MAX_VALUE),
    )
    // One figure a series stands beside the paper's; a curve has a column for each place, what has none comes last.
    const plain = places.length === 1 && places[0] === undefined
    const heads = plain ? ['ours', 'paper', ''] : places.map((x) => (x === undefined ? '' : `${axis} ${x}`))
    const lines = [...series].map(([name, rows]) => {
      const [first] = rows
      const cells =
        plain && first !== undefined
          ? [oursText(first), paperText(first), first.note]
          : places.map((x) => {
              const row = rows.find((one) => one.x === x)
              if (row === undefined) return ''
              return row.paper === null ? oursText(row) : `${oursText(row)} [${paperText(row)}]`
            })
      return `| ${[name, ...cells].map(cell).join(' | ')} |`
    })
    return [
      `| ${[panel, ...heads].map(cell).join(' | ')} |`,
      `|---|${heads.map(() => '---|').join('')}`,
      ...lines,
    ].join('\n')
  })
  const notes = axis === null ? [] : notesOf(study)
  return [
    `${'#'.repeat(depth)} ${study.study}: [${paper}] ${where}`,
    `${title}. ${unit[0]!.toUpperCase()}${unit.slice(1)}${axis === null || all.every((row) => row.paper === null) ? '' : "; in brackets the paper's"}; mean ± deviation where there are several runs.`,
    `*${runText(run)}.*`,
    ...tables,
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
    ...(run.trouble.length === 0 ? [] : [run.trouble.map((line) => `- not measured: ${line}`).join('\n')]),
    claims.map((claim) => `- ${claimText(claim)}`).join('\n'),
    departs.map((line) => `- ${line}`).join('\n'),
  ].join('\n\n')
}

const notesOf = ({ rows }: StudySummary): string[] => [
  ...new Set(rows.filter(({ note }) => note !== '').map(({ series, note }) => `- ${series}: ${note}`)),
]
