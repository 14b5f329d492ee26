/** The trials of a sweep as columns, read from its log once: places on axes, figures, words of verdicts. */
import { createReadStream, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { SweepAnswer, SweepAxis } from '../../../api/sweeps.js'
import { OverhearError } from '../../../errors.js'
import { type Drawn, drawnOf } from '../../../sweep/trial-figures.js'
import { readLine, type TrialLine } from '../../../sweep/trial-line.js'

export const trialsFile = 'trials.jsonl'

export interface Column {
  readonly name: string
  readonly words: readonly string[] | null
  readonly values: readonly (number | null)[]
}

export interface SweepIndex {
  readonly about: Omit<SweepAnswer, 'id'>
  readonly axes: readonly Column[]
  /** In the order of `about.figures`. */
  readonly figures: readonly Column[]
}

/** Bytes of a log that are read, axes and figures that are kept, and values of an axis that are words. */
const [mostBytes, mostAxes, mostFigures, mostReasons] = [2_000_000_000, 40, 400, 20]

/** Done trials, each once, and reasons of those that failed. */
async function trialsOf(
  folder: string,
): Promise<{ done: Map<string, Drawn & { level: string }>; failed: Map<string, string> }> {
  const path = join(folder, trialsFile)
  const { size } = lstatSync(path)
  if (size > mostBytes) {
    const hint = '"overhear query" reads larger ones'
    throw new OverhearError(
      'E_INPUT',
      `the log has ${size} bytes, more than the ${mostBytes} that the page reads`,
      hint,
    )
  }
  const [done, failed] = [new Map<string, Drawn & { level: string }>(), new Map<string, string>()]
  const take = (line: TrialLine | undefined): void => {
    if (line === undefined) return
    if (line.result === null) {
      if (!done.has(line.id)) failed.set(line.id, line.reason ?? 'no reason was kept')
    } else if (!done.has(line.id)) {
      done.set(line.id, { ...drawnOf(line), level: line.result.level })
      failed.delete(line.id)
    }
  }
  let [waiting, number]: [string | null, number] = [null, 0]
  const told = (text: string): TrialLine | undefined =>
    text.trim() === '' ? undefined : readLine(text, `${trialsFile}, line ${number}`)
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (waiting !== null) take(told(waiting))
    waiting = text
    number++
  }
  try {
    // The last one may be torn: its trial is not finished then.
    if (waiting !== null) take(told(waiting))
  } catch (error) {
    if (!(error instanceof OverhearError)) throw error
  }
  return { done, failed }
}

export async function sweepIndex(folder: string): Promise<SweepIndex> {
  const { done, failed } = await trialsOf(folder)
  const trials = [...done.values()]
  const names = [...new Set(trials.flatMap(({ at }) => Object.keys(at)))].slice(0, mostAxes)
  const axes = names.map((name) => axisColumn(name, trials))
  const often = new Map<string, number>()
  for (const { figures } of trials) for (const name of Object.keys(figures)) often.set(name, (often.get(name) ?? 0) + 1)
  const ranked = [...often].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, mostFigures)
  const figures = ranked.map(([name]): Column => {
    return { name, words: null, values: trials.map((one) => one.figures[name] ?? null) }
  })
  const levels: Record<string, number> = {}
  for (const { level } of trials) levels[level] = (levels[level] ?? 0) + 1
  return {
    axes,
    figures,
    about: {
      trials: trials.length,
      failed: failed.size,
      axes: axes.map(({ name, words, values }): SweepAxis => {
        return { name, words: words === null ? null : [...words], places: new Set(values).size }
      }),
      figures: figures.map(({ name }) => name),
      levels,
      reasons: [...new Set(failed.values())].slice(0, mostReasons),
    },
  }
}

/** Numbers where all are; else words, each by its place. */
function axisColumn(name: string, trials: readonly Drawn[]): Column {
  const all = trials.map(({ at }) => at[name])
  if (all.every((value) => typeof value === 'number')) return { name, words: null, values: all as number[] }
  const word = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))
  const words = [...new Set(all.map(word))]
  const place = new Map(words.map((one, k) => [one, k]))
  return { name, words, values: all.map((value) => place.get(word(value))!) }
}
