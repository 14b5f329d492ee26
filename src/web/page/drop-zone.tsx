/** Where files are dropped: a table becomes a scenario with guessed columns, a recording can be audited at once. */
import { useState } from 'preact/hooks'
import type { UploadAbout } from '../../api/answers.js'
import { aboutUpload, startAudit, upload } from './ask-server.js'
import { chosenFiles, droppedFiles, type Sent } from './dropped-files.js'
import { go, toRun } from './places.js'

interface DropProps {
  table(about: Extract<UploadAbout, { kind: 'table' }>): void
}

export function DropZone({ table }: DropProps) {
  const [over, setOver] = useState(false)
  const [said, setSaid] = useState<string | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [about, setAbout] = useState<UploadAbout | null>(null)

  const send = async (wanted: Promise<readonly Sent[]> | readonly Sent[]): Promise<void> => {
    setFault(null)
    setAbout(null)
    try {
      const files = await wanted
      if (files.length === 0) return
      for (const [k, { name, inside, file }] of files.entries()) {
        setSaid(`sending ${k + 1} of ${files.length}: ${[name, ...inside].join('/')}`)
        await upload(name, file, inside)
      }
      setSaid('looking at it')
      const found = await aboutUpload(files[0]!.name)
      setAbout(found)
      if (found.kind === 'table') table(found)
    } catch (problem) {
      setFault((problem as Error).message)
    }
    setSaid(null)
  }
  return (
    <section
      class={`panel drop${over ? ' over' : ''}`}
      aria-label="data of your own"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        if (event.dataTransfer !== null) void send(droppedFiles(event.dataTransfer))
      }}
    >
      <p>
        <strong>Data of your own:</strong> drop a table (.csv), the folder of a recording, or .npz files here. They stay
        on the machine that runs the server.
      </p>
      <div class="row">
        <Chooser label="Choose files" pick={send} folder={false} />
        <Chooser label="Choose a folder" pick={send} folder={true} />
      </div>
      <p role="status" class="dim">
        {said}
      </p>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {about !== null && about.kind !== 'table' && <Recording about={about} failed={setFault} />}
    </section>
  )
}

function Chooser({ label, pick, folder }: { label: string; pick(files: readonly Sent[]): void; folder: boolean }) {
  return (
    <label class="button">
      {label}
      <input
        class="visually-hidden"
        type="file"
        multiple
        {...(folder && { webkitdirectory: true })}
        onChange={({ currentTarget }) => {
          pick(chosenFiles(currentTarget.files ?? []))
          currentTarget.value = ''
        }}
      />
    </label>
  )
}

interface RecordingProps {
  readonly about: Exclude<UploadAbout, { kind: 'table' }>
  failed(message: string): void
}

function Recording({ about, failed }: RecordingProps) {
  const { name, rounds, clients, model } = about
  const start = (): void => {
    startAudit({ recording: name }).then(
      ({ id }) => go(toRun(id)),
      (problem: Error) => failed(problem.message),
    )
  }
  return (
    <div>
      <p>
        <strong>{name}</strong>: {about.kind === 'arrays' ? 'arrays of ' : 'a recording of '}
        {rounds} rounds and {clients} clients, model {model}
        {about.kind === 'recording' &&
          `; what an adversary knows is ${about.knowledge ? 'there' : 'not there'}, the truth is ${about.truth ? 'there' : 'not there'}`}
        .
      </p>
      {about.kind === 'arrays' && about.asks.length > 0 && (
        <>
          <p>They would be read as follows; if that is wrong, overhear import takes a map.</p>
          <ul>
            {about.asks.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
      <button type="button" class="first" onClick={start}>
        Audit this recording
      </button>
    </div>
  )
}
