// Two things that people come to the page for, done as somebody new to it would, by what the screen says alone, with the time
// that each takes: from a table of one's own to a verdict, and what changed between two runs.
//   npm run build:ts && node bench/page-tasks.mjs
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { servePage } from 'overhear/node'
import { chromium } from 'playwright-core'

const root = mkdtempSync(join(tmpdir(), 'overhear-tasks-'))
const server = await servePage({ host: '127.0.0.1', port: 0, root: join(root, 'runs') })
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage()
/** A person reads before a click; so long it takes here. */
const reads = () => page.waitForTimeout(2000)

/** Six hundred people of four hospitals: what they cost depends on age and on whether they smoke. */
function table() {
  let state = 7
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const rows = Array.from({ length: 600 }, (_, k) => {
    const [age, bmi, smoker] = [20 + Math.floor(draw() * 50), 18 + Math.floor(draw() * 17), draw() < 0.25]
    const cost = 180 * age + 60 * bmi + (smoker ? 9000 : 0) + Math.floor(draw() * 2500)
    return `p${k},${age},${bmi},${smoker ? 'yes' : 'no'},${'ABCD'[k % 4]},${cost}`
  })
  const file = join(root, 'patients.csv')
  writeFileSync(file, `patient,age,bmi,smoker,hospital,cost\n${rows.join('\n')}\n`)
  return file
}

/** @param {string} name @param {() => Promise<string>} work */
async function timed(name, work) {
  const start = performance.now()
  const found = await work()
  const seconds = (performance.now() - start) / 1000
  console.log(`${name}: ${seconds.toFixed(1)} s (${seconds < 120 ? 'under' : 'OVER'} two minutes): ${found}`)
}

const verdict = async () => (await page.locator('.lead').first().textContent())?.trim() ?? ''

await timed('own CSV to verdict', async () => {
  await page.goto(server.url)
  await reads()
  await page.getByRole('link', { name: 'Start an audit' }).click()
  await reads()
  const [chosen] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByText('Choose files', { exact: true }).click(),
  ])
  await chosen.setFiles(table())
  await page.getByRole('region', { name: 'columns of the table' }).waitFor()
  await reads()
  await page.getByRole('button', { name: 'Start the audit' }).click()
  await page.getByText('questions tested').waitFor({ timeout: 600_000 })
  return verdict()
})

// The same again with secure sums: what the second of two runs would be.
await page.getByRole('button', { name: 'Change and run again' }).click()
await page.getByLabel('add to defences').selectOption('secure-aggregation')
await page.waitForTimeout(1000)
await page.getByRole('button', { name: 'Start the audit' }).click()
await page.getByText('questions tested').waitFor({ timeout: 600_000 })
console.log(`the second run, with secure sums: ${await verdict()}`)

await timed('compare two runs', async () => {
  await page.goto(server.url)
  await page.locator('.runs li').first().waitFor()
  await reads()
  // The newest stands first: the older one is ticked first, as what was before.
  for (const box of (await page.getByRole('checkbox').all()).reverse()) await box.check()
  await page.getByRole('button', { name: 'Compare the two that are ticked' }).click()
  await page.getByText('moved by more than noise').waitFor()
  return `${await verdict()}; ${(await page.getByText('moved by more than noise').first().textContent())?.trim()}`
})

await browser.close()
await server.close()
rmSync(root, { recursive: true, force: true })
