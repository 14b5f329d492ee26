// Makes dist/page, the page that `overhear serve` shows: one script, bundled and made small from what tsc wrote to
// dist/web/page, one style sheet and one HTML file. build-ts.mjs calls it.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [from, out] = [join(root, 'src', 'web', 'page'), join(root, 'dist', 'page')]

export async function buildPage() {
  const { rolldown } = await import('rolldown')
  const made = await rolldown({ input: join(root, 'dist', 'web', 'page', 'main.js'), platform: 'browser' })
  await made.write({
    file: join(out, 'page.js'),
    format: 'esm',
    minify: true,
    comments: false,
    codeSplitting: false,
  })
  await made.close()
  mkdirSync(out, { recursive: true })
  copyFileSync(join(from, 'index.html'), join(out, 'index.html'))
  writeFileSync(join(out, 'studies.json'), JSON.stringify(fullest(storedStudies()), asShown))
  writeFileSync(join(out, 'page.css'), smallCss(readFileSync(join(from, 'page.css'), 'utf8')))
}

/** Stored results of studies as one list, full runs before quick ones; none in a tree without them. */
export function storedStudies() {
  const folder = join(root, 'studies', 'results')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  const full = (/** @type {string} */ name) => (name.endsWith('-quick.json') ? 1 : 0)
  return names
    .sort((a, b) => full(a) - full(b) || (a < b ? -1 : 1))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

/** Of each study the first that is stored: a full run where there is one. @param {readonly { readonly study: string }[]} stored */
const fullest = (stored) => stored.filter(({ study }, i) => stored.findIndex((one) => one.study === study) === i)

/**
 * A page shows no more of a figure, no median, and names no row: its panel, series and x do. What is empty is left out.
 * studies/results has all.
 * @param {string} key @param {unknown} value
 */
const asShown = (key, value) => {
  if (key === 'name' || key === 'median' || (key === 'paper' && value === null) || (key === 'note' && value === ''))
    return undefined
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
}

/** Without comments and what only people need. @param {string} css */
export const smallCss = (css) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .trim()
