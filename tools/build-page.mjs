// Makes dist/page, the page that `overhear serve` shows: one script, bundled and made small from what tsc wrote to
// dist/web/page, one style sheet and one HTML file. build-ts.mjs calls it.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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
  writeFileSync(join(out, 'page.css'), smallCss(readFileSync(join(from, 'page.css'), 'utf8')))
}

/** Without comments and what only people need. @param {string} css */
const smallCss = (css) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .trim()
