/** What an entry in the table of datasets is: words about it, its parameters, and how it is loaded. */
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import type { Cited } from '../papers.js'
import { type Params, readParams, type ValuesOf } from '../params.js'
import { checkedSource, type Source, type Task } from './dataset.js'
import type { Table } from './table.js'

/** A file that a dataset is made of. */
export interface FileSpec {
  /** Below the folder of datasets, such as "medical/insurance.csv". */
  readonly path: string
  /** Of the file as stored; absent for a user's own. */
  readonly sha256?: string
  /** What it holds, in a few words. */
  readonly content: string
}

export interface TableOptions {
  /** Names for columns without a header line. */
  readonly names?: readonly string[]
  /** Columns to be read as words, whatever they look like. */
  readonly words?: readonly string[]
  /** The word that stands for a missing value, besides an empty one. */
  readonly missing?: string
  /** Lines before the header or the first row. */
  readonly skip?: number
}

/** Reads files for datasets; in Node from disk. It decodes and computes nothing. */
export interface FileReader {
  table(file: FileSpec, options?: TableOptions): Promise<Table>
  /** The content, decompressed when it was gzip. */
  bytes(file: FileSpec): Promise<Uint8Array>
}

export interface LoadContext {
  readonly rng: Rng
  /** Absent where there are no files, as in a browser. */
  readonly files?: FileReader
}

interface About {
  readonly id: string
  readonly title: string
  readonly origin: 'embedded' | 'generator' | 'files'
  readonly tasks: readonly Task[]
  readonly predicts: string
  readonly sensitive: readonly string[]
  readonly paper?: Cited
  /** Files it may need, whatever the parameters. */
  readonly files?: readonly FileSpec[]
  /** Where the files can be had, and on what terms. */
  readonly obtain?: string
}

export interface DatasetEntry extends About {
  readonly params: Params
  /** Unknown and ill-typed parameters are errors. */
  load(context: LoadContext, given?: Readonly<Record<string, unknown>>): Promise<Source>
}

type Loaded = Omit<Source, 'name' | 'sensitive'> & Partial<Pick<Source, 'name' | 'sensitive'>>

export interface DatasetDefinition<P extends Params> extends About {
  readonly params: P
  /** Its name and its sensitive columns are those of the entry unless told. */
  load(context: LoadContext, params: ValuesOf<P>): Loaded | Promise<Loaded>
}

export function defineDataset<const I extends string, const P extends Params>(
  definition: DatasetDefinition<P> & { readonly id: I },
): DatasetEntry & { readonly id: I } {
  const { id, params, sensitive } = definition
  return {
    ...definition,
    load: async (context, given = {}) => {
      const loaded = await definition.load(context, readParams(params, given, `dataset ${id}`))
      return checkedSource({ name: id, sensitive, ...loaded })
    },
  }
}

/** The reader, or an error where there is none. */
export function readerOf({ files }: LoadContext, id: string): FileReader {
  if (files !== undefined) return files
  throw new OverhearError('E_INPUT', `dataset "${id}" is made from files`, 'they can be read in Node only')
}
