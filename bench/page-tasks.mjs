// Five things that people come for, done as somebody new to it would, by what the screen says alone, with the time that each takes:
// from a table of one's own to a verdict, which patient is exposed, whether an epsilon is good, what changed between two runs,
// and a PDF for the officer.
//   npm run build:ts && node bench/page-tasks.mjs [--workers N] [--keep DIR]        DIR: where its runs stay
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { servePage } from 'overhear/node'
import { chromium } from 'playwright-core'

const { values } = parseArgs({ options: { workers: { type: 'string' }, keep: { type: 'string' } } })
const always = values.workers === undefined ? [] : ['--workers', values.workers]
const root = values.keep ?? mkdtempSync(join(tmpdir(), 'overhear-tasks-'))
mkdirSync(root, { recursive: true })
const server = await servePage({ host: '127.0.0.1', port: 0, root: join(root, 'runs'), always })
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage()
/** A person reads before a click; so long it takes here. */
const reads = () => page.waitForTimeout(2000)

/** Patients of four hospitals: what they cost depends on what was measured, and a little on whether they smoke, so that nobody can guess it. */
function table() {
  let state = 7
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const measured = ['age', 'bmi', 'systolic', 'diastolic', 'cholesterol', 'glucose', 'visits', 'creatinine', 'haemoglobin', 'pulse'] // biome-ignore format: one line
  const rows = Array.from({ length: 160 }, (_, k) => {
    const values = measured.map(() => 20 + Math.floor(draw() * 60))
    const smoker = draw() < 0.25
    const cost = values.reduce((sum, value, j) => sum + (10 + 5 * j) * value, 0) + (smoker ? 600 : 0) + Math.floor(draw() * 4000) // biome-ignore format: one line
    return `p${k},${values.join(',')},${smoker ? 'yes' : 'no'},${'ABCD'[k % 4]},${cost}`
  })
  const file = join(root, 'patients.csv')
  writeFileSync(file, `patient,${measured.join(',')},smoker,hospital,cost\n${rows.join('\n')}\n`)
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

/** The report of the run on the screen, in a tab of its own. */
async function openReport() {
  const [report] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Open the report' }).click(),
  ])
  await report.locator('html[data-ready]').waitFor({ state: 'attached' })
  await reads()
  return report
}

await timed('which patient is exposed', async () => {
  const report = await openReport()
  await report.getByRole('link', { name: 'who they are' }).click()
  await reads()
  await report.getByText('By record').click()
  await report.locator('#people tbody tr').first().waitFor()
  await reads()
  const people = await report.locator('#people tbody tr').count()
  const worst = (await report.locator('#people tbody tr').first().locator('td').allInnerTexts()).join(', ')
  await report.close()
  return `${people} rows are shown; the first: ${worst}`
})

await timed('is my epsilon good: the noise of DP-SGD added, and the audit run again', async () => {
  await page.getByRole('button', { name: 'Change and run again' }).click()
  await reads()
  await page.getByLabel('add to defences').selectOption('dp-sgd')
  await reads()
  await page.getByRole('button', { name: 'Start the audit' }).click()
  await page.getByText('questions tested').waitFor({ timeout: 600_000 })
  const report = await openReport()
  const epsilon = report.locator('.facts > div', { hasText: 'Epsilon' })
  const told = (await epsilon.locator('dd').allInnerTexts()).join(' ')
  await report.close()
  return told
})

await timed('compare two runs', async () => {
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page.locator('.runs li').first().waitFor()
  await reads()
  // The newest stands first: the older one is ticked first, as what was before.
  for (const box of (await page.getByRole('checkbox').all()).reverse()) await box.check()
  await page.getByRole('button', { name: 'Compare the two that are ticked' }).click()
  await page.getByText('moved by more than noise').waitFor()
  await reads()
  return `${await verdict()}; ${(await page.getByText('moved by more than noise').first().textContent())?.trim()}`
})

await timed('a PDF for the officer', async () => {
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page.locator('.runs li a').first().click()
  await page.getByText('questions tested').waitFor()
  await reads()
  const [file] = await Promise.all([
    page.waitForEvent('download', { timeout: 120_000 }),
    page.getByRole('button', { name: 'PDF without people' }).click(),
  ])
  const path = await file.path()
  return `${file.suggestedFilename()}, ${statSync(path).size} bytes${wordsIn(path)}`
})

/** Whether ids of the table stand in it, where a program is there that reads PDF. @param {string} path */
function wordsIn(path) {
  const pdfReader = 'pdftotext' // of poppler-utils
  try {
    const text = execFileSync(pdfReader, [path, '-'], { encoding: 'utf8' })
    return `, ids of patients in it: ${text.match(/\bp\d{1,3}\b/g)?.length ?? 0}`
  } catch {
    return ''
  }
}

await browser.close()
await server.close()
if (values.keep === undefined) rmSync(root, { recursive: true, force: true })
