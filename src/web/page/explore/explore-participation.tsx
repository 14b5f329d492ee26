/** The participation matrix: a strip of rounds for each client, and whom the sums tell apart. */
import { useState } from 'preact/hooks'
import type { ParticipationAnswer } from '../../../api/explore.js'
import { exploreParticipation } from '../ask-server.js'
import { Pager } from '../paged.js'
import { toExplore } from '../places.js'
import { useLoaded } from '../use-loaded.js'
import { RoundStrip } from './explore-charts.js'
import type { TabProps } from './explore-tab.js'

const [clientsAtOnce, roundsAtOnce] = [60, 120]

export function ParticipationTab({ id, place }: TabProps) {
  const [from, setFrom] = useState(0)
  const [fromRound, setFromRound] = useState(0)
  const { value, error } = useLoaded(
    () => exploreParticipation(id, { place, from, fromRound, count: clientsAtOnce, rounds: roundsAtOnce }),
    [id, place, from, fromRound],
  )
  if (error !== null) return <p class="fault">{error}</p>
  if (value === null) return <p class="dim">reading who took part</p>
  const most = Math.max(1, ...value.rows.map(({ cells }) => cells.length))
  return (
    <>
      <p>{separableText(value)}</p>
      <ul class="legend">
        <Key name="in" words="took part" />
        <Key name="out" words="dropped out" />
        <Key name="fooled" words="was sent something else" />
      </ul>
      <div class="row">
        <Pager
          what="clients"
          from={from}
          shown={value.rows.length}
          total={value.total}
          size={clientsAtOnce}
          to={setFrom}
        />
        <Pager what="rounds" from={fromRound} shown={most} total={value.rounds} size={roundsAtOnce} to={setFromRound} />
      </div>
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">client</th>
            <th scope="col">turns</th>
            <th scope="col">by sums</th>
            <th scope="col">
              rounds {fromRound} to {fromRound + most - 1}
            </th>
          </tr>
        </thead>
        <tbody>
          {value.rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <a href={toExplore(id, 'client', row.id)}>{row.id}</a>
              </th>
              <td>{row.turns}</td>
              <td>{standing(row)}</td>
              <td>
                <RoundStrip row={row} most={most} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

const Key = ({ name, words }: { name: string; words: string }) => (
  <li>
    <svg viewBox="0 0 10 10" aria-hidden="true">
      <path class={`cell-${name}`} d="M1 1h8v8h-8z" />
    </svg>
    {words}
  </li>
)

/** Told apart by form of words, not by colour alone. */
function standing({ separable, turns, together }: ParticipationAnswer['rows'][number]) {
  if (separable === null) return <span class="dim">not looked at</span>
  if (turns === 0) return <span class="dim">in no sum</span>
  if (separable) return <span class="word leak">told apart</span>
  const [first] = together
  return (
    <span>
      hidden
      {first !== undefined && (
        <span class="dim">
          {' '}
          with {first}
          {together.length > 1 && ` and ${together.length - 1} more`}
        </span>
      )}
    </span>
  )
}

function separableText({ alone, separable, total, roundsMissing }: ParticipationAnswer): string {
  const sums =
    separable === null
      ? 'whom sums would tell apart was not looked at: there are too many clients'
      : `combinations of ${alone ? 'sums over these rounds would' : 'the sums'} isolate ${separable} of ${total} clients`
  const missing =
    roundsMissing === null || roundsMissing === 0
      ? ''
      : `; ${roundsMissing} more rounds of other groups would isolate everybody`
  const own = alone
    ? 'Clients are heard one by one, so that everybody is told apart. Were their updates summed securely, '
    : ''
  const text = `${own}${sums}${missing}.`
  return text[0]!.toUpperCase() + text.slice(1)
}
