/** One client: its turns, how its changes turn, and what the audit says of it. */
import { useState } from 'preact/hooks'
import { figure } from '../../../audit/figures.js'
import type { Word } from '../../../audit/ladder/question.js'
import { exploreClient } from '../ask-server.js'
import { Pager } from '../paged.js'
import { go, toExplore } from '../places.js'
import { useLoaded } from '../use-loaded.js'
import { WordMark } from '../word-mark.js'
import { bytesText, NormsByRound } from './explore-charts.js'
import { Fits, MisfitNote, type TabProps } from './explore-tab.js'

const atOnce = 60

export function ClientTab(props: TabProps) {
  const { id, client } = props
  const [typed, setTyped] = useState(client)
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          go(toExplore(id, 'client', typed))
        }}
      >
        <label>
          client
          <input
            type="text"
            value={typed}
            placeholder="0"
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={typed === ''}>
          Show
        </button>
      </form>
      {client !== '' && <OneClient key={client} {...props} />}
    </>
  )
}

function OneClient({ id, place, client, about }: TabProps) {
  const [from, setFrom] = useState(0)
  const { value, error } = useLoaded(
    () => exploreClient(id, { place, client, from, count: atOnce }),
    [id, place, client, from],
  )
  if (error !== null) return <p class="fault">{error}</p>
  if (value === null) return <p class="dim">reading its messages</p>
  const { messages, questions, fits, samples, turns, total } = value
  const marks = messages.map(({ round, norm, tampered }) => ({ round, spread: null, value: norm, loud: tampered }))
  return (
    <>
      <h2>Client {client}</h2>
      <p>
        {samples === null ? 'An unknown number of' : samples} records;{' '}
        {turns === null ? 'rounds do not say who took part' : `in ${turns} of ${about.rounds} rounds`}.
      </p>
      {questions.length > 0 && (
        <ul class="plain">
          {questions.map((one) => (
            <li key={`${one.observer} ${one.about}`}>
              <WordMark word={one.level as Word} /> {one.about}{' '}
              <span class="dim">
                heard by {one.observer}, {one.metric} {figure(one.best)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {fits.length > 0 && <Fits fits={fits} />}
      {about.recordsOf.includes(client) && (
        <p>
          <a href={toExplore(id, 'records', client)}>What was claimed of its records</a>
        </p>
      )}
      {messages.length === 0 ? (
        <p class="dim">None of its own messages was heard: only sums, or models that all are sent.</p>
      ) : (
        <>
          <p class="dim small">norm of its change, upwards; red: it was sent something else than the others.</p>
          <NormsByRound marks={marks} label={`norm of the changes of client ${client}`} />
          <Pager what="turns" from={from} shown={messages.length} total={total} size={atOnce} to={setFrom} />
          <table>
            <thead>
              <tr>
                <th scope="col">round</th>
                <th scope="col">size</th>
                <th scope="col">norm of its change</th>
                <th scope="col">cosine with its turn before</th>
                <th scope="col">misfit</th>
              </tr>
            </thead>
            <tbody>
              {messages.map((one) => (
                <tr key={one.round}>
                  <th scope="row">{one.round}</th>
                  <td>{bytesText(one.bytes)}</td>
                  <td>{figure(one.norm)}</td>
                  <td>{figure(one.turned)}</td>
                  <td>{one.misfit === null ? '' : figure(one.misfit)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <MisfitNote />
        </>
      )}
    </>
  )
}
