/** The page of reproductions: each study with its pictures, its rows beside the paper's, and its claims, as one HTML file. */
import { escaped } from './escape.js'
import { type Spot, sameScale, smallPicture } from './small-picture.js'
import { claimText, oursText, panelsOf, paperText, runText, type ToldStudy } from './study-text.js'

const style = `
  :root { color-scheme: light dark; --ink: #1d2330; --dim: #69707d; --line: #d9dde4; --paper: #fff; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --dim: #9aa2af; --line: #3a404b; --paper: #14171c; } }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .3rem; } h3 { font-size: 1rem; margin: 1rem 0 .3rem; } .dim { color: var(--dim); }
  table { border-collapse: collapse; } td, th { text-align: left; padding: .15rem .8rem .15rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; } figure { margin: .6rem 0; } .key { display: inline-block; width: .8rem; height: .8rem; margin-right: .3rem; }
  svg text { fill: var(--ink); } svg .dim { fill: var(--dim); }
`
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** Told apart by people who see few colours, too; the key is in words. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f7f', '#000000']

type Panel = ReturnType<typeof panelsOf> extends Map<string, infer S> ? S : never

/** Curves of a panel, where its series have several places on an axis. */
function pictureOf(panel: string, series: Panel, axis: string): string {
  const lines = [...series]
  const spots = lines.flatMap(([, rows], line): Spot[] =>
    rows.flatMap(({ x, ours }) => (x === undefined ? [] : [{ x, y: ours.mean, line }])),
  )
  if (new Set(spots.map(({ x }) => x)).size < 2) return ''
  const scale = sameScale(spots.map(({ y }) => y))
  const picture = smallPicture(spots, { scale, colours, joined: true, label: `${panel} by ${axis}` })
  const key = lines.map(
    ([name], i) =>
      `<span><span class="key" style="background:${colours[i % colours.length]}"></span>${escaped(name)}</span>`,
  )
  return `<figure>${picture}<figcaption class="dim">${escaped(axis)} to the right. ${key.join(' ')}</figcaption></figure>`
}

function sectionOf(study: ToldStudy): string {
  const { study: id, title, where, paper, unit, axis, claims, departs, run } = study
  const panels = [...panelsOf(study)].map(([panel, series]) => {
    const rows = [...series.values()].flat().map((row) => {
      const name = row.x === undefined ? row.series : `${row.series}, ${axis} ${row.x}`
      return `<tr><td>${escaped(name)}</td><td class="number">${escaped(oursText(row))}</td><td class="number">${escaped(paperText(row))}</td><td class="dim">${escaped(row.note)}</td></tr>`
    })
    const head = '<tr><th></th><th>ours</th><th>paper</th><th></th></tr>'
    return `<h3>${escaped(panel)}</h3>${pictureOf(panel, series, axis ?? '')}<table>${head}${rows.join('')}</table>`
  })
  const list = (lines: readonly string[]): string =>
    lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`
  return `<section id="${escaped(id)}"><h2>${escaped(`${id}: [${paper}] ${where}`)}</h2>
<p>${escaped(title)}. <span class="dim">${escaped(unit)}; ${escaped(runText(run))}.</span></p>
${panels.join('\n')}
${list(run.trouble.map((line) => `not measured: ${line}`))}
<h3>What the paper says</h3>${list(claims.map(claimText))}
<h3>Where ours differs</h3>${list(departs)}</section>`
}

/** One page for all of them, which needs nothing else. */
export function studyPage(studies: readonly ToldStudy[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width"><title>Overhear: reproductions</title><style>${style}</style></head>
<body><h1>Tables and figures of the papers, ours beside theirs</h1>
${studies.map(sectionOf).join('\n')}
</body></html>
`
}
