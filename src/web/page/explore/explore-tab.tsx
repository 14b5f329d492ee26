/** What every view of the explorer is handed, and how the messages fit the stated protocol. */
import type { ExploreAnswer } from '../../../api/explore.js'
import { figure } from '../../../audit/figures.js'

/** What a tab is handed. */
export interface TabProps {
  readonly id: string
  readonly place: string
  readonly about: ExploreAnswer
  /** The client that the address names. */
  readonly client: string
}

/** Whether messages are as the protocol says, where an attack has looked. */
export function Fits({ fits }: { fits: ExploreAnswer['fits'] }) {
  if (fits.length === 0) return <p class="dim">No attack has looked whether the messages fit the stated protocol.</p>
  return (
    <ul class="plain">
      {fits.map(({ attack, observer, target, p, differs }) => (
        <li key={`${attack} ${observer} ${target}`}>
          {differs.length === 0 ? (
            <span class="word none">fits the stated protocol</span>
          ) : (
            <span class="word leak">heard to differ: {differs.join('; ')}</span>
          )}{' '}
          <span class="dim">
            by {attack}, {observer}
            {target === null ? '' : ` on client ${target}`}
            {p !== null && `, p ${figure(p)}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

export const MisfitNote = () => (
  <p class="dim small">
    misfit: how far a message is from what the stated protocol gives, squared, over what is expected; about 1 where the
    statement is true, empty where no attack has looked at the message (of a round: the largest).
  </p>
)
