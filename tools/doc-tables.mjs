// The parts of docs/ that are made from the code: attacks, datasets, parameters, keys of a scenario, grants, thresholds.
//   UPDATE_DOCS=1 npx vitest run test/docs        writes them anew; without UPDATE_DOCS the test checks that they are fresh

/**
 * @typedef {import('../src/audit/catalogue.js').Listed} Listed
 * @typedef {import('../src/audit/catalogue.js').ListedAttack} ListedAttack
 * @typedef {import('../src/params.js').Param} Param
 * @typedef {import('../src/threat/granted-keys.js').Grant} Grant
 * @typedef {{ type?: string | readonly string[], description?: string, default?: unknown, const?: unknown,
 *   enum?: readonly unknown[], properties?: Readonly<Record<string, Schema>>, items?: Schema,
 *   anyOf?: readonly Schema[], additionalProperties?: boolean | Schema, required?: readonly string[],
 *   minimum?: number, maximum?: number, exclusiveMinimum?: number, exclusiveMaximum?: number, pattern?: string }} Schema
 */

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
/** @param {string} text */
const code = (text) => `\`${text}\``
/** @param {readonly string[]} names */
const codes = (names) => (names.length === 0 ? '-' : names.map(code).join(', '))

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function markdownTable(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

/** @param {Param} param */
function allowedOf(param) {
  if (param.kind === 'choice') return codes(param.choices)
  if (param.kind === 'flag') return '`true`, `false`'
  if (param.kind === 'text') return 'text'
  const { min, max, whole } = param
  const one = whole ? 'whole number' : 'number'
  const range = [min === undefined ? '' : ` from ${min}`, max === undefined ? '' : ` up to ${max}`].join('')
  return param.kind === 'numbers' ? `list of ${one}s${range}` : one + range
}

/** @param {Param['default']} value */
const usual = (value) => (value === '' ? '-' : code(Array.isArray(value) ? value.join(',') : String(value)))

/** @param {Readonly<Record<string, Param>>} params */
function paramsTable(params) {
  const rows = Object.entries(params).map(([name, param]) => [
    code(name),
    allowedOf(param),
    usual(param.default),
    param.doc,
  ])
  return markdownTable(['parameter', 'allowed', 'default', 'what it is'], rows)
}

/** One section an entry that has parameters. @param {readonly Listed[]} entries */
export function paramsSections(entries) {
  return entries
    .filter(({ params = {} }) => Object.keys(params).length > 0)
    .map(({ id, title, params = {} }) => `### ${code(id)}\n\n${title}\n\n${paramsTable(params)}`)
    .join('\n\n')
}

/** @param {readonly Listed[]} entries */
export const namesTable = (entries) =>
  markdownTable(
    ['name', 'what it is'],
    entries.map(({ id, title }) => [code(id), title]),
  )

/** @param {ListedAttack} attack */
const marks = ({ oracle, beyond }) => (oracle ? ' (oracle)' : beyond ? ' (ours)' : '')

/** @param {readonly ListedAttack[]} attacks */
export function attacksTable(attacks) {
  const rows = attacks.map((one) => [
    `[${code(one.id)}](#${one.id})${marks(one)}`,
    one.target,
    one.title,
    `[${one.paper}] ${one.where}`,
    one.observers.join(', ') || 'nobody',
  ])
  return markdownTable(['attack', 'claims', 'how', 'from', 'who can run it'], rows)
}

/** @param {readonly ListedAttack[]} attacks */
export function attackSections(attacks) {
  return attacks
    .map(({ params = {}, ...one }) =>
      [
        `### ${one.id}`,
        `${one.title}${marks(one)}. Claims: ${one.target}. Needs ${codes(one.needs)}${one.uses.length === 0 ? '' : `; uses ${codes(one.uses)}`}.`,
        ...(Object.keys(params).length === 0 ? [] : [paramsTable(params)]),
      ].join('\n\n'),
    )
    .join('\n\n')
}

/** @param {Readonly<Record<string, { authors: string, title: string }>>} papers @param {readonly string[]} keys */
export function papersList(papers, keys) {
  return [...new Set(keys)].map((key) => `- [${key}] ${papers[key]?.authors}: ${papers[key]?.title}`).join('\n')
}

const origins = { embedded: 'inside the package', generator: 'generated from the seed', files: 'files' }

/**
 * @param {readonly (Listed & { origin: keyof typeof origins, predicts: string, sensitive: readonly string[] })[]} datasets
 */
export function datasetsTable(datasets) {
  const rows = datasets.map(({ id, title, predicts, sensitive, origin, paper = null }) => {
    const from = paper === null ? origins[origin] : `${origins[origin]}, [${paper}]`
    return [code(id), title, predicts, sensitive.join(', ') || '-', from]
  })
  return markdownTable(['name', 'what it is', 'predicts', 'sensitive', 'where it comes from'], rows)
}

/** @param {Schema} schema @returns {string} */
function allowedBy(schema) {
  if (schema.anyOf !== undefined) return schema.anyOf.map(allowedBy).join(', or ')
  if (schema.const !== undefined) return code(String(schema.const))
  if (schema.enum !== undefined) return schema.enum.length > 12 ? 'a name' : codes(schema.enum.map(String))
  if (Array.isArray(schema.type)) return schema.type.map((type) => allowedBy({ ...schema, type })).join(', or ')
  switch (schema.type) {
    case 'null':
      return '`null`'
    case 'boolean':
      return '`true`, `false`'
    case 'array':
      return `list of: ${allowedBy(schema.items ?? {})}`
    case 'object':
      return schema.properties === undefined
        ? 'names and values'
        : code(`{ ${Object.keys(schema.properties).join(', ')} }`)
    case 'string':
      return schema.pattern === undefined ? 'text' : `text like ${code(schema.pattern)}`
    default:
      return numberWords(schema)
  }
}

/** @param {Schema} schema */
function numberWords({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }) {
  const limits = [
    minimum === undefined ? '' : ` from ${minimum}`,
    exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`,
    maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? '' : ` up to ${maximum}`,
    exclusiveMaximum === undefined ? '' : ` below ${exclusiveMaximum}`,
  ]
  return (type === 'integer' ? 'whole number' : 'number') + limits.join('')
}

/** A key's object, whether it stands there, in a list or under names of one's own. @param {Schema} schema */
function objectOf(schema) {
  const { items, additionalProperties: named } = schema
  if (schema.properties !== undefined) return { object: schema, mark: '' }
  if (items?.properties !== undefined) return { object: items, mark: '[]' }
  if (typeof named === 'object' && named.properties !== undefined) return { object: named, mark: '.<id>' }
  return undefined
}

/** The keys of a scenario, one row each. @param {Schema} schema */
export function scenarioTable(schema) {
  return markdownTable(['key', 'allowed', 'default', 'what it is'], keyRows(schema, ''))
}

/** @param {Schema} schema @param {string} path @returns {string[][]} */
function keyRows({ properties = {}, required = [] }, path) {
  return Object.entries(properties).flatMap(([key, one]) => {
    const name = `${path}${key}`
    const inner = objectOf(one)
    const below = inner === undefined ? [] : keyRows(inner.object, `${name}${inner.mark}.`)
    const value = required.includes(key) ? 'needed' : defaultWords(one, inner?.mark === '')
    const allowed = inner === undefined ? allowedBy(one) : inner.mark === '' ? 'see below' : 'list, see below'
    return [[code(name), allowed, value, one.description ?? ''], ...below]
  })
}

/** @param {Schema} schema @param {boolean} has keys below it, with defaults of their own */
function defaultWords({ default: value }, has) {
  if (value === undefined) return '-'
  if (typeof value !== 'object' || value === null) return code(String(value))
  if (Array.isArray(value)) return code(JSON.stringify(value))
  const name = /** @type {{ name?: string }} */ (value).name
  return name === undefined ? (has ? 'those below' : '-') : code(name)
}

/**
 * What each key of a view is; a key without words does not compile.
 * @type {Readonly<Record<Grant, string>>}
 */
export const grantWords = {
  model: 'the architecture',
  loss: 'the loss that clients minimise',
  parameters: 'names and shapes of the parameters',
  protocol: 'the rules of the training: algorithm, epochs, batches, weights',
  learningRate: 'the step of local SGD',
  batchSize: 'records in the attacked update; of a full batch only for those who know `samples`',
  target: 'which client is looked at',
  round: 'which round is looked at',
  exchanges: 'what the target was sent and what it returned, round by round',
  updates: "every client's update",
  globals: 'the global models (an eavesdropper: in the rounds of its client)',
  aggregates: 'the sums of updates (a participant: from two global models in a row)',
  participation: 'who took part in which round',
  samples: 'how many records the target holds',
  sampleCounts: 'how many records each client holds',
  tampered: 'who was sent something other than the global model',
  channel: 'a line to a client of a live federation: send a model, get one back',
  records: "the target's records without the sensitive columns",
  'records.label': 'their labels',
  sensitive: 'which columns are wanted, and what they may hold',
  auxiliary: 'other records of the same kind',
  'auxiliary.label': 'their labels',
  'auxiliary.metaclass': 'their groups',
  metaclasses: 'the names of the groups',
  metaclassCounts: 'how many records of each group the target holds',
  candidates: 'records of which it is asked whether the target trained on them',
  'candidates.label': 'their labels',
  property: 'which property of clients is looked for',
  turnCounts: 'how often each client took part in windows of rounds',
}

/**
 * @param {readonly { id: string, mayKnow: readonly string[] }[]} observers
 * @param {readonly Grant[]} keys
 */
export function grantsTable(observers, keys) {
  const rows = keys.map((key) => [
    code(key),
    ...observers.map(({ mayKnow }) => (mayKnow.includes(key) ? 'yes' : '')),
    grantWords[key],
  ])
  return markdownTable(['key', ...observers.map(({ id }) => id), 'what it is'], rows)
}

/**
 * What may stand beside a result in the tables of attacks.
 * @param {{ foundLift: number }} limits
 */
export function notesTable({ foundLift }) {
  return markdownTable(
    ['note', 'when'],
    [
      [
        'broken here',
        `of a leak planted for it less than ${foundLift} was found, as a lift, and another attack found it (docs/verdict.md): its silence says nothing`,
      ],
      ['blind here', 'the same, but such a leak may be out of its sight here: its silence says as little'],
      ['out of time', 'stopped after `secondsPerAttack`; `--resume` runs it again'],
      ['failed', 'ended in an error, which the report shows'],
      ['not graded', 'the truth lacks what it takes'],
      ['told the truth', 'an oracle: what it reaches bounds others, and takes part in no question'],
      ['not applicable', 'something that it needs is not there; the report shows what'],
    ],
  )
}

/**
 * A text whose parts between `<!-- name: ... -->` and `<!-- /name -->` are replaced.
 * @param {string} text @param {Readonly<Record<string, string>>} parts
 */
export function withParts(text, parts) {
  let fresh = text
  for (const [name, part] of Object.entries(parts)) {
    const pattern = new RegExp(`(<!-- ${name}: [^\\n]*-->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
    if (!pattern.test(fresh)) throw new Error(`there are no marks <!-- ${name}: ... --> and <!-- /${name} -->`)
    fresh = fresh.replace(pattern, (_, open, close) => `${open}\n${part}\n\n${close}`)
  }
  return fresh
}
