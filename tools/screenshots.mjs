// Takes the pictures of docs/page.md in an installed Chromium: the list of runs, a run, its messages, a new audit, a sweep, a
// study, and the lab.
//   npm run build:ts && node tools/screenshots.mjs RUNS [NAME ...]
// RUNS: a folder of runs and a sweep; the newest are shown; NAMEs: of pictures, all of them unless told
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { servePage } from 'overhear/node'
import { chromium } from 'playwright-core'

const [, , runs, ...wanted] = process.argv
if (runs === undefined) {
  console.error('usage: node tools/screenshots.mjs RUNS [NAME ...]')
  process.exit(2)
}
const out = fileURLToPath(new URL('../docs/pictures', import.meta.url))
mkdirSync(out, { recursive: true })
const mostBytes = 110_000

const server = await servePage({ host: '127.0.0.1', port: 0, root: runs })
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const page = await (await browser.newContext({ viewport: { width: 960, height: 600 } })).newPage()
await page.goto(server.url)
/** @type {{ id: string }[]} */
const [newest] = await (await fetch(`${server.url}api/runs`)).json()
/** @type {{ id: string }[]} */
const [sweep] = await (await fetch(`${server.url}api/sweeps`)).json()
if (newest === undefined || sweep === undefined) throw new Error(`${runs} holds no run, or no sweep`)

/** @type {readonly (readonly [name: string, hash: string, settled: string])[]} */
const shots = [
  ['runs', '#/', '.runs'],
  ['run', `#/run/${newest.id}`, '.questions'],
  ['messages', `#/explore/${newest.id}`, 'tbody tr'],
  ['participation', `#/explore/${newest.id}/rounds`, '.matrix tr'],
  ['sweep', `#/sweep/${sweep.id}`, 'canvas[data-state=drawn]'],
  ['study', '#/study/stored.aia-table-1', 'tbody tr'],
  ['new-audit', '#/new', 'textarea'],
  ['lab', '#/lab', '.lab-progress[data-state=done]'],
]
/** What is worth more room than a screen has. */
const tall = ['participation', 'sweep', 'messages']
for (const [name, hash, settled] of shots) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  await page.setViewportSize({ width: 960, height: tall.includes(name) ? 840 : 600 })
  await page.evaluate((to) => {
    window.location.hash = to
  }, hash)
  await page.locator(settled).first().waitFor({ timeout: 300_000 })
  await page.waitForTimeout(1000)
  const path = join(out, `page-${name}.png`)
  await page.screenshot({ path })
  const { size } = statSync(path)
  console.log(`${path}: ${size} bytes`)
  if (size > mostBytes) throw new Error(`${path} takes ${size} bytes, more than ${mostBytes}`)
}
await browser.close()
await server.close()
