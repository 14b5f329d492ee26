/** Studies: tables and figures of the papers, ours beside theirs, from stored results. */
import type { StoredStudy, StudyRow, StudySummary } from '../../api/sweeps.js'
import { figure } from '../../audit/figures.js'
import { toStudy } from './places.js'
import { Screen } from './screen.js'
import { SmallMultiple } from './small-multiple.js'
import { useLoaded } from './use-loaded.js'

export function StudiesScreen({ list }: { list(): Promise<readonly StudySummary[]> }) {
  const { value, error } = useLoaded(list, [])
  return (
    <Screen title="Studies" error={error}>
      <p>Tables and figures of four papers, measured again. "overhear reproduce" runs them on this machine.</p>
      <ul class="runs">
        {value?.map(({ key, study, title, where, paper, quick, date, holds, fails, claims, run }) => (
          <li key={key}>
            <div>
              <a href={toStudy(key)}>
                {study}, {paper} {where}
              </a>{' '}
              <span class="dim">
                {holds} of {claims} claims hold{fails > 0 && `, ${fails} do not`}
              </span>
              <p class="sentence">{title}</p>
              <p class="dim small">
                {quick ? 'quick' : 'full'} run of {date} · {run ?? 'came with the package'}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Screen>
  )
}

interface StudyProps {
  readonly name: string
  read(name: string): Promise<StoredStudy>
}

export function StudyScreen({ name, read }: StudyProps) {
  const { value, error } = useLoaded(() => read(name), [name])
  return (
    <Screen title={value?.study ?? name} error={error}>
      {value !== null && <StudyShown study={value} />}
    </Screen>
  )
}

const holdsWord = (holds: boolean | null): string =>
  holds === null ? 'not decided' : holds ? 'holds' : 'does not hold'

function StudyShown({ study }: { study: StoredStudy }) {
  const { title, paper, where, unit, rows, claims, departs, run } = study
  const panels = [...new Set(rows.map(({ panel }) => panel))]
  return (
    <>
      <p class="lead">
        {paper} {where}
      </p>
      <p class="sentence">
        {title}. <span class="dim">In {unit}.</span>
      </p>
      <p class="dim small">
        {run.quick ? 'quick' : 'full'} run of {run.date}, {run.cells} of {run.planned} cells, overhear {run.version}
      </p>
      <ul class="legend">
        <li>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <g class="box">
              <circle cx="6" cy="6" r="4" />
            </g>
          </svg>
          ours; a line: one deviation to both sides
        </li>
        {rows.some((one) => one.paper !== null) && (
          <li>
            <svg viewBox="0 0 12 12" aria-hidden="true">
              <path class="theirs" d="M6 1l5 5l-5 5l-5 -5z" />
            </svg>
            the paper's
          </li>
        )}
      </ul>
      {panels.map((panel) => (
        <StudyPanel key={panel} panel={panel} rows={rows.filter((one) => one.panel === panel)} study={study} />
      ))}
      <h2>What the paper says</h2>
      <ul>
        {claims.map(({ text, holds, believed }) => (
          <li key={text}>
            <span class={`word ${holds === null ? 'weak' : holds ? 'none' : 'leak'}`}>{holdsWord(holds)}</span>: {text}
            {believed !== undefined && <p class="dim">{believed}</p>}
          </li>
        ))}
      </ul>
      <h2>Where ours differs</h2>
      <ul>
        {[...departs, ...run.trouble.map((one) => `not measured: ${one}`)].map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </>
  )
}

interface PanelProps {
  readonly panel: string
  readonly rows: readonly StudyRow[]
  readonly study: StoredStudy
}

function StudyPanel({ panel, rows, study }: PanelProps) {
  const series = [...new Set(rows.map((one) => one.series))]
  const ends = rows.flatMap(({ ours, paper }) => [
    ours.mean - ours.std,
    ours.mean + ours.std,
    ...(paper === null ? [] : [paper.mean]),
  ])
  const [low, high] = [Math.min(...ends), Math.max(...ends)]
  const curves = rows.some(({ x }) => x !== undefined)
  return (
    <>
      <h2>{panel === '' ? study.where : panel}</h2>
      {curves ? (
        <div class="multiples">
          {series.map((name) => {
            const own = rows.filter((one) => one.series === name).sort((a, b) => (a.x ?? 0) - (b.x ?? 0))
            const points = own.map(({ x, ours, paper }) => ({
              at: String(x ?? ''),
              x: x ?? null,
              mean: ours.mean,
              least: ours.mean - ours.std,
              most: ours.mean + ours.std,
              paper: paper?.mean ?? null,
            }))
            const shown = { title: name, axis: study.axis ?? 'x', points }
            return <SmallMultiple key={name} panel={shown} low={low} high={high} figure={study.unit} />
          })}
        </div>
      ) : (
        <Rows rows={rows} low={low} high={high} />
      )}
    </>
  )
}

const [wide, tall] = [320, 20]

/** A row for each series: ours and the paper's on one line. */
function Rows({ rows, low, high }: { rows: readonly StudyRow[]; low: number; high: number }) {
  const x = (value: number): number => 8 + ((value - low) / (high > low ? high - low : 1)) * (wide - 16)
  return (
    <table class="study">
      <thead>
        <tr>
          <th scope="col">what</th>
          <th scope="col">
            {figure(low)} to {figure(high)}
          </th>
          <th scope="col">ours</th>
          <th scope="col">the paper's</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ series, ours, paper, note }) => (
          <tr key={series}>
            <th scope="row">
              {series}
              {note !== '' && <span class="dim small"> {note}</span>}
            </th>
            <td>
              <svg class="ladder" viewBox={`0 0 ${wide} ${tall}`} aria-hidden="true">
                <line class="axis" x1={8} x2={wide - 8} y1={tall / 2} y2={tall / 2} />
                <g class="box">
                  <line x1={x(ours.mean - ours.std)} x2={x(ours.mean + ours.std)} y1={tall / 2} y2={tall / 2} />
                  <circle cx={x(ours.mean)} cy={tall / 2} r={4} />
                </g>
                {paper !== null && <path class="theirs" d={`M${x(paper.mean)} ${tall / 2 - 6}l6 6l-6 6l-6 -6z`} />}
              </svg>
            </td>
            <td>{ours.n > 1 ? `${figure(ours.mean)} ± ${figure(ours.std)}` : figure(ours.mean)}</td>
            <td>{paper === null ? '' : figure(paper.mean)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
