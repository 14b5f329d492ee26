/** Settings given as text on a command line: each by its path, read as its declaration says. */
import { OverhearError } from '../errors.js'
import { find } from '../registry.js'
import { allSettings } from './index.js'
import { readSetting } from './read-settings.js'
import type { Setting } from './setting.js'

/** The scenario's JSON with these settings in the place of its own. */
export function withSettings(json: unknown, given: Readonly<Record<string, string>>): unknown {
  let changed = json
  for (const [id, text] of Object.entries(given)) {
    const { value } = find(allSettings, id)
    changed = withMember(changed, id.split('.'), readSetting(value, meant(value, text), id))
  }
  return changed
}

/** Text as the kind of value that is declared; what has parts is JSON. */
function meant(declared: Setting['value'], text: string): unknown {
  const { kind } = declared
  if (kind === 'texts') return declared.words.includes(text) ? text : text.split(',')
  if (kind === 'entry') return text.startsWith('{') ? parsed(text) : { name: text, params: {} }
  if (kind === 'entries' || kind === 'by client' || kind === 'params' || kind === 'other') return parsed(text)
  return text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new OverhearError('E_INPUT', `--set got ${JSON.stringify(text)}`, 'JSON is needed for what has parts')
  }
}

function withMember(json: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  const own = typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
  return { ...own, [key!]: rest.length === 0 ? value : withMember(own[key!], rest, value) }
}
