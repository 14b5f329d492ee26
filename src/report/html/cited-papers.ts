/** Whose methods attacks are, and what whoever listens is supposed to hear and have. */
import { catalogue } from '../../audit/catalogue.js'
import type { AuditDocument, ObserverResults } from '../../audit/document.js'
import { ranIn, threatWords } from '../../audit/finished/threat-words.js'
import { papers } from '../../papers.js'
import { escaped } from '../escape.js'

/** What an observer hears and has, with the papers, as a part of the page. */
export function threatSection(results: ObserverResults): string {
  const words = threatWords(results)
  const cited = papersOf(ranIn(results.attacks))
  const after = cited.length === 0 ? '' : `<p class="dim">Attacks after: ${cited.map(escaped).join('; ')}.</p>`
  return `${words === '' ? '' : `<p>${escaped(words)}</p>`}${after}`
}

/** Whose method it is. */
export function citedWords({ paper, where = '' }: { readonly paper?: unknown; readonly where?: string }): string {
  if (typeof paper !== 'string' || !Object.hasOwn(papers, paper)) return ''
  const { authors, title } = papers[paper as keyof typeof papers]
  return `${authors}: ${title}${where === '' ? '' : `, ${where}`}`
}

function papersOf(ran: ReadonlySet<string>): string[] {
  const cited = catalogue.attacks().filter(({ id }) => ran.has(id))
  return [...new Set(cited.map(({ paper }) => citedWords({ paper })).filter((one) => one !== ''))]
}

/** The papers whose attacks ran. */
export const papersIn = ({ observers: all }: AuditDocument): string[] =>
  papersOf(ranIn(all.flatMap(({ attacks }) => attacks)))
