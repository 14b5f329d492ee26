// The table of docs/settings.md: for every setting where it is declared, its default, who obeys it and who learns of it.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { markdownTable } from './doc-tables.mjs'

const folder = fileURLToPath(new URL('../src/settings/', import.meta.url))

/** The file that declares a setting. @param {string} id */
function declaredIn(id) {
  const found = readdirSync(folder).filter((name) => readFileSync(`${folder}${name}`, 'utf8').includes(`id: '${id}'`))
  if (found.length !== 1) throw new Error(`${id} is declared in ${found.length} files of src/settings`)
  return `\`${found[0]}\``
}

/** @param {unknown} value */
function shown(value) {
  if (value === undefined) return 'needed'
  if (typeof value === 'object' && value !== null && 'name' in value) return `\`${value.name}\``
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

/**
 * @typedef {{ id: string, value: { default?: unknown, unit?: string }, obeyedBy: string, turn?: true | undefined,
 *   manifest?: { key: string } | undefined, toldAs?: string }} Setting
 */

/** Who may know it: what a recording says, everybody; what is told, the adversary. @param {Setting} setting */
function knownTo({ id, manifest, toldAs }) {
  if (manifest !== undefined || toldAs !== undefined) return 'everybody'
  return id.startsWith('knowledge.') ? 'the adversary' : 'nobody who listens'
}

/**
 * @param {readonly Setting[]} settings
 * @param {readonly { id: string, obeys: readonly string[] }[]} rules
 */
export function settingsTable(settings, rules) {
  const rows = settings.map((setting) => {
    const { id, value, obeyedBy, turn, manifest, toldAs = '-' } = setting
    const key = id.replace(/^training\./, '')
    const obeying = rules.filter(({ obeys }) => obeys.includes(key)).map(({ id: rule }) => `\`${rule}\``)
    return [
      `\`${id}\``,
      declaredIn(id),
      `${shown(value.default)}${value.unit === undefined || value.default === null ? '' : ` ${value.unit}`}`,
      turn === true ? obeying.join(', ') : obeyedBy,
      manifest === undefined ? toldAs : `\`protocol.${manifest.key}\``,
      knownTo(setting),
    ]
  })
  return markdownTable(['setting', 'declared in', 'default', 'obeyed by', 'in the manifest as', 'known to'], rows)
}
