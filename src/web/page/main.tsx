/** The page: one screen at a time, by its address. */
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { listStudies, readStudy } from './ask-server.js'
import { CompareScreen } from './compare-screen.js'
import { ExploreScreen } from './explore/explore-screen.js'
import { LabScreen } from './lab-screen.js'
import { NewScreen } from './new-screen.js'
import { type Place, placeOf } from './places.js'
import { RunScreen } from './run-screen.js'
import { RunsScreen } from './runs-screen.js'
import { StudiesScreen, StudyScreen } from './study-screen.js'
import { SweepScreen, SweepsScreen } from './sweep-screen.js'

const links: readonly { readonly to: string; readonly words: string; readonly screens: readonly Place['screen'][] }[] =
  [
    { to: '#/', words: 'Runs', screens: ['runs', 'run', 'explore'] },
    { to: '#/new', words: 'New audit', screens: ['new'] },
    { to: '#/compare', words: 'Compare', screens: ['compare'] },
    { to: '#/sweeps', words: 'Sweeps', screens: ['sweeps', 'sweep'] },
    { to: '#/studies', words: 'Studies', screens: ['studies', 'study'] },
    { to: '#/lab', words: 'Lab', screens: ['lab'] },
  ]

function Page() {
  const [place, setPlace] = useState(placeOf(window.location.hash))
  useEffect(() => {
    const moved = (): void => setPlace(placeOf(window.location.hash))
    window.addEventListener('hashchange', moved)
    return () => window.removeEventListener('hashchange', moved)
  }, [])
  return (
    <>
      <header>
        <span class="name">Overhear</span>
        <nav aria-label="screens">
          {links.map(({ to, words, screens }) => (
            <a key={to} href={to} {...(screens.includes(place.screen) && { 'aria-current': 'page' })}>
              {words}
            </a>
          ))}
        </nav>
      </header>
      <Shown place={place} />
    </>
  )
}

function Shown({ place }: { place: Place }) {
  switch (place.screen) {
    case 'run':
      return <RunScreen key={place.id} id={place.id} />
    case 'explore':
      return <ExploreScreen key={place.id} id={place.id} tab={place.tab} client={place.client} />
    case 'compare':
      return <CompareScreen before={place.before} after={place.after} />
    case 'new':
      return <NewScreen />
    case 'sweeps':
      return <SweepsScreen />
    case 'sweep':
      return <SweepScreen key={place.id} id={place.id} />
    case 'studies':
      return <StudiesScreen list={listStudies} />
    case 'study':
      return <StudyScreen key={place.id} name={place.id} read={readStudy} />
    case 'lab':
      return <LabScreen />
    default:
      return <RunsScreen />
  }
}

render(<Page />, document.getElementById('page')!)
