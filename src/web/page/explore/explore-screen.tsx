/** The explorer of a run: what crossed the wire, seen by round, by client, by record, and who took part when. */
import { useState } from 'preact/hooks'
import type { ExploreAnswer } from '../../../api/explore.js'
import { exploreRun } from '../ask-server.js'
import { toExplore, toRun } from '../places.js'
import { Screen } from '../screen.js'
import { useLoaded } from '../use-loaded.js'
import { ClientTab } from './explore-client.js'
import { MessagesTab } from './explore-messages.js'
import { ParticipationTab } from './explore-participation.js'
import { RecordsTab } from './explore-records.js'
import { Fits } from './explore-tab.js'

const tabs = [
  { tab: '', words: 'Messages', Tab: MessagesTab },
  { tab: 'client', words: 'A client', Tab: ClientTab },
  { tab: 'records', words: 'Records', Tab: RecordsTab },
  { tab: 'rounds', words: 'Who took part', Tab: ParticipationTab },
] as const

const heardWords = { updates: 'single updates', sums: 'sums alone', models: 'models alone' } as const

interface ExploreProps {
  readonly id: string
  readonly tab: string
  readonly client: string
}

export function ExploreScreen({ id, tab, client }: ExploreProps) {
  const [place, setPlace] = useState('')
  const { value: about, error } = useLoaded(() => exploreRun(id, { place }), [id, place])
  const { Tab } = tabs.find((one) => one.tab === tab) ?? tabs[0]
  return (
    <Screen title="Explorer" error={error}>
      <p class="dim small">
        <a href={toRun(id)}>{id}</a>
      </p>
      {about !== null && (
        <>
          <Facts about={about} />
          <div class="tabs-row">
            <nav class="tabs" aria-label="views">
              {tabs.map((one) => (
                <a
                  key={one.tab}
                  href={toExplore(id, one.tab, one.tab === '' || one.tab === 'rounds' ? '' : client)}
                  {...(one.Tab === Tab && { 'aria-current': 'page' })}
                >
                  {one.words}
                </a>
              ))}
            </nav>
            {about.places.length > 1 && (
              <label class="beside-tabs">
                <span class="dim small">training</span>
                <select value={about.place} onChange={({ currentTarget }) => setPlace(currentTarget.value)}>
                  {about.places.map((one) => (
                    <option key={one} value={one}>
                      {one === '' ? 'the audited one' : one}
                    </option>
                  ))}
                </select>
              </label>
            )}
          </div>
          <Tab key={place} id={id} place={about.place} about={about} client={client} />
        </>
      )}
    </Screen>
  )
}

function Facts({ about }: { about: ExploreAnswer }) {
  const { rounds, clients, model, parameters, heard, recordedFor, share, stated, fits, warnings } = about
  return (
    <>
      <p class="lead figures">
        {rounds} rounds, {clients} clients, {model} of {parameters} parameters
      </p>
      <p>
        Heard: {heardWords[heard]}, as {recordedFor} hears them; a client returns its {share}.
      </p>
      <Fits fits={fits} />
      <details>
        <summary>The protocol as it is stated</summary>
        <dl class="facts">
          {stated.map(({ name, value }) => (
            <>
              <dt key={name}>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
        {warnings.map((one) => (
          <p key={one} class="dim">
            {one}
          </p>
        ))}
      </details>
    </>
  )
}
