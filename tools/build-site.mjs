// Makes a static site that needs no server of ours: the documents, the studies beside the papers, and the lab.
//   npm run build:ts && node tools/build-site.mjs --out DIR [--run RUN ...]
// What is in it is of nobody: documents, means of stored studies, and of each --run the report without people. Put DIR behind any
// server of files; the documents open from file:// too, studies and the lab need http (browsers start no workers from files).
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { smallCss, storedStudies } from './build-page.mjs'
import { escaped, markdown } from './site/markdown.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const textPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
const appPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"

/** @param {{ title: string, policy: string, up: string, head?: string, body: string }} page */
const whole = ({ title, policy, up, head = '', body }) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${up}page/page.css">${head}</head><body>
${body}
</body></html>
`

/** Documents by their place: what is below docs/, and those of the root that speak to readers. */
function documents() {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
  return ['README.md', 'SECURITY.md', 'CHANGELOG.md', ...below.sort()]
}

/** Where an address of a document leads on the site. @param {string} from @param {ReadonlySet<string>} known @returns {(to: string) => string | null} */
const linkFrom = (from, known) => (to) => {
  if (/^https:\/\//.test(to)) return to
  if (/^[a-z]+:/i.test(to)) return null
  const [path = '', anchor] = to.split('#')
  const tail = anchor === undefined ? '' : `#${anchor}`
  if (path === '') return tail
  const at = posix.normalize(posix.join(posix.dirname(from), path))
  const written = known.has(at) ? pageOf(at) : /^docs\/.*\.(?:png|svg)$/.test(at) ? at : null
  return written === null ? null : posix.relative(posix.dirname(pageOf(from)), written) + tail
}

/** @param {string} path of a document */
const pageOf = (path) => (path === 'README.md' ? 'index.html' : path.replace(/\.md$/, '.html'))

/** @param {string} out @param {readonly string[]} reports */
function writeDocuments(out, reports) {
  const all = documents()
  const known = new Set(all)
  const read = all.map((path) => ({ path, ...markdown(readFileSync(join(root, path), 'utf8'), linkFrom(path, known)) }))
  for (const { path, title, html } of read) {
    const at = pageOf(path)
    const up = '../'.repeat(at.split('/').length - 1)
    const list = read
      .map((one) => {
        const here = one.path === path ? ' aria-current="page"' : ''
        return `<li><a href="${up}${pageOf(one.path)}"${here}>${escaped(one.title)}</a></li>`
      })
      .join('')
    const shown = reports.map((name) => `<li><a href="${up}runs/${escaped(name)}.html">${escaped(name)}, without people</a></li>`) // biome-ignore format: one line
    const body = `<header><span class="name">Overhear</span><nav aria-label="parts of the site"><a href="${up}index.html" aria-current="page">Documents</a><a href="${up}app.html#/studies">Studies</a><a href="${up}app.html#/lab">Lab</a></nav></header>
<div class="documents"><nav aria-label="documents"><ul>${list}${shown.join('')}</ul></nav><main>${html}</main></div>`
    mkdirSync(join(out, posix.dirname(at)), { recursive: true })
    writeFileSync(join(out, at), whole({ title, policy: textPolicy, up, body }))
  }
  for (const name of readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })) {
    if (/\.(?:png|svg)$/.test(name)) cpSync(join(root, 'docs', name), join(out, 'docs', name))
  }
  return read.length
}

/** The page's own code for studies and the lab: one script, one worker. @param {string} out */
async function writeApp(out) {
  const { rolldown } = await import('rolldown')
  const built = [
    ['web/page/site-main.js', 'page/site.js'],
    ['web/lab-worker.js', 'bundle/web/lab-worker.js'],
  ]
  for (const [from = '', to = ''] of built) {
    const made = await rolldown({ input: join(root, 'dist', from), platform: 'browser' })
    await made.write({ file: join(out, to), format: 'esm', minify: true, comments: false, codeSplitting: false })
    await made.close()
  }
  const css = ['src/web/page/page.css', 'tools/site/site.css'].map((name) => readFileSync(join(root, name), 'utf8'))
  writeFileSync(join(out, 'page', 'page.css'), smallCss(css.join('\n')))
  writeFileSync(join(out, 'page', 'studies.json'), JSON.stringify(storedStudies()))
  const head = '<script type="module" src="page/site.js"></script>'
  const body = '<div id="page"></div><noscript>Studies and the lab need JavaScript.</noscript>'
  writeFileSync(join(out, 'app.html'), whole({ title: 'Overhear', policy: appPolicy, up: '', head, body }))
}

/** Reports without people. @param {string} out @param {readonly string[]} runs */
async function writeReports(out, runs) {
  if (runs.length === 0) return []
  const load = (/** @type {string} */ path) => import(pathToFileURL(join(root, 'dist', path)).href)
  const [{ readAudit }, { redacted }, { reportHtml }] = await Promise.all([load('node/files/audit-file.js'), load('audit/finished/redacted.js'), load('report/report-html.js')]) // biome-ignore format: one line
  mkdirSync(join(out, 'runs'), { recursive: true })
  return runs.map((run) => {
    const name = basename(run).replace(/[^\w.-]/g, '-')
    writeFileSync(join(out, 'runs', `${name}.html`), reportHtml(redacted(readAudit(run))))
    return name
  })
}

/** @param {{ out: string, runs?: readonly string[] }} options */
export async function buildSite({ out, runs = [] }) {
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty: give a new folder`)
  mkdirSync(out, { recursive: true })
  await writeApp(out)
  return { documents: writeDocuments(out, await writeReports(out, runs)) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: 'string' }, run: { type: 'string', multiple: true } } })
  if (values.out === undefined) {
    console.error('usage: node tools/build-site.mjs --out DIR [--run RUN ...]')
    process.exit(2)
  }
  const { documents: count } = await buildSite({ out: values.out, runs: values.run ?? [] })
  console.log(`${values.out}: ${count} documents, studies and the lab; index.html`)
}
