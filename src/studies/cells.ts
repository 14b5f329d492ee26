/** The cells of a study: each of its points with each seed, named after everything that it depends on. */
import { hashOf } from '../audit/hash.js'
import type { Extent, Study } from './study.js'

/** One piece of work of a study, as plain data. */
export interface Cell {
  /** The hash of what it depends on: the study and its code, its point and seed, the version and the kernels. */
  readonly id: string
  readonly study: string
  readonly at: unknown
  readonly seed: number
  readonly quick: boolean
  readonly effort: number
}

export interface CellsOptions extends Extent {
  /** The first seed; others follow it. */
  readonly seed: number
  /** How many, in place of the study's own number. */
  readonly seeds?: number
  readonly versions: { readonly overhear: string; readonly kernels: string }
}

/**
 * The text of a function, without the numbers that a bundler puts behind names that occur twice. Where a build writes it
 * otherwise still, its cells are measured again, which costs time and errs in nothing.
 */
const codeOf = (measure: Study['measure']): string =>
  String(measure).replace(/'[^'\n]*'|"[^"\n]*"|([A-Za-z_$][\w$]*?)\d+\b/g, (all, name?: string) => name ?? all)

/** The name of a cell of a study as its code is here. */
export function cellIdOf(
  { id: study, measure, revision = 1 }: Pick<Study, 'id' | 'measure' | 'revision'>,
  { at, seed, quick, versions }: Pick<Cell, 'at' | 'seed' | 'quick'> & Pick<CellsOptions, 'versions'>,
): Promise<string> {
  return hashOf({ study, code: codeOf(measure), revision, at, seed, quick, versions })
}

export async function cellsOf(
  study: Pick<Study, 'id' | 'seeds' | 'points' | 'measure' | 'revision'>,
  { quick, seed: first, seeds = study.seeds[quick ? 'quick' : 'full'], versions }: CellsOptions,
): Promise<Cell[]> {
  const cells: Cell[] = []
  for (let seed = first; seed < first + seeds; seed++) {
    for (const { at, effort } of study.points({ quick })) {
      const id = await cellIdOf(study, { at, seed, quick, versions })
      cells.push({ id, study: study.id, at, seed, quick, effort })
    }
  }
  return cells
}

/** Seconds of one processor that cells of a study may take, by what it declares for all that are usual. */
export function secondsFor(
  { seconds, seeds, points }: Pick<Study, 'seconds' | 'seeds' | 'points'>,
  { quick, cells }: Extent & { readonly cells: readonly Pick<Cell, 'effort'>[] },
): number {
  const extent = quick ? 'quick' : 'full'
  const sum = (some: readonly { readonly effort: number }[]): number =>
    some.reduce((all, { effort }) => all + effort, 0)
  const usual = seeds[extent] * sum(points({ quick }))
  return usual === 0 ? 0 : (seconds[extent] * sum(cells)) / usual
}
