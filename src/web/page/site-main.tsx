/** The parts of the page that need no server, for a static site: studies from one file beside it, and the lab. */
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { storedKey, studyInShort } from '../../api/study-summary.js'
import type { StoredStudy } from '../../api/sweeps.js'
import { LabScreen } from './lab-screen.js'
import { placeOf } from './places.js'
import { StudiesScreen, StudyScreen } from './study-screen.js'

const stored = async (): Promise<StoredStudy[]> => {
  const answer = await fetch(new URL('studies.json', import.meta.url))
  return (await answer.json()) as StoredStudy[]
}

const listed = async () => (await stored()).map((one) => studyInShort(storedKey(one), one, null))

async function read(key: string): Promise<StoredStudy> {
  const found = (await stored()).find((one) => storedKey(one) === key)
  if (found === undefined) throw new Error(`there is no study ${JSON.stringify(key)}`)
  return found
}

function Site() {
  const [place, setPlace] = useState(placeOf(window.location.hash))
  useEffect(() => {
    const moved = (): void => setPlace(placeOf(window.location.hash))
    window.addEventListener('hashchange', moved)
    return () => window.removeEventListener('hashchange', moved)
  }, [])
  const lab = place.screen === 'lab'
  return (
    <>
      <header>
        <span class="name">Overhear</span>
        <nav aria-label="parts of the site">
          <a href="./index.html">Documents</a>
          <a href="#/studies" {...(!lab && { 'aria-current': 'page' })}>
            Studies
          </a>
          <a href="#/lab" {...(lab && { 'aria-current': 'page' })}>
            Lab
          </a>
        </nav>
      </header>
      {lab ? (
        <LabScreen />
      ) : place.screen === 'study' ? (
        <StudyScreen key={place.id} name={place.id} read={read} />
      ) : (
        <StudiesScreen list={listed} />
      )}
    </>
  )
}

render(<Site />, document.getElementById('page')!)
