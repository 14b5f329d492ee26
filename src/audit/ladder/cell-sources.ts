/** What an attack is given in one cell of the ladder: the recording, with other records and another line in view. */
import { matrix } from '../../numeric/linalg/matrix.js'
import type { Sources } from '../../threat/grant.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { KnowledgeFile } from '../../transcript/knowledge-file.js'

export interface Cell {
  /** Whose line is heard. */
  readonly line: string
  /** The records asked about, everything filled in. */
  readonly table?: Table
  /** Whether they are asked about as candidates, and not as records whose attributes are hidden. */
  readonly as?: 'records' | 'candidates'
}

/**
 * The same sources with what a cell asks. How many records of each metaclass the client trained on is left out: it would
 * tell trained from held-back records without any message.
 */
export async function cellSources(sources: Sources, { line, table, as = 'records' }: Cell): Promise<Sources> {
  const { knowledge } = sources
  const { metaclassCounts: _, ...others } = knowledge ?? noKnowledge
  const asked: KnowledgeFile = { ...others, target: line }
  if (table === undefined) return { ...sources, knowledge: asked }
  if (as === 'candidates') return { ...sources, knowledge: { ...asked, candidates: async () => table } }
  const known = await knowledge?.records()
  if (known === undefined) return { ...sources, knowledge: asked }
  const shown = hidden(table, { knowledge: knowledge!, labels: known.labels !== undefined })
  return { ...sources, knowledge: { ...asked, records: async () => shown } }
}

const nothing = async (): Promise<undefined> => undefined
const noKnowledge: KnowledgeFile = { warnings: [], records: nothing, auxiliary: nothing, candidates: nothing }

/** Records as an adversary knows them: sensitive columns empty, labels where it has them. */
function hidden(
  { columns, features, labels }: Table,
  { knowledge, labels: shown }: { readonly knowledge: KnowledgeFile; readonly labels: boolean },
): Table {
  const secret = new Set((knowledge.sensitive ?? []).flatMap((one) => one.columns).map((name) => columns.indexOf(name)))
  const { rows, cols, data } = features
  const open = data.map((x, i) => (secret.has(i % cols) ? Number.NaN : x))
  return {
    columns,
    features: matrix(rows, cols, open),
    ...(shown && labels !== undefined && { labels }),
  }
}
