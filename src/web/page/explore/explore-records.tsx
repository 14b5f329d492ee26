/** Records of a client: what was claimed of each, how sure, and what is true. */
import { useState } from 'preact/hooks'
import type { RecordClaims } from '../../../api/explore.js'
import { figure } from '../../../audit/figures.js'
import { exploreRecords } from '../ask-server.js'
import { Pager } from '../paged.js'
import { go, toExplore } from '../places.js'
import { useLoaded } from '../use-loaded.js'
import type { TabProps } from './explore-tab.js'

const atOnce = 50

export function RecordsTab({ id, about, client }: TabProps) {
  const { recordsOf } = about
  if (recordsOf.length === 0) {
    return <p class="dim">No attack of this run has claimed anything of single records.</p>
  }
  const chosen = recordsOf.includes(client) ? client : recordsOf[0]!
  return (
    <>
      {recordsOf.length > 1 && (
        <label class="narrow">
          client
          <select value={chosen} onChange={({ currentTarget }) => go(toExplore(id, 'records', currentTarget.value))}>
            {recordsOf.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      )}
      <Records key={chosen} id={id} client={chosen} />
    </>
  )
}

function Records({ id, client }: { id: string; client: string }) {
  const [from, setFrom] = useState(0)
  const [shown, setShown] = useState<RecordClaims | null>(null)
  const { value, error } = useLoaded(() => exploreRecords(id, { client, from, count: atOnce }), [id, client, from])
  if (error !== null) return <p class="fault">{error}</p>
  if (value === null) return null
  return (
    <>
      <h2>Records of client {client}</h2>
      <Pager what="records" from={from} shown={value.records.length} total={value.total} size={atOnce} to={setFrom} />
      {shown !== null && <OneRecord record={shown} />}
      <section class="scroll" aria-label="records">
        <table>
          <thead>
            <tr>
              <th scope="col">record</th>
              <th scope="col">about</th>
              <th scope="col">true</th>
              <th scope="col">claimed, by the surest</th>
              <th scope="col">how sure</th>
              <th scope="col">attacks that are right</th>
            </tr>
          </thead>
          <tbody>
            {value.records.map((record) =>
              record.about.map(({ name, truth, exposed, claims }) => {
                const [surest] = claims
                const graded = claims.filter(({ right }) => right !== null)
                return (
                  <tr key={`${record.row} ${name}`}>
                    <th scope="row">
                      <button type="button" class="link" onClick={() => setShown(record)}>
                        {record.id}
                      </button>
                    </th>
                    <td>
                      {name}
                      {exposed && <span class="word leak"> given away</span>}
                    </td>
                    <td>{truth ?? 'not known here'}</td>
                    <td>{surest?.said ?? ''}</td>
                    <td>{surest === undefined ? '' : <Sure share={surest.sure} />}</td>
                    <td>
                      {graded.length === 0 ? '' : `${graded.filter(({ right }) => right).length} of ${graded.length}`}
                    </td>
                  </tr>
                )
              }),
            )}
          </tbody>
        </table>
      </section>
    </>
  )
}

const Sure = ({ share }: { share: number | null }) =>
  share === null ? (
    <span class="dim">does not say</span>
  ) : (
    <span class="figures">
      <svg class="sure" viewBox="0 0 80 8" aria-hidden="true">
        <path class="sure-all" d="M0 0h80v8h-80z" />
        <path class="cell-in" d={`M0 0h${(80 * share).toFixed(1)}v8H0z`} />
      </svg>{' '}
      {figure(share)}
    </span>
  )

function OneRecord({ record }: { record: RecordClaims }) {
  return (
    <section class="panel" aria-label={`record ${record.id}`}>
      <h2>Record {record.id}</h2>
      {record.about.map(({ name, truth, exposed, claims }) => (
        <div key={name}>
          <p>
            <strong>{name}</strong>: {truth === null ? 'what is true is not known here' : `truly ${truth}`}
            {exposed && <span class="word leak">; the audit counts it among those that are given away</span>}
          </p>
          <ul class="plain">
            {claims.map(({ attack, observer, said, sure, right }) => (
              <li key={`${attack} ${observer} ${said}`}>
                {said} <Sure share={sure} />{' '}
                <span class="dim">
                  by {attack}, {observer}
                </span>{' '}
                {right !== null && <span class="word">{right ? 'right' : 'wrong'}</span>}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
