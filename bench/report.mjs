// How a report of a large audit behaves in an installed Chromium, opened as a file: by default 1,000 questions of 40 attacks
// each, made up from a real run. Times in milliseconds: made, first paint, ready, scrolled, one search over everything.
//   npm run build:ts && node bench/report.mjs RUN [--clients 1000] [--attacks 40]      RUN: the folder of an audit
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { reportHtml } from 'overhear'
import { chromium } from 'playwright-core'

const { values, positionals } = parseArgs({
  options: { clients: { type: 'string', default: '1000' }, attacks: { type: 'string', default: '40' } },
  allowPositionals: true,
})
const [clients, attacks] = [Number(values.clients), Number(values.attacks)]
const audit = JSON.parse(readFileSync(join(positionals[0] ?? '', 'audit.json'), 'utf8'))
const [question] = audit.questions.filter((/** @type {any} */ one) => one.target !== null)
const [result] = audit.observers.flatMap((/** @type {any} */ one) => one.attacks).filter((/** @type {any} */ one) => one.target !== null && one.status === 'claimed') // biome-ignore format: a line

/** Another client, asked by other attacks. @type {any} */
const large = {
  ...audit,
  questions: Array.from({ length: clients }, (_, k) => ({
    ...question,
    target: `client-${k}`,
    attacks: Array.from({ length: attacks }, (_, i) => ({ ...question.attacks[0], attack: `attack-${i}` })),
  })),
  observers: [
    {
      observer: result.observer,
      title: 'all of it',
      attacks: Array.from({ length: clients * attacks }, (_, k) => ({
        ...result,
        target: `client-${Math.floor(k / attacks)}`,
        attack: `attack-${k % attacks}`,
      })),
    },
  ],
}

const folder = mkdtempSync(join(tmpdir(), 'overhear-bench-'))
const file = join(folder, 'report.html')
const began = performance.now()
const html = reportHtml(clients * attacks === 0 ? audit : large)
const made = performance.now() - began
writeFileSync(file, html)
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
await page.goto(pathToFileURL(file).href)
await page.locator('html[data-ready]').waitFor({ state: 'attached' })
const inside = await page.evaluate(async () => {
  const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null
  const ready = Number(document.documentElement.dataset.ready)
  const start = performance.now()
  scrollTo(0, document.documentElement.scrollHeight)
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  const scrolled = performance.now() - start
  const input = /** @type {HTMLInputElement} */ (document.getElementById('find'))
  const asked = performance.now()
  input.value = document.getElementById('questions-rows') === null ? 'client 0' : 'client-777'
  input.dispatchEvent(new Event('input'))
  while (document.querySelector('#look-up a') === null && performance.now() - asked < 20_000) await new Promise((done) => setTimeout(done, 5)) // biome-ignore format: a line
  return { paint, ready, scrolled, found: performance.now() - asked }
})
console.log(JSON.stringify({ questions: clients, rows: clients * attacks, megabytes: Number((html.length / 1e6).toFixed(2)), made: Math.round(made), ...Object.fromEntries(Object.entries(inside).map(([key, x]) => [key, x === null ? null : Math.round(x)])) })) // biome-ignore format: a line
await browser.close()
rmSync(folder, { recursive: true, force: true })
