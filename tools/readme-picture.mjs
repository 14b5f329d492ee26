// Writes docs/audit.svg, the picture in the README: the report's own plot of a real audit, as a file that stands alone.
//   npm run build:ts && node tools/readme-picture.mjs RUN/audit.json        test/readme.test.ts checks that it is fresh
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** @typedef {import('../src/audit/document.js').AuditDocument} AuditDocument */

/** Readable on white and on black: who looks at it may have either. */
const style = `svg { --leak: #d1453b; --weak: #b7791f; --none: #2da44e; --line: #8b949e; --paper: transparent; color: #6e7681; }
text { font-family: system-ui, sans-serif; fill: #6e7681; }`

/**
 * What each attack learned of the first client that was attacked, without copies and oracles.
 * @param {AuditDocument} audit
 * @param {{ dotPlot: typeof import('../src/report/dot-plot.js').dotPlot,
 *   rowsOf: typeof import('../src/report/result-rows.js').rowsOf }} report
 */
export function readmePicture({ observers }, { dotPlot, rowsOf }) {
  const own = observers.map(({ attacks }) => attacks.filter(({ oracle, sameAs }) => !oracle && sameAs === undefined))
  const first = own.flat().find(({ target }) => target !== null)?.target ?? null
  const rows = own.flatMap((attacks) => rowsOf(attacks.filter(({ target }) => target === null || target === first)))
  const svg = dotPlot(rows)
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`
  return `${svg.replace('<svg', open).replace('>', `>\n<style>\n${style}\n</style>\n`)}\n`.replaceAll('<g>', '\n<g>')
}

export const picturePath = fileURLToPath(new URL('../docs/audit.svg', import.meta.url))

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const built = (/** @type {string} */ path) => import(new URL(`../dist/report/${path}.js`, import.meta.url).href)
  const audit = /** @type {AuditDocument} */ (JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')))
  writeFileSync(picturePath, readmePicture(audit, { ...(await built('dot-plot')), ...(await built('rows')) }))
}
