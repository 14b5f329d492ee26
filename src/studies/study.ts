/** A study: a table or a figure of a paper, measured again on federations of ours, with the paper's figures beside. */
import type { AuditFiles } from '../audit/ports.js'
import type { papers } from '../papers.js'
import type { Entry } from '../registry.js'

/** Where a figure stands: a part of the table or a panel, a row or a curve, and a place on the axis of a curve. */
export interface Place {
  readonly panel: string
  readonly series: string
  readonly x?: number
}

/** A figure of one cell: one run, or one client of it. */
export interface Measure extends Place {
  readonly value: number
}

/** A figure that the paper prints. */
export interface Published extends Place {
  readonly mean: number
  readonly std?: number
}

/** What a study needs of the machine. */
export interface StudyPorts {
  /** Reads the files of a dataset. */
  readonly dataset: NonNullable<AuditFiles['dataset']>
}

export interface Extent {
  /** Smaller settings that end within minutes; rows say which they were. */
  readonly quick: boolean
}

export interface Measuring extends Extent {
  readonly seed: number
  readonly ports: StudyPorts
}

/** Ours at a place, over all cells that have it. */
export interface Figure {
  readonly mean: number
  /** Of a sample; 0 for a single value. */
  readonly std: number
  readonly median: number
  readonly n: number
}

/** Our figures by their places; undefined where nothing was measured. */
export type Figures = (panel: string, series: string, x?: number) => Figure | undefined

export interface StudyClaim {
  readonly text: string
  /** Where it does not hold: what was tried, and what we believe. */
  readonly believed?: string
  /** Whether our figures bear it out; null where they do not decide. */
  holds(figures: Figures): boolean | null
}

/** What is done with every seed, as plain data. */
export interface Point<At> {
  readonly at: At
  /** How long it may take beside the others: the longest are begun first. */
  readonly effort: number
}

interface ByExtent {
  readonly quick: number
  readonly full: number
}

export interface StudyDefinition<At> {
  readonly id: string
  /** What it shows, with the data in the place of the paper's where these are not to be had. */
  readonly title: string
  readonly paper: keyof typeof papers
  /** The table, figure, section or equation. */
  readonly where: string
  /** Datasets that it reads. */
  readonly data: readonly string[]
  /** What the figures are. */
  readonly unit: string
  /** What x is, of a study with curves. */
  readonly axis?: string
  /** Of one processor, for all cells with as many seeds as usual. */
  readonly seconds: ByExtent
  /** How many seeds there are unless told. */
  readonly seeds: ByExtent
  /** 1 unless told; raised when what it measures changes in a part outside of `measure`, whose own code is in a cell's name. */
  readonly revision?: number
  points(extent: Extent): readonly Point<At>[]
  measure(at: At, measuring: Measuring): Promise<readonly Measure[]>
  readonly published: readonly Published[]
  /** What a reader must know of a series, by its name. */
  readonly notes?: Readonly<Record<string, string>>
  /** Where ours differs from the paper's setting, and what --quick leaves out. */
  readonly departs: readonly string[]
  readonly claims: readonly StudyClaim[]
}

/** A study of the table: its points are plain data to everybody else. */
export type Study = Entry & StudyDefinition<unknown>

export function defineStudy<At, const Id extends string>(definition: StudyDefinition<At> & { readonly id: Id }) {
  return { ...definition, params: {} } as unknown as Study & { readonly id: Id }
}
