/** A new audit: the form and the text side by side, always in step, and files of one's own dropped on it. */
import { useState } from 'preact/hooks'
import type { Described, FormField, UploadAbout } from '../../api/answers.js'
import { describe, startAudit } from './ask-server.js'
import { DropZone } from './drop-zone.js'
import { Field } from './form-field.js'
import { keptText } from './new-text.js'
import { go, toRun } from './places.js'
import { Screen } from './screen.js'
import { TableColumns } from './table-columns.js'
import { useLoaded } from './use-loaded.js'
import { useScenario } from './use-scenario.js'

export function NewScreen() {
  const { value: described, error } = useLoaded(describe, [])
  return (
    <Screen title="New audit" error={error}>
      {described !== null && <Writing described={described} />}
    </Screen>
  )
}

const sectionOf = ({ path }: FormField): string =>
  path.length > 1 || ['partition', 'models', 'defences'].includes(path[0]!) ? path[0]! : 'audit'

/** What most people look at; the rest is closed at first. */
const openSections = ['data', 'partition', 'models', 'defences']

type AboutTable = Extract<UploadAbout, { kind: 'table' }>

function Writing({ described }: { described: Described }) {
  const scenario = useScenario(keptText() ?? described.yaml)
  const [fault, setFault] = useState<string | null>(null)
  const [starting, setStarting] = useState(false)
  const [table, setTable] = useState<AboutTable | null>(null)
  const sections = [...new Set(described.fields.map(sectionOf))]
  const start = async (): Promise<void> => {
    setStarting(true)
    setFault(null)
    try {
      go(toRun((await startAudit({ yaml: scenario.yaml })).id))
    } catch (problem) {
      setFault((problem as Error).message)
      setStarting(false)
    }
  }
  return (
    <>
      <DropZone
        table={(about) => {
          setTable(about)
          scenario.write(about.yaml)
        }}
      />
      {table !== null && <TableColumns about={table} scenario={scenario} />}
      <div class="row">
        <button
          type="button"
          class="first"
          disabled={starting || scenario.pending || scenario.error !== null}
          onClick={start}
        >
          Start the audit
        </button>
        <button type="button" onClick={() => scenario.write(described.yaml)}>
          Back to the built-in scenario
        </button>
      </div>
      <p class="fault" role="alert">
        {fault ?? scenario.error}
      </p>
      <div class="beside">
        <form aria-label="settings" onSubmit={(event) => event.preventDefault()}>
          {sections.map((section) => (
            <details key={section} open={openSections.includes(section)}>
              <summary>{section}</summary>
              {described.fields
                .filter((field) => sectionOf(field) === section)
                .map((field) => (
                  <Field key={field.path.join('.')} field={field} tables={described.tables} scenario={scenario} />
                ))}
            </details>
          ))}
        </form>
        <div class="text-beside">
          <label for="scenario-text">the scenario as text (YAML)</label>
          <textarea
            id="scenario-text"
            spellcheck={false}
            value={scenario.yaml}
            onInput={({ currentTarget }) => scenario.write(currentTarget.value)}
          />
        </div>
      </div>
    </>
  )
}
