// The lab of the page in Chromium beside the same in Node: in turns, the least of each; the time to the first rungs (from the
// settings, and from opening the screen, the worst), and the tasks of the page over 50 ms meanwhile.
//   npm run build:ts && node bench/lab.mjs [--turns 3]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { servePage } from 'overhear/node'
import { chromium } from 'playwright-core'

const turns = Number(process.argv[process.argv.indexOf('--turns') + 1] || 3) || 3
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const settings = { batchSize: 0, localEpochs: 10, rounds: 20, heterogeneity: 0.4, noise: 0, seed: 1 }

/** @typedef {{ first: number, all: number, opened?: number }} Times */

/** In a process that has just started, as a worker of the page has. @returns {Promise<Times>} */
async function inNode() {
  const { spawnSync } = await import('node:child_process')
  const at = JSON.stringify(new URL('../dist/web/lab.js', import.meta.url).href)
  const code = `const { runLab } = await import(${at}); const start = performance.now(); let first
    for await (const event of runLab(${JSON.stringify(settings)})) if (event.kind === 'rungs') first ??= performance.now() - start
    console.log(JSON.stringify({ first, all: performance.now() - start }))`
  return JSON.parse(spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).stdout)
}

const root = mkdtempSync(join(tmpdir(), 'overhear-lab-'))
const server = await servePage({ host: '127.0.0.1', port: 0, root })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const page = await browser.newPage()
await page.goto(server.url)
await page.evaluate(() => {
  const tasks = /** @type {number[]} */ ([])
  Object.assign(window, { tasks })
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) tasks.push(one.duration)
  }).observe({ type: 'longtask', buffered: true })
})

/** @returns {Promise<Times>} */
async function inChromium() {
  await page.evaluate(() => {
    window.location.hash = '#/'
  })
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await page.evaluate(() => {
    window.location.hash = '#/lab'
  })
  const begun = performance.now()
  await page.locator('.questions.lab > li').first().waitFor({ timeout: 300_000 })
  const opened = performance.now() - begun
  const told = page.locator('.lab-progress[data-state=done]')
  await told.waitFor({ timeout: 300_000 })
  const [first, all] = [await told.getAttribute('data-first'), await told.getAttribute('data-at')]
  return { first: Number(first), all: Number(all), opened }
}

/** @type {{ node: Times[], chromium: Times[] }} */
const times = { node: [], chromium: [] }
for (let turn = 0; turn < turns; turn++) {
  times.node.push(await inNode())
  times.chromium.push(await inChromium())
}
const tasks = await page.evaluate(() => /** @type {{ tasks: number[] }} */ (/** @type {unknown} */ (window)).tasks)
await browser.close()
await server.close()
rmSync(root, { recursive: true, force: true })

/** @param {Times[]} list @param {'first' | 'all'} key */
const least = (list, key) => Math.min(...list.map((one) => one[key]))
console.log(
  JSON.stringify(
    {
      node: { first: least(times.node, 'first'), all: least(times.node, 'all') },
      chromium: { first: least(times.chromium, 'first'), all: least(times.chromium, 'all') },
      openedToFirst: Math.max(...times.chromium.map(({ opened = 0 }) => opened)),
      speed: least(times.node, 'all') / least(times.chromium, 'all'),
      longTasks: tasks,
    },
    null,
    1,
  ),
)
