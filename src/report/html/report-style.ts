/** How a report looks: one palette for light, dark and paper, one scale of type, one of space. */

/** The colours of everything that is drawn, here, on the page and in pictures: of words (leak, weak, none), then of the rungs. */
export const palette = {
  light: {
    ink: '#1d2330',
    dim: '#69707d',
    line: '#d9dde4',
    leak: '#b3261e',
    weak: '#9a6700',
    none: '#1a7f37',
    paper: '#fff',
    guess: '#69707d',
    federation: '#1f6fb5',
    everybody: '#0f7f73',
    client: '#6b4fc2',
    record: '#8f1d6b',
  },
  dark: {
    ink: '#e6e8ec',
    dim: '#9aa2af',
    line: '#3a404b',
    leak: '#ff8a80',
    weak: '#e3b341',
    none: '#56d364',
    paper: '#14171c',
    guess: '#9aa2af',
    federation: '#6cb6ff',
    everybody: '#4fd1c0',
    client: '#b49cff',
    record: '#f28bd0',
  },
  paper: {
    ink: '#1d2330',
    dim: '#555c68',
    line: '#c9ced6',
    leak: '#b3261e',
    weak: '#7a5200',
    none: '#176b2f',
    paper: '#fff',
    guess: '#69707d',
    federation: '#1f6fb5',
    everybody: '#0f7f73',
    client: '#6b4fc2',
    record: '#8f1d6b',
  },
} as const

const set = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';')

export const style = `
:root{color-scheme:light dark;--small:.8125rem;${set(palette.light)}}
@media (prefers-color-scheme:dark){:root{${set(palette.dark)}}}
:root[data-theme=light]{color-scheme:light;${set(palette.light)}}
:root[data-theme=dark]{color-scheme:dark;${set(palette.dark)}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:80rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;margin:.5rem 0 0}h2{font-size:1.125rem;margin:2.5rem 0 .5rem}h3{font-size:1rem;margin:1.5rem 0 .25rem}
p{margin:.5rem 0}a{color:inherit}.dim{color:var(--dim)}.about{font-size:var(--small);margin:.25rem 0 1rem}
.word{font-size:1.5rem;font-weight:600;margin:0;line-height:1.25}.leak{color:var(--leak)}.weak{color:var(--weak)}.none{color:var(--none)}
td.leak,td.weak,td.none{font-weight:600}.lead{font-size:1.0625rem;max-width:62rem}
.front{border:1px solid var(--line);border-left:6px solid var(--tone);border-radius:4px;padding:1rem 1.25rem}
.front.leak{--tone:var(--leak)}.front.weak{--tone:var(--weak)}.front.none{--tone:var(--none)}.front{color:var(--ink)}
.heard{list-style:none;padding:0;margin:.75rem 0 0}.heard li{padding:.4rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}.heard b{display:inline-block}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:.25rem 2rem;margin:1rem 0 0}
.facts>div{border-top:1px solid var(--line);padding:.5rem 0}.facts dt{font-weight:600}.facts dd{margin:0;overflow-wrap:anywhere}.facts dd+dd{margin-top:.25rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}caption{text-align:left;font-weight:600;padding:.25rem 0}
th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--dim)}td.n,th.n{text-align:right}td.n,td.k{white-space:nowrap}td.n .dim{white-space:normal}table.data td:first-child{min-width:8rem}#questions td:first-child{min-width:11rem}.small{width:auto}
.scroll{overflow-x:auto}details{margin:.4rem 0}summary{cursor:pointer;padding:.25rem 0;overflow-wrap:anywhere}details>summary>b{font-weight:600}
details.part{border-top:1px solid var(--line)}details.part>:not(summary){margin-left:1rem}
pre{overflow:auto;font-size:var(--small)}svg{display:block;max-width:100%}svg text{fill:var(--ink)}svg .dim{fill:var(--dim)}
.below{display:grid;gap:0 2.5rem}@media (min-width:75rem){.below{grid-template-columns:minmax(0,1fr) 19rem}.below .facts{grid-template-columns:1fr;align-content:start;margin-top:2.5rem}}.paper{display:none}svg:not([width]){max-width:56rem}.narrow{display:none}
.figures{display:flex;flex-wrap:wrap;gap:1.5rem}figure{margin:0}figcaption{font-size:var(--small);color:var(--dim);max-width:32rem}.figures figcaption{max-width:16rem}
.bar{display:flex;gap:.5rem;align-items:center;flex-wrap:wrap;margin:.25rem 0;font-size:var(--small)}
p.source{font-size:var(--small);margin:.1rem 0 .5rem}dt .source{font-weight:400;font-size:var(--small)}
button,input{font:inherit;font-size:var(--small);color:var(--ink);background:var(--paper);border:1px solid var(--dim);border-radius:4px;padding:.15rem .5rem}
button{cursor:pointer}th button{border:0;padding:0;font-weight:600;color:var(--dim);text-align:inherit;font-size:inherit;background:none}
th[aria-sort=ascending] button::after{content:" ▲"}th[aria-sort=descending] button::after{content:" ▼"}
button.term{border:0;border-bottom:1px dotted var(--dim);border-radius:0;padding:0;font-size:inherit;font-weight:inherit;color:inherit;background:none}
[popover]{max-width:24rem;border:1px solid var(--dim);border-radius:4px;padding:.75rem 1rem;color:var(--ink);background:var(--paper)}
:focus-visible{outline:2px solid var(--ink);outline-offset:2px}#look-up{display:flex;gap:.5rem;align-items:center;flex-wrap:wrap;margin:2rem 0 0}#look-up input{font-size:1rem;width:20rem;max-width:100%;padding:.3rem .6rem}
@media (max-width:44rem){body{padding:.5rem}.front{padding:.75rem}.wide{display:none}.narrow{display:block}details.part>:not(summary){margin-left:0}}
@media print{
@page{size:A4;margin:13mm}:root,:root[data-theme]{color-scheme:light;${set(palette.paper)}}
body{font-size:8.5pt;line-height:1.35;max-width:none;padding:0}h1{font-size:14pt;margin:0}h2{font-size:11pt;margin:.8rem 0 .25rem;break-after:avoid}.word{font-size:14pt}p{margin:.25rem 0}.about{margin-bottom:.4rem;font-size:7.5pt}.heard{margin-top:.4rem}.heard li{padding:.2rem 0}.front{padding:.6rem .8rem}.facts>div{padding:.25rem 0}.facts dd+dd{margin-top:0}button.term{border:0}a{text-decoration:none}h3,caption,summary{break-after:avoid}
.wide,.paper{display:block}.words{columns:2;column-gap:1.5rem;font-size:7.5pt}.words>div{break-inside:avoid;margin:0 0 .2rem}.words dt{font-weight:600;display:inline}.words dd{display:inline;margin:0 0 0 .3rem}.narrow,.bar,#look-up,#actions,[popover],.screen{display:none!important}
figcaption{font-size:7.5pt}#questions td:first-child{min-width:8rem}#questions td:nth-child(2){min-width:8.5rem}#questions td:nth-child(3){min-width:4.5rem}th,td{padding:.1rem .35rem .1rem 0;font-size:7.5pt;overflow-wrap:break-word}td:first-child,td .dim{overflow-wrap:anywhere}.scroll{overflow:visible}
tr,svg,li,.facts>div,figure{break-inside:avoid}thead{display:table-header-group}details:not([open]){display:none}
.front{border-color:var(--line)}.below{display:block}.below .facts{grid-template-columns:1fr 1fr;margin-top:.5rem}.sheet{break-after:page}
.front{border-left-color:var(--tone)}.summary-only .rest{display:none}.summary-only .sheet{break-after:auto}
}
`
