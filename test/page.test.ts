import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobState } from '../src/api/answers.js'
import { evil, expectNoViolations, goTo, hasChromium, launched, openPage } from './chromium.js'
import { type TestServer, testServer, tinyScenario } from './page-client.js'

describe.skipIf(!hasChromium('the page'))('the page, in Chromium', () => {
  let server: TestServer
  let browser: Browser
  let page: Page
  let complaints: readonly string[] = []
  /** Runs that were made, the first one from the form. */
  const runs: string[] = []

  beforeAll(async () => {
    server = await testServer()
    browser = await launched()
    ;({ page, complaints } = await openPage(browser, server.url))
  })
  afterAll(async () => {
    await browser?.close()
    await server?.end()
  })
  const open = (hash: string, heading: string): Promise<void> => goTo(page, hash, heading)
  const text = () => page.getByLabel('the scenario as text (YAML)')

  test('form and text are in step, both ways', async () => {
    await open('#/new', 'New audit')
    await text().fill(tinyScenario)
    await page.getByText('training', { exact: true }).click()
    const rounds = page.locator('#field-training-rounds')
    await expect.poll(() => rounds.inputValue()).toBe('3')
    await rounds.fill('4')
    await rounds.press('Tab')
    await expect.poll(() => text().inputValue()).toContain('rounds: 4')
    expect(await text().inputValue()).toContain('# a tiny one')
    await page.getByLabel('add to defences').selectOption('secure-aggregation')
    await expect.poll(() => text().inputValue()).toContain('secure-aggregation')
    await page.getByRole('button', { name: 'Remove secure-aggregation' }).click()
    await expect.poll(() => text().inputValue()).not.toContain('secure-aggregation')
    await text().fill('models: [')
    await expect.poll(() => page.locator('.fault').textContent()).toContain('the scenario')
    expect(await page.getByRole('button', { name: 'Start the audit' }).isDisabled()).toBe(true)
    await text().fill(tinyScenario)
  })

  test('an audit starts from the form, is watched to its end, and has its report', async () => {
    await page.getByRole('button', { name: 'Start the audit' }).click()
    await page.getByRole('heading', { level: 2, name: 'The report' }).waitFor({ timeout: 120_000 })
    runs.push(decodeURIComponent(new URL(page.url()).hash.split('/').at(-1)!))
    await page.getByText('questions tested').waitFor()
    expect(await page.locator('.questions > li').count()).toBeGreaterThan(0)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('heading', { level: 1, name: 'Audit of tiny' }).waitFor()
  })

  test('a table that is dropped becomes a scenario; names of its columns stay text', async () => {
    await open('#/new', 'New audit')
    const rows = Array.from({ length: 60 }, (_, i) => `${20 + i},${i % 3 ? 'no' : 'yes'},${'abc'[i % 3]},${i},${i * 7}`)
    const csv = `age,smoker,hospital,"${evil.replaceAll('"', '""')}",cost\n${rows.join('\n')}\n`
    await page.locator('.drop').waitFor()
    await page.evaluate((content) => {
      const data = new DataTransfer()
      data.items.add(new File([content], 'my people.csv'))
      const target = document.querySelector('.drop')!
      target.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    }, csv)
    const columns = page.getByRole('region', { name: 'columns of the table' })
    await columns.getByText('60 rows, 5 columns').waitFor()
    await expect.poll(() => text().inputValue()).toContain('file: my-people.csv')
    await expect.poll(() => columns.getByLabel('what is predicted').inputValue()).toBe('cost')
    await expect.poll(() => columns.getByLabel('whose row').inputValue()).toBe('hospital')
    await expect.poll(() => columns.getByLabel('must not be learned').inputValue()).toBe('smoker')
    await columns.getByLabel('what is predicted').selectOption(evil)
    await expect.poll(() => text().inputValue()).toContain('onerror')
    await expect.poll(() => page.locator('.fault').first().textContent()).toBe('')
  })

  test('a recording that is dropped is audited', async () => {
    await open('#/new', 'New audit')
    const [chosen] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByText('Choose a folder', { exact: true }).click(),
    ])
    const from = join(server.root, runs[0]!)
    const heard = join(server.root, 'heard')
    for (const name of readdirSync(from).filter((one) => /^(transcript|knowledge|truth)/.test(one))) {
      cpSync(join(from, name), join(heard, name), { recursive: true })
    }
    await chosen.setFiles(heard)
    await page
      .getByText(/a recording of 3 rounds and 3 clients, model linear; .* is there, the truth is there/)
      .waitFor()
    await page.getByRole('button', { name: 'Audit this recording' }).click()
    await page.getByRole('heading', { level: 1, name: 'heard' }).waitFor()
    const id = decodeURIComponent(new URL(page.url()).hash.split('/').at(-1)!)
    const job = await server.ended(id)
    expect([job.state, job.error]).toEqual(['done', null])
    await page.getByRole('heading', { level: 2, name: 'The report' }).waitFor()
    runs.push(id)
  })

  test('the report leaves as PDF, without people', async () => {
    await open(`#/run/${runs[0]}`, 'tiny')
    const print = page.getByRole('button', { name: 'PDF without people' })
    const [file] = await Promise.all([page.waitForEvent('download', { timeout: 120_000 }), print.click()])
    expect(file.suggestedFilename()).toBe(`${runs[0]}.pdf`)
    expect(readFileSync(await file.path(), 'latin1').slice(0, 5)).toBe('%PDF-')
    await print.waitFor()
  })

  test('two runs are compared', async () => {
    await open('#/', 'Runs')
    for (const id of runs) await page.getByLabel(`compare ${id}`).check()
    await page.getByRole('button', { name: 'Compare the two that are ticked' }).click()
    await page.getByText('moved by more than noise').waitFor()
    expect(await page.locator('.questions > li').count()).toBeGreaterThan(0)
  })

  test('words of a run that are HTML are shown as text, and nothing of them runs', async () => {
    const id = 'evil-20260101-000000-abcd'
    cpSync(join(server.root, runs[0]!), join(server.root, id), { recursive: true })
    const file = join(server.root, id, 'audit.json')
    const document = JSON.parse(readFileSync(file, 'utf8'))
    const spoilt = (value: unknown): unknown => {
      if (typeof value === 'string') return value.length > 40 || /^[a-z-]+$/.test(value) ? value : `${evil}${value}`
      if (Array.isArray(value)) return value.map(spoilt)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spoilt(one)]))
    }
    const told = { ...document.verdict, sentences: [evil, evil], advice: [evil], doubts: [evil] }
    const questions = (document.questions as object[]).map((one) => ({ ...one, name: evil, target: evil, model: evil }))
    const spoiled = { ...(spoilt(document) as object), questions, verdict: told }
    writeFileSync(
      file,
      JSON.stringify({ ...spoiled, scenario: { ...document.scenario, name: evil }, versions: { a: evil } }),
    )
    await open(`#/run/${id}`, evil)
    await page.getByText(evil).first().waitFor()
    const report = () => page.frames().find((one) => one.url().includes('/report'))
    // The frame is there before it is told where to go.
    await expect.poll(report, { timeout: 30_000 }).toBeDefined()
    const frame = report()!
    await frame.getByRole('heading', { level: 1, name: 'Audit of' }).waitFor()
    for (const one of [page.mainFrame(), frame]) {
      expect(await one.locator('img[src=x]').count()).toBe(0)
      expect(await one.title()).not.toBe('owned')
    }
    await open('#/', 'Runs')
    await page.getByRole('link', { name: evil }).waitFor()
    expect(await page.locator('img').count()).toBe(0)
  })

  const screens: readonly (readonly [string, () => string, string])[] = [
    ['runs', () => '#/', 'Runs'],
    ['a new audit', () => '#/new', 'New audit'],
    ['a run', () => `#/run/${runs[0]}`, 'tiny'],
    ['runs to compare', () => '#/compare', 'Compare'],
    ['two runs', () => `#/compare/${runs[0]}/${runs[1]}`, 'Compare'],
    ['the lab', () => '#/lab', 'Lab'],
  ]
  test.each(screens)('axe finds nothing on the screen of %s, light and dark, wide and narrow', (_, hash, heading) =>
    expectNoViolations(page, async () => {
      await open(hash(), heading)
      await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => {}) // its stream of events stays open
    }),
  )

  test('a keyboard is enough: from the top to a run and its report', async () => {
    await page.setViewportSize({ width: 1400, height: 900 })
    await open('#/', 'Runs')
    const link = page.getByRole('link', { name: 'tiny', exact: true }).first()
    for (let presses = 0; presses < 30; presses++) {
      if (await link.evaluate((one) => one === document.activeElement)) break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'tiny' }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
  })

  test('an audit at work is cancelled from its screen', async () => {
    const long = tinyScenario.replace('rounds: 3', 'rounds: 20000')
    const { id } = await server.post<JobState>('/api/runs', { yaml: long })
    const atWork = async (): Promise<void> => {
      await open(`#/run/${id}`, 'tiny')
      await page.getByText(/^\d+ of 20000 \(linear\)$/).waitFor()
    }
    // What is told of an audit at work, and of one that was stopped, is for everybody too.
    await expectNoViolations(page, atWork)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await page.getByText('stopped; what was finished is kept').waitFor()
    await expectNoViolations(page, () => open(`#/run/${id}`, 'tiny'))
  })

  test('in the lab a rung falls with noise, and the page stays quick meanwhile', async () => {
    await page.evaluate(() => {
      const tasks: number[] = []
      Object.assign(window, { tasks })
      new PerformanceObserver((list) => {
        for (const one of list.getEntries()) tasks.push(one.duration)
      }).observe({ type: 'longtask' })
    })
    await open('#/lab', 'Lab')
    const union = page.locator('[data-about=union]')
    const judged = async (): Promise<number> => {
      await page.locator('.lab-progress[data-state=done]').waitFor({ timeout: 200_000 })
      return Number(await union.getAttribute('data-record'))
    }
    const loud = await judged()
    await page.getByLabel('noise').press('End')
    await page.locator('.lab-progress[data-state=running]').waitFor()
    const noisy = await judged()
    expect(loud).toBeGreaterThan(0.75)
    expect(noisy).toBeLessThan(loud - 0.2)
    const told = await page.locator('.lab-progress').textContent()
    const long = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks)
    console.log(`lab: ${told}; tasks of the page over 50 ms: ${long.length === 0 ? 'none' : long.join(', ')}`)
  })

  test('the page complained about nothing', () => {
    expect(complaints).toEqual([])
  })
})
