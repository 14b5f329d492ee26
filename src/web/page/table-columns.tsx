/** What the columns of a dropped table were taken for, to be looked over. */
import type { UploadAbout } from '../../api/answers.js'
import { type Edit, type ScenarioText, valueAt } from './use-scenario.js'

interface ColumnsProps {
  readonly about: Extract<UploadAbout, { kind: 'table' }>
  readonly scenario: ScenarioText
}

const params = ['data', 'params']

/** What a choice changes in the text: whose row it is also deals the rows. */
const edits: Readonly<Record<'label' | 'client' | 'sensitive', (column: string) => Edit[]>> = {
  label: (column) => [{ path: [...params, 'label'], value: column }],
  sensitive: (column) => [
    { path: [...params, 'sensitive'], value: column === '' ? undefined : column },
    { path: ['knowledge', 'sensitive'], value: column === '' ? undefined : [column] },
  ],
  client: (column) => [
    { path: [...params, 'client'], value: column === '' ? undefined : column },
    {
      path: ['partition'],
      value: column === '' ? { name: 'iid', params: { clients: 4 } } : { name: 'by-column', params: { column } },
    },
    { path: ['knowledge', 'targets'], value: column === '' ? ['0'] : 'all' },
  ],
}

const words = {
  label: 'what is predicted (label)',
  sensitive: 'what must not be learned (sensitive)',
  client: 'whose row it is (client)',
} as const

export function TableColumns({ about, scenario }: ColumnsProps) {
  return (
    <section class="panel" aria-label="columns of the table">
      <p>
        <strong>{about.name}</strong>: {about.rows} rows, {about.columns.length} columns. Guessed from their names and
        values; look them over.
      </p>
      <div class="row">
        {(Object.keys(words) as (keyof typeof words)[]).map((role) => (
          <label key={role}>
            {words[role]}
            <select
              value={String(valueAt(scenario.values, [...params, role]) ?? '')}
              onChange={({ currentTarget: { value } }) => scenario.edit(...edits[role](value))}
            >
              <option value="">none</option>
              {about.columns.map(({ name, values, numbers }) => (
                <option key={name} value={name}>
                  {name} ({numbers ? 'numbers' : `${values} words`})
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </section>
  )
}
