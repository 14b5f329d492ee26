/** Messages by round: a timeline of their sizes and norms, and one round's messages. */
import { useState } from 'preact/hooks'
import { figure } from '../../../audit/figures.js'
import { exploreRound, exploreTimeline } from '../ask-server.js'
import { Pager } from '../paged.js'
import { toExplore } from '../places.js'
import { useLoaded } from '../use-loaded.js'
import { bytesText, NormsByRound } from './explore-charts.js'
import { MisfitNote, type TabProps } from './explore-tab.js'

const [roundsAtOnce, messagesAtOnce] = [60, 50]

export function MessagesTab({ id, place, about }: TabProps) {
  const [from, setFrom] = useState(0)
  const [round, setRound] = useState<number | null>(null)
  const { value, error } = useLoaded(() => exploreTimeline(id, { place, from, count: roundsAtOnce }), [id, place, from])
  if (error !== null) return <p class="fault">{error}</p>
  if (value === null) return <p class="dim">reading the messages</p>
  const sums = about.heard === 'sums'
  const marks = value.rounds.map((one) => ({
    round: one.round,
    spread: one.changes,
    value: one.changes === null ? (one.sum ?? one.sent) : null,
    loud: one.tampered > 0,
  }))
  const what = sums ? 'norm of the sum' : about.heard === 'models' ? 'norm of the model' : "norm of clients' changes"
  return (
    <>
      <h2>By round</h2>
      <p class="dim small">
        {what}, upwards; {sums ? 'a dot for each round' : 'boxes hold the middle half of the clients, whiskers all'}.
      </p>
      <NormsByRound marks={marks} label={what} />
      <Pager
        what="rounds"
        from={from}
        shown={value.rounds.length}
        total={value.total}
        size={roundsAtOnce}
        to={setFrom}
      />
      <section class="scroll" aria-label="rounds">
        <table>
          <thead>
            <tr>
              <th scope="col">round</th>
              <th scope="col">took part</th>
              <th scope="col">dropped out</th>
              <th scope="col">size</th>
              <th scope="col">norm of the model</th>
              <th scope="col">{sums ? 'norm of the sum' : 'change, middle'}</th>
              {!sums && <th scope="col">least to most</th>}
              {!sums && <th scope="col">misfit</th>}
            </tr>
          </thead>
          <tbody>
            {value.rounds.map((one) => (
              <tr key={one.round}>
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    aria-expanded={round === one.round}
                    onClick={() => setRound(one.round)}
                  >
                    {one.round}
                  </button>
                </th>
                <td>{one.participants ?? 'unknown'}</td>
                <td>
                  {one.dropped}
                  {one.tampered > 0 && <span class="leak"> {one.tampered} were sent something else</span>}
                </td>
                <td>{bytesText(one.bytes)}</td>
                <td>{figure(one.sent)}</td>
                <td>{figure(one.changes?.middle ?? one.sum)}</td>
                {!sums && (
                  <td>
                    {one.changes !== null && `${figure(one.changes.least)} to ${figure(one.changes.most)}`}
                    {one.changes !== null && one.changes.of < (one.participants ?? 0) && (
                      <span class="dim"> of {one.changes.of} clients</span>
                    )}
                  </td>
                )}
                {!sums && <td>{one.misfit === null ? '' : figure(one.misfit)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {!sums && <MisfitNote />}
      {round !== null && <OneRound key={round} id={id} place={place} round={round} />}
    </>
  )
}

const wayWords = { 'to all': 'to all', 'to one': 'to this one', from: 'returned', sum: 'sum over all' } as const

function OneRound({ id, place, round }: { id: string; place: string; round: number }) {
  const [from, setFrom] = useState(0)
  const { value, error } = useLoaded(
    () => exploreRound(id, { place, round, from, count: messagesAtOnce }),
    [id, place, round, from],
  )
  if (error !== null) return <p class="fault">{error}</p>
  if (value === null) return null
  return (
    <section class="panel" aria-label={`round ${round}`}>
      <h2>Round {round}</h2>
      <Pager
        what="clients"
        from={from}
        shown={Math.min(messagesAtOnce, value.total - from)}
        total={value.total}
        size={messagesAtOnce}
        to={setFrom}
      />
      <table>
        <thead>
          <tr>
            <th scope="col">who</th>
            <th scope="col">what</th>
            <th scope="col">size</th>
            <th scope="col">norm</th>
            <th scope="col">misfit</th>
          </tr>
        </thead>
        <tbody>
          {value.messages.map(({ who, way, bytes, norm, tampered, misfit }) => (
            <tr key={`${who} ${way}`}>
              <th scope="row">
                {way === 'from' || way === 'to one' ? <a href={toExplore(id, 'client', who)}>client {who}</a> : who}
              </th>
              <td class={tampered ? 'leak' : ''}>{wayWords[way]}</td>
              <td>{bytesText(bytes)}</td>
              <td>{figure(norm)}</td>
              <td>{misfit === null ? '' : figure(misfit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
