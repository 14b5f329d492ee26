/** What was claimed of a client's records, how sure, and what is true of them where the truth is there. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import type { RecordClaims, RecordsAnswer, recordsRequest } from '../../../api/explore.js'
import type { AttackResult, ClaimJson, Finding } from '../../../audit/attack-result.js'
import type { AuditDocument } from '../../../audit/document.js'
import { figure } from '../../../audit/figures.js'
import { OverhearError } from '../../../errors.js'
import type { Table } from '../../../transcript/encoded-table.js'
import { openKnowledge, type Sensitive } from '../../../transcript/knowledge-file.js'
import { openTruth } from '../../../transcript/truth-file.js'
import { fileStore } from '../../files/file-store.js'

/** Attacks that are told of one thing: the surest of more. */
const mostClaims = 40

interface Told {
  readonly result: AttackResult
  readonly finding: Finding
  readonly claim: ClaimJson<'attribute'> | ClaimJson<'labels'>
  readonly name: string
}

/** Claims of which each speaks of every record of the client, in their order. */
function recordClaims({ observers }: AuditDocument): Told[] {
  const told: Told[] = []
  for (const { attacks } of observers) {
    for (const result of attacks) {
      if (result.sameAs !== undefined || result.status !== 'claimed') continue
      for (const finding of result.findings) {
        const { claim } = finding
        if (claim.kind === 'attribute') told.push({ result, finding, claim, name: claim.name })
        else if (claim.kind === 'labels' && claim.round === undefined && claim.once === undefined)
          told.push({ result, finding, claim, name: 'label' })
      }
    }
  }
  return told
}

/** Clients with such claims. */
export const clientsWithClaims = (audit: AuditDocument): string[] => [
  ...new Set(recordClaims(audit).map(({ claim }) => claim.client)),
]

export async function recordsOf(
  audit: AuditDocument,
  folder: string,
  { client, from, count }: z.output<typeof recordsRequest>,
): Promise<RecordsAnswer> {
  const told = recordClaims(audit).filter(({ claim }) => claim.client === client)
  const names = [...new Set(told.map(({ name }) => name))]
  const total = Math.max(0, ...told.map(({ claim }) => valuesOf(claim).length))
  if (total === 0) {
    throw new OverhearError('E_UNKNOWN_NAME', `nothing was claimed of the records of client ${JSON.stringify(client)}`)
  }
  const { table, sensitive } = await truthOf(folder, client)
  const given = exposedOf(audit, client)
  const records = Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, k): RecordClaims => {
    const row = from + k
    const id = table?.ids?.[row] ?? String(row)
    return {
      row,
      id,
      about: names.map((name) => ({
        name,
        truth: table === null ? null : trueWord(table, sensitive.get(name), { name, row }),
        exposed: given.get(name)?.has(id) ?? false,
        claims: told
          .filter((one) => one.name === name)
          .flatMap((one) => claimOf(one, row, sensitive.get(name)))
          .sort((a, b) => (b.sure ?? -1) - (a.sure ?? -1))
          .slice(0, mostClaims),
      })),
    }
  })
  return { client, from, total, records }
}

const valuesOf = (claim: Told['claim']): ArrayLike<number> => (claim.kind === 'attribute' ? claim.values : claim.labels)

function claimOf(told: Told, row: number, sensitive: Sensitive | undefined) {
  const value = valuesOf(told.claim)[row]
  if (value === undefined) return []
  const { attack, observer } = told.result
  const right = told.finding.score?.perRecord?.[row]
  const discrete = sensitive !== undefined && sensitive.kind !== 'continuous'
  const sure = told.claim.kind === 'attribute' && discrete ? told.claim.confidence?.[row] : undefined
  return [
    {
      attack,
      observer,
      said: wordOf(value, sensitive),
      sure: typeof sure === 'number' && Number.isFinite(sure) ? sure : null,
      // Of numbers the score keeps the error of each, and that says neither right nor wrong.
      right: discrete && (right === 0 || right === 1) ? right === 1 : null,
    },
  ]
}

/** A place among the values as its word; a number as itself. */
function wordOf(value: number, sensitive: Sensitive | undefined): string {
  if (sensitive === undefined || sensitive.kind === 'continuous') return figure(value)
  return sensitive.words?.[value] ?? sensitive.values[value]?.map(figure).join(' ') ?? figure(value)
}

function trueWord(
  table: Table,
  sensitive: Sensitive | undefined,
  { name, row }: { name: string; row: number },
): string | null {
  if (row >= table.features.rows) return null
  if (sensitive === undefined) {
    const label = name === 'label' ? table.labels?.[row] : undefined
    return label === undefined ? null : figure(label)
  }
  const { cols, data } = table.features
  const places = sensitive.columns.map((column) => table.columns.indexOf(column))
  if (places.some((at) => at < 0)) return null
  const own = places.map((at) => data[row * cols + at]!)
  if (sensitive.kind === 'continuous') return figure(own[0])
  const far = sensitive.values.map((value) => value.reduce((sum, x, k) => sum + (x - own[k]!) * (x - own[k]!), 0))
  return wordOf(far.indexOf(Math.min(...far)), sensitive)
}

/** By what is asked: whom the audit calls given away. */
function exposedOf({ questions }: AuditDocument, client: string): Map<string, Set<string>> {
  const given = new Map<string, Set<string>>()
  for (const { target, name, kind, exposed } of questions) {
    if (target !== client || exposed === null) continue
    const about = name ?? (kind === 'labels' ? 'label' : kind)
    const ids = given.get(about) ?? new Set<string>()
    for (const id of exposed.ids) ids.add(id)
    given.set(about, ids)
  }
  return given
}

/** The client's records and what of them is sensitive; nothing where the folder has no truth. */
async function truthOf(
  folder: string,
  client: string,
): Promise<{ table: Table | null; sensitive: Map<string, Sensitive> }> {
  const sensitive = new Map<string, Sensitive>()
  const files = existsSync(folder)
    ? readdirSync(folder).filter((name) => /^knowledge(?:-[\w.-]+)?\.json$/.test(name))
    : []
  for (const path of files.slice(0, 50)) {
    for (const one of (await openKnowledge(fileStore(folder), { path })).sensitive ?? []) sensitive.set(one.name, one)
  }
  if (!existsSync(join(folder, 'truth', 'truth.json'))) return { table: null, sensitive }
  const truth = await openTruth(fileStore(join(folder, 'truth')))
  return { table: (await truth.client(client)) ?? null, sensitive }
}
