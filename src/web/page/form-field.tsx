/** One field of the form: a control for each kind of setting, made from its declaration. */
import type { Described, FormField, TableEntry } from '../../api/answers.js'
import type { Param } from '../../params.js'
import { type ScenarioText, valueAt } from './use-scenario.js'

export interface FieldProps {
  readonly field: FormField
  readonly tables: Described['tables']
  readonly scenario: ScenarioText
}

type Path = readonly (string | number)[]

const idOf = (path: Path): string => `field-${path.join('-')}`
const shownUsual = (usual: unknown): string => (typeof usual === 'object' ? JSON.stringify(usual) : String(usual))

export function Field(props: FieldProps) {
  const { field, scenario, tables } = props
  const { path, control } = field
  const name = path.at(-1)!
  if (control.kind === 'entry') return <EntryField {...props} control={control} />
  if (control.kind === 'entries') return <EntriesField {...props} control={control} />
  const about = `${field.doc}${field.orNull === null ? '' : `; null: ${field.orNull}`}`
  if (control.kind === 'other') {
    return (
      <div class="field">
        <span class="label">{name}</span>
        <span class="small dim">{about}. Write it in the text.</span>
      </div>
    )
  }
  const plain: Param =
    control.kind === 'choice'
      ? { kind: 'choice', choices: control.choices, default: String(field.usual), doc: about }
      : control.kind === 'flag'
        ? { kind: 'flag', default: field.usual === true, doc: about }
        : control.kind === 'number'
          ? { kind: 'number', default: field.usual as number | null, doc: about }
          : { kind: 'text', default: shownUsual(field.usual), doc: about }
  const given = valueAt(scenario.values, path)
  const names =
    control.kind === 'list' && control.table !== null ? (tables[control.table] ?? []).map(({ id }) => id) : []
  const words = control.kind === 'list' ? [...control.words, ...names] : []
  return (
    <PlainField
      path={path}
      name={name}
      param={plain}
      unit={field.unit}
      given={Array.isArray(given) ? given.join(', ') : given}
      words={words}
      put={(value) =>
        scenario.edit({ path: [...path], value: control.kind === 'list' ? listOf(value, control.words) : value })
      }
    />
  )
}

/** "a, b" as a list, unless it is a word that stands for one. */
function listOf(value: unknown, words: readonly string[]): unknown {
  if (typeof value !== 'string' || words.includes(value)) return value
  return value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

interface PlainProps {
  readonly path: Path
  readonly name: string
  readonly param: Param
  readonly unit: string | null
  readonly given: unknown
  readonly words?: readonly string[]
  put(value: unknown): void
}

/** A number, a text, a choice, or yes and no. */
function PlainField({ path, name, param, unit, given, words = [], put }: PlainProps) {
  const id = idOf(path)
  const about = `${id}-about`
  const usual = shownUsual(param.default)
  const label = (
    <label for={id}>
      {name}
      {unit !== null && <span class="dim"> in {unit}</span>}
    </label>
  )
  const choices = param.kind === 'choice' ? param.choices : param.kind === 'flag' ? ['true', 'false'] : null
  return (
    <div class="field">
      {label}
      {choices !== null ? (
        <select
          id={id}
          aria-describedby={about}
          value={given === undefined ? '' : String(given)}
          onChange={({ currentTarget: { value } }) =>
            put(value === '' ? undefined : param.kind === 'flag' ? value === 'true' : value)
          }
        >
          <option value="">{usual} (unless told)</option>
          {choices.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          aria-describedby={about}
          type="text"
          autocomplete="off"
          inputMode={param.kind === 'number' ? 'decimal' : 'text'}
          placeholder={usual}
          value={given === undefined ? '' : given === null ? 'null' : String(given)}
          onChange={({ currentTarget: { value } }) => put(readValue(value, param))}
        />
      )}
      <span class="small dim" id={about}>
        {param.doc}
        {words.length > 0 && ` (${words.join(', ')})`}
      </span>
    </div>
  )
}

function readValue(text: string, param: Param): unknown {
  const bare = text.trim()
  if (bare === '') return undefined
  if (bare === 'null') return null
  if (param.kind === 'number') return Number.isNaN(Number(bare)) ? bare : Number(bare)
  if (param.kind === 'numbers') return bare.split(',').map((one) => Number(one))
  return bare
}

interface ParamsProps {
  readonly entry: TableEntry | undefined
  readonly at: Path
  readonly scenario: ScenarioText
}

function ParamFields({ entry, at, scenario }: ParamsProps) {
  return (
    <>
      {Object.entries(entry?.params ?? {}).map(([key, param]) => {
        const path = [...at, key]
        const given = valueAt(scenario.values, path)
        return (
          <PlainField
            key={key}
            path={path}
            name={key}
            param={param}
            unit={null}
            given={Array.isArray(given) ? given.join(', ') : given}
            put={(value) => scenario.edit({ path, value })}
          />
        )
      })}
    </>
  )
}

type ControlOf<K extends FormField['control']['kind']> = {
  readonly control: Extract<FormField['control'], { kind: K }>
}

function EntryField({ field, tables, scenario, control }: FieldProps & ControlOf<'entry'>) {
  const { table, nameAt, paramsAt } = control
  const entries = tables[table] ?? []
  const usual = valueAt(field.usual, ['name'])
  const given = valueAt(scenario.values, nameAt)
  const entry = entries.find(({ id }) => id === (given ?? usual))
  const id = idOf(nameAt)
  const choose = (value: string): void =>
    scenario.edit({ path: [...paramsAt] }, { path: [...nameAt], value: value === '' ? undefined : value })
  return (
    <div class="group">
      <div class="field">
        <label for={id}>{field.path.join(' ')}</label>
        <select id={id} value={String(given ?? '')} onChange={({ currentTarget: { value } }) => choose(value)}>
          {usual !== undefined && <option value="">{String(usual)} (unless told)</option>}
          {entries.map((one) => (
            <option key={one.id} value={one.id}>
              {one.id}
            </option>
          ))}
        </select>
        <span class="small dim">{entry?.title ?? field.doc}</span>
      </div>
      <ParamFields entry={entry} at={paramsAt} scenario={scenario} />
    </div>
  )
}

function EntriesField({ field, tables, scenario, control }: FieldProps & ControlOf<'entries'>) {
  const { table, nameKey, paramsKey } = control
  const entries = tables[table] ?? []
  const listed = valueAt(scenario.values, field.path)
  const given: readonly unknown[] = Array.isArray(listed) ? listed : []
  const addId = `${idOf(field.path)}-add`
  return (
    <div class="group">
      {given.map((one, k) => {
        const at = [...field.path, k]
        const name = valueAt(one, [nameKey])
        const entry = entries.find(({ id }) => id === name)
        const params = paramsKey === null ? at : [...at, paramsKey]
        return (
          <fieldset key={`${k} ${name}`}>
            <legend>
              {k + 1}. {String(name ?? 'without a name')}
            </legend>
            <p class="small dim">{entry?.title}</p>
            <ParamFields entry={entry} at={params} scenario={scenario} />
            <button type="button" onClick={() => scenario.edit({ path: at })}>
              Remove {String(name ?? 'it')}
            </button>
          </fieldset>
        )
      })}
      <div class="field">
        <label for={addId}>add to {field.path.join(' ')}</label>
        <select
          id={addId}
          value=""
          onChange={({ currentTarget }) => {
            scenario.edit({ path: [...field.path, given.length, nameKey], value: currentTarget.value })
            currentTarget.value = ''
          }}
        >
          <option value="">choose one</option>
          {entries.map((one) => (
            <option key={one.id} value={one.id}>
              {one.id}
            </option>
          ))}
        </select>
        <span class="small dim">{field.doc}</span>
      </div>
    </div>
  )
}
