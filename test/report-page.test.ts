// The report in a real browser, opened as a file: it is alive, whole, readable by machines, and runs nothing that a name brings along.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditDocument } from '../src/audit/document.js'
import { redacted } from '../src/audit/finished/redacted.js'
import { reportHtml } from '../src/report/report-html.js'
import { reportScript, scriptPath } from '../tools/report-script.mjs'
import { documentWith, findingWith, ofEveryWord, questionWith, resultWith, scoreWith } from './audit-results.js'
import { hasChromium, launched, openPage, violations } from './chromium.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-report-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** An audit with something of everything that a report draws. */
function whole(): AuditDocument {
  const values = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? 1 : 0))
  const perRecord = values.map((_, i) => (i % 7 === 0 ? 0 : 1))
  const confusion = { values: ['no', 'yes'], counts: [[22, 2], [4, 12]] } // biome-ignore format: a table
  const sure = findingWith(scoreWith({ metric: 'auc', perRecord, confusion }), {
    kind: 'attribute',
    client: '0',
    name: 'union',
    values,
    confidence: values.map((_, i) => 0.5 + (i % 10) / 20),
  })
  const exposure = { rounds: [1, 5, 9], probability: { a: [0.1, 0.6, 0.99], b: [0, 0.1, 0.2] }, above: 0.95, exposedAt: { a: 9 }, lastBelow: { a: 5 } } // biome-ignore format: a line
  const property = findingWith(scoreWith({ perClient: [{ id: 'a', right: true }] }), {
    kind: 'property',
    property: 'inversion',
    clients: [{ id: 'a', probability: 0.99, positive: true }],
    exposure,
  })
  const fit = { stated: { learningRate: 0.1, momentum: 0 }, heard: { learningRate: 0.1, momentum: 0.9 }, p: 0.001 }
  const power = {
    curve: [{ grade: 0.6, metric: 'auc', value: 0.8, chance: 0.5, lift: 0.6, found: true }],
    leastSeen: 0.6,
  }
  const points = [[0.1, 9], [0.2, 3], [0.5, 1], [2, 0.8]].map(([misfit, size], k) => ({ beta: k, misfit: misfit!, size: size! })) // biome-ignore format: a curve
  const lCurve = { points, chosen: points[1]!, rule: 'corner' }
  const spread = { mean: 1, deviation: 0.5 }
  const rounds = [0.3, 0.1, 0.02].map((overlap, round) => ({ round, having: spread, lacking: { mean: -1, deviation: 1 }, overlap, heard: 0.2 })) // biome-ignore format: a line
  const rebuilt = {
    columns: ['p0', 'p1', 'p2', 'p3'],
    shape: [1, 2, 2] as const,
    pairs: [{ truth: [0, 1, 2, 3], claimed: [0, 1, 2, 2] }],
  }
  const people = Array.from({ length: 62 }, (_, i) => `patient-${i}`)
  const leak = questionWith({
    observer: 'eavesdropper',
    by: { guess: 'public columns', client: 'aia-model', record: 'aia-model' },
    exposed: { ids: people, of: 80, sure: people.map((_, i) => 1 - i / 1000) },
  })
  return documentWith(
    [
      resultWith({ observer: 'eavesdropper', findings: [sure], fit, power, details: { condition: 477.3 }, workings: { lCurve } }),
      resultWith({ observer: 'server', attack: 'property-reg', target: null, findings: [property], workings: { features: { property: 'inversion', rounds } } }),
      resultWith({ observer: 'server', attack: 'dlg', findings: [findingWith(scoreWith(), { kind: 'records', features: [] }, { rebuilt })] }),
      resultWith({ attack: 'idlg', status: 'not-applicable', missing: ['round'] }),
    ],
    { questions: [leak, ...ofEveryWord.slice(1)] },
  ) // biome-ignore format: lists
}

const markup = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>'"</script>`
/** Words that our own tables hold; everything else may be a stranger's. */
const ours = new Set(['level', 'status', 'better', 'observer', 'kind', 'sameAs', 'intervalKind', 'standing'])

/** The same with markup in every other string, and in every name of a key that strangers choose. */
function hostile(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return ours.has(key) ? value : `${value}${markup}`
  if (Array.isArray(value)) return value.map((one) => hostile(one, key))
  if (typeof value !== 'object' || value === null) return value
  const named = ['utility', 'probability', 'exposedAt', 'details', 'params', 'stated', 'heard'].includes(key)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [named ? `${name}${markup}` : name, hostile(one, name)]),
  )
}

test('the script inside a report is the one that is made of its source', async () => {
  expect(readFileSync(scriptPath, 'utf8')).toBe(await reportScript())
})

describe.skipIf(!hasChromium('the report'))('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launched()
  }, 120_000)
  afterAll(() => browser?.close())

  async function opened(html: string, { width = 1400, dark = false } = {}): Promise<Page> {
    const file = join(folder, `${Math.round(performance.now() * 1000)}.html`)
    writeFileSync(file, html)
    const { page } = await openPage(browser, pathToFileURL(file).href, { width, dark })
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    return page
  }

  test.each([[400, false], [400, true], [1400, false], [1400, true]] as const)('%d px, dark %s: axe finds nothing, folded or open, and nothing is wider than the screen', async (width, dark) => {
    for (const audit of width === 1400 && !dark ? [whole(), redacted(whole()), documentWith([])] : [whole()]) {
      const page = await opened(reportHtml(audit, { when: '2026-11-18' }), { width, dark })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(wide).toBeLessThanOrEqual(width)
      await page.evaluate(() => {
        for (const one of document.querySelectorAll('details')) one.open = true
      })
      expect(await violations(page)).toEqual([])
      await page.context().close()
    }
  }, 120_000) // biome-ignore format: cases

  test('a person is found, tables sort, and leave as CSV; figures leave as SVG; words explain themselves', async () => {
    const page = await opened(reportHtml(whole()))
    await page.getByLabel('Look up').fill('patient-61')
    await page.getByRole('link', { name: 'Who is given away: 1' }).click()
    await page.locator('#people tbody tr').first().waitFor()
    expect(await page.locator('#people tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^patient-61\t0\tunion/),
    ])
    await page.getByLabel('Look up').fill('')
    await page
      .getByText('Show more')
      .locator('visible=true')
      .or(page.locator('#people tbody tr:nth-child(62)'))
      .first()
      .waitFor()
    const sort = page.locator('#people thead button', { hasText: 'how sure' })
    const shown = (): Promise<string[]> => page.locator('#people tbody tr').allInnerTexts()
    await sort.click()
    const rising = await shown()
    expect(rising[0]).toContain('patient-61')
    await sort.click()
    expect((await shown())[0]).not.toBe(rising[0])
    expect(await page.locator('#people th[aria-sort=descending]').textContent()).toContain('how sure')
    const saved = async (name: string): Promise<string> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).first().click(),
      ])
      return readFileSync(await download.path(), 'utf8')
    }
    const csv = (await saved('Who is given away as CSV')).trim().split('\r\n')
    expect(csv).toHaveLength(63)
    expect(csv[0]).toBe('"record","client","question","heard by","how sure","since"')
    // Small tables leave as well, whatever is folded around them; so do pictures that were rebuilt.
    await page.getByRole('button', { name: 'Open all' }).click()
    expect((await saved('Claimed and true, aia-model')).split('\r\n').slice(0, 2)).toEqual(['"","claimed no","claimed yes"', '"truly no","22","2"']) // biome-ignore format: a line
    expect(await saved('Rungs of union of client 0 as CSV')).toMatch(/^"rung","AUC","by"\r\n"guess","0\.\d+"/)
    expect(await saved('true records and rebuilt ones, dlg')).toContain('data:image/bmp;base64,')
    const tables = await page.locator('main table').count()
    expect(await page.getByRole('button', { name: /as CSV$/ }).count()).toBe(tables)
    expect(await page.getByRole('button', { name: /as SVG$/ }).count()).toBe(
      await page.locator('main svg:visible').count(),
    )
    await page.getByRole('button', { name: 'Fold all' }).click()
    const svg = await saved('what is learned by each question, from a guess to everything as SVG')
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg" [^>]*--leak:#b3261e/)
    // In a file of its own a picture has the paints of the page, before everything that is drawn.
    expect(svg).toMatch(/^<svg [^>]*><style>text\{fill:var\(--ink\)\}/)
    expect(svg).toContain('</text>')
    await page.locator('.term', { hasText: 'interval' }).first().click()
    await page.locator('[popover]', { hasText: 'Where the size of a step lies' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.front').getByRole('link', { name: 'its figures' }).first().click()
    expect(await page.locator('#q1').getAttribute('open')).toBe('')
    await page.getByRole('button', { name: 'Fold all' }).click()
    await page.locator('.wide svg a').first().press('Enter')
    expect(await page.locator('#q1').getAttribute('open')).toBe('')
    await page.getByRole('button', { name: 'Fold all' }).click()
    await page.getByRole('link', { name: 'union of client 0' }).last().click()
    expect(await page.locator('#q1').getAttribute('open')).toBe('')
    await page.context().close()
  }, 120_000)

  test('markup in every string is shown, and does not run', async () => {
    const many = { ...whole(), questions: [...Array(70)].flatMap(() => whole().questions) }
    for (const audit of [whole(), many]) {
      const page = await opened(reportHtml(hostile(audit) as AuditDocument, { when: markup }))
      await page.evaluate(() => {
        for (const one of document.querySelectorAll('details')) one.open = true
      })
      for (const more of await page.getByText('Show more').locator('visible=true').all()) await more.click()
      for (const th of await page.locator('#people thead button').all()) await th.click()
      await page.waitForTimeout(200)
      expect(
        await page.evaluate(() => [(window as { ran?: number }).ran, document.querySelectorAll('img[src=x]').length]),
      ).toEqual([undefined, 0])
      expect(await page.locator('main').textContent()).toContain('<script>window.ran=1</script>')
      await page.context().close()
    }
  }, 120_000)
})
