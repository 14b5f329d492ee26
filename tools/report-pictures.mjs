// Takes the pictures of docs/reading.md in an installed Chromium, the report of a run wide and narrow, and does what people
// come for, with the time and the clicks that each takes: who is exposed, is my epsilon good, a PDF for the officer.
//   npm run build:ts && node tools/report-pictures.mjs RUN
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const [, , run] = process.argv
if (run === undefined) {
  console.error('usage: node tools/report-pictures.mjs RUN')
  process.exit(2)
}
const [out, bin] = ['../docs/pictures', '../bin/overhear.mjs'].map((path) => fileURLToPath(new URL(path, import.meta.url))) // biome-ignore format: a line
mkdirSync(out ?? '', { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'overhear-pictures-'))
const command = (/** @type {string[]} */ ...args) => {
  const { status, stderr } = spawnSync(process.execPath, [bin ?? '', ...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
const report = join(work, 'report.html')
command('report', run, '--out', report)
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })

for (const [name, width, height, colorScheme] of /** @type {const} */ ([
  ['report', 1210, 560, 'light'],
  ['report-narrow', 400, 640, 'dark'],
])) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme })
  await page.goto(pathToFileURL(report).href)
  const path = join(out ?? '', `${name}.png`)
  await page.screenshot({ path })
  console.log(`${path}: ${statSync(path).size} bytes`)
  await page.close()
}

const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
const task = async (/** @type {string} */ name, /** @type {() => Promise<string>} */ does) => {
  const began = performance.now()
  const said = await does()
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s; ${said}`)
}
await task('is my epsilon good', async () => {
  await page.goto(pathToFileURL(report).href)
  const fact = page.locator('.facts > div', { hasText: 'claimed, accounted, empirical' })
  return `no click: ${(await fact.locator('dd').allTextContents()).join(' ')}`
})
await task('which patient is exposed', async () => {
  await page.goto(pathToFileURL(report).href)
  await page.getByRole('link', { name: 'who they are' }).click()
  await page.getByText('By record').click()
  const rows = page.locator('#people tbody tr')
  const [count, first] = [await rows.count(), (await rows.first().locator('td').allTextContents()).join(', ')]
  return `two clicks: ${count} rows, the first: ${first}`
})
await task('a PDF for the officer', async () => {
  const file = join(work, 'officer.pdf')
  command('report', run, '--pdf', '--out', file)
  const pages = readFileSync(file, 'latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
  return `one command: ${pages} pages, ${statSync(file).size} bytes`
})
await browser.close()
rmSync(work, { recursive: true, force: true })
