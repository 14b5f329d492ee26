// Writes docs/audit.svg, the picture in the README: the ladder of a real audit's questions, as a file that stands alone.
//   npm run build:ts && node tools/readme-picture.mjs RUN/audit.json        test/readme.test.ts checks that it is fresh
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** @typedef {import('../src/audit/document.js').AuditDocument} AuditDocument */

/** Readable on white and on black: who looks at it may have either. */
const style = `svg { --leak: #d1453b; --weak: #b7791f; --none: #2da44e; --line: #8b949e; --dim: #6e7681; --paper: transparent; --guess: #6e7681; --federation: #3a86d8; --everybody: #1a9e8f; --client: #8b6fe0; --record: #c4429a; color: #6e7681; }
text { font-family: system-ui, sans-serif; fill: #6e7681; }`

/** Questions that are shown: the picture must fit beside a few words. */
const most = 8

/**
 * The worst questions of an audit, each for the weakest observer that learns it.
 * @param {Pick<AuditDocument, 'questions'>} audit
 * @param {{ ladderPlot: typeof import('../src/report/ladder-plot.js').ladderPlot }} report
 */
export function readmePicture({ questions }, { ladderPlot }) {
  const svg = ladderPlot(questions, { most })
  if (svg === '') return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>\n'
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`
  return `${svg.replace('<svg', open).replace('>', `>\n<style>\n${style}\n</style>\n`)}\n`.replaceAll('<g>', '\n<g>')
}

export const picturePath = fileURLToPath(new URL('../docs/audit.svg', import.meta.url))

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const built = (/** @type {string} */ path) => import(new URL(`../dist/report/${path}.js`, import.meta.url).href)
  const audit = /** @type {AuditDocument} */ (JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')))
  writeFileSync(picturePath, readmePicture(audit, await built('ladder-plot')))
}
