/** The form of a new audit: its fields, from the declarations that flags are made of, and the text that it stands beside. */
import { readFileSync } from 'node:fs'
import { type Document, parseDocument } from 'yaml'
import type { Checked, Described, Edited, FormField, TableEntry } from '../../api/answers.js'
import { type EditRequest, placeName } from '../../api/requests.js'
import { catalogue } from '../../audit/catalogue.js'
import { OverhearError } from '../../errors.js'
import { type Entry, type Kind, tableOf } from '../../registry.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { allSettings } from '../../settings/index.js'
import type { Setting, SettingValue } from '../../settings/setting.js'
import { checkScenario, defaultScenario, parseYaml } from '../files/scenario-file.js'
import { version } from '../version.js'

/** Parameters that stand beside a name are no field of their own. */
const fieldSettings = (): Setting[] => Object.values(allSettings).filter(({ value }) => value.kind !== 'params')

export function described(): Described {
  const fields = fieldSettings().map(fieldOf)
  const kinds = new Set(
    fields.flatMap(({ control }) => ('table' in control && control.table !== null ? [control.table] : [])),
  )
  const tables = [...kinds].map((kind): [string, TableEntry[]] => [kind, entriesOf(kind as Kind)])
  return {
    version,
    fields,
    tables: { ...Object.fromEntries(tables), attack: catalogue.attacks().map(entryOf) },
    yaml: readFileSync(defaultScenario, 'utf8'),
  }
}

const entriesOf = (kind: Kind): TableEntry[] => Object.values(tableOf(kind)).map(entryOf)
const entryOf = ({
  id,
  title,
  params = {},
}: Pick<Entry, 'id' | 'title'> & { params?: Entry['params'] }): TableEntry => ({
  id,
  title,
  params,
})

function fieldOf({ id, value }: Setting): FormField {
  const path = id.split('.')
  return {
    path,
    doc: value.doc,
    unit: 'unit' in value ? (value.unit ?? null) : null,
    usual: value.default ?? null,
    orNull: 'orNull' in value ? (value.orNull ?? null) : null,
    control: controlOf(id, path, value),
  }
}

function controlOf(id: string, path: readonly string[], value: SettingValue): FormField['control'] {
  switch (value.kind) {
    case 'number':
      return {
        kind: 'number',
        min: value.min ?? value.above ?? null,
        max: value.max ?? value.below ?? null,
        whole: value.whole ?? false,
      }
    case 'text':
    case 'flag':
      return { kind: value.kind }
    case 'choice':
      return { kind: 'choice', choices: value.choices }
    case 'texts':
      return { kind: 'list', words: value.words, table: value.table ?? null }
    case 'name':
      return { kind: 'entry', table: value.table, nameAt: path, paramsAt: [...path.slice(0, -1), 'params'] }
    case 'entry':
      return { kind: 'entry', table: value.table, nameAt: [...path, 'name'], paramsAt: [...path, 'params'] }
    case 'entries':
      return { kind: 'entries', table: value.table, nameKey: 'name', paramsKey: 'params' }
    default:
      return id === 'models' ? { kind: 'entries', table: 'model', nameKey: 'kind', paramsKey: null } : { kind: 'other' }
  }
}

/** Reads a text as an audit of the page would. */
export function checked(yaml: string): Checked {
  let values: unknown = null
  try {
    values = parseYaml(yaml, 'the scenario')
    readForPage(values)
    return { values, error: null }
  } catch (error) {
    if (error instanceof OverhearError) return { values, error: error.message }
    throw error
  }
}

/** A scenario that somebody wrote on the page: code and files of the machine are not for a page to name. */
export function readForPage(values: unknown): Scenario {
  const { plugins } = (values ?? {}) as { plugins?: unknown }
  if (plugins !== undefined && !(Array.isArray(plugins) && plugins.length === 0)) {
    const hint = 'start the server with --plugin FILE; its plug-ins are there for every audit'
    throw new OverhearError('E_INPUT', 'the scenario names plug-ins', hint)
  }
  const scenario = checkScenario(values, 'the scenario')
  const file = fileOf(scenario)
  if (file !== null && !placeName.test(file)) {
    const hint = 'drop the file on the page, and give its name'
    throw new OverhearError('E_INPUT', `data.params.file is ${JSON.stringify(file)}, which is no uploaded file`, hint)
  }
  return scenario
}

/** The file of its own that a scenario reads. */
export function fileOf({ data }: Scenario): string | null {
  const { file } = data.params as { readonly file?: unknown }
  return typeof file === 'string' && file !== '' ? file : null
}

/** The text with values put in; what else it says, comments too, stays. */
export function edited({ yaml, edits }: EditRequest): Edited {
  const tree = parseDocument(yaml, { logLevel: 'error' })
  if (tree.errors.length > 0) return { yaml, ...checked(yaml) }
  let text: string
  try {
    for (const { path, value } of edits) putInto(tree, path, value)
    text = tree.toString({ lineWidth: 0 })
  } catch {
    // The text says something else there, such as a word where a list is needed, or names what stands nowhere.
    const { values, error } = checked(yaml)
    const asked = edits.map(({ path }) => path.join('.')).join(', ')
    return { yaml, values, error: (values === null ? error : null) ?? `${asked} cannot be set in what the text says` }
  }
  return { yaml: text, ...checked(text) }
}

function putInto(tree: Document, path: readonly (string | number)[], value: unknown): void {
  if (value === undefined) {
    tree.deleteIn(path)
    return
  }
  for (const [k, key] of path.entries()) {
    // A list is made where a number asks for one; an entry that is a word alone becomes a map.
    const above = path.slice(0, k)
    const there = k === 0 ? tree.contents : tree.getIn(above, true)
    if (k > 0 && (there === undefined || there === null || isPlain(there))) {
      tree.setIn(above, tree.createNode(typeof key === 'number' ? [] : {}))
    }
  }
  // A plain value takes the place of another with the comment beside it.
  tree.setIn(path, typeof value === 'object' && value !== null ? tree.createNode(value) : value)
}

const isPlain = (node: unknown): boolean =>
  typeof node === 'object' && node !== null && 'value' in node && !('items' in node)
