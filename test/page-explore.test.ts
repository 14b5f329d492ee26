import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobState } from '../src/api/answers.js'
import { evil, expectNoViolations, goTo, hasChromium, launched, openPage } from './chromium.js'
import { type TestServer, testServer, tinyScenario } from './page-client.js'

const study = JSON.parse(readFileSync(new URL('../studies/results/lmra-table-1-quick.json', import.meta.url), 'utf8'))

/** Every string that is free to say anything says something evil besides. */
function spoilt(value: unknown, kept: RegExp): unknown {
  if (typeof value === 'string') return kept.test(value) ? value : `${evil}${value}`
  if (Array.isArray(value)) return value.map((one) => spoilt(one, kept))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spoilt(one, kept)]))
}

describe.skipIf(!hasChromium('explorer, sweeps and studies'))('explorer, sweeps and studies, in Chromium', () => {
  let server: TestServer
  let browser: Browser
  let page: Page
  let id: string
  let complaints: string[] = []

  beforeAll(async () => {
    server = await testServer()
    id = (
      await server.post<JobState>('/api/runs', { yaml: tinyScenario.replace('aia-model]', 'aia-model, protocol]') })
    ).id
    expect((await server.ended(id)).state).toBe('done')
    for (const [name, words] of [
      ['plain', 'low high'],
      ['evil', `${evil} high`],
    ] as const) {
      mkdirSync(join(server.root, `sweep-${name}`))
      const lines = Array.from({ length: 40 }, (_, k) =>
        JSON.stringify({
          format: 'overhear-trial/1',
          id: k.toString(16).padStart(64, '0'),
          seed: 1,
          at: { rounds: k % 4, [name === 'evil' ? evil : 'rate']: words.split(' h')[k % 2] },
          result: k === 0 ? null : { hash: '', level: 'none-found', tested: 1, notTested: 0, questions: [{ kind: words, name: words, model: words, recordStep: k }], scores: [], utility: [{ model: words, metric: words, value: k / 40 }] }, // biome-ignore format: one line
          reason: k === 0 ? words : null,
          took: { seconds: 1, attempts: 1, worker: null },
        }),
      )
      writeFileSync(join(server.root, `sweep-${name}`, 'trials.jsonl'), `${lines.join('\n')}\n`)
    }
    mkdirSync(join(server.root, 'reproduce-evil'))
    writeFileSync(join(server.root, 'reproduce-evil', 'cells.jsonl'), '')
    writeFileSync(join(server.root, 'reproduce-evil', 'evil.json'), JSON.stringify(spoilt(study, /^$/)))
    browser = await launched()
    ;({ page, complaints } = await openPage(browser, server.url))
  })
  afterAll(async () => {
    await browser?.close()
    await server?.end()
  })
  const open = (hash: string, heading: string, settled: string): Promise<void> => goTo(page, hash, heading, settled)

  test('from a run by way of its messages to a client and a record', async () => {
    await open(`#/run/${id}`, 'tiny', '.questions')
    await page.getByRole('link', { name: 'Explore the messages' }).click()
    await page.getByText('fits the stated protocol').waitFor()
    await page.getByRole('button', { name: '1', exact: true }).click()
    const round = page.getByRole('region', { name: 'round 1' })
    await round.locator('tbody tr').first().waitFor()
    expect(await round.locator('tbody tr').count()).toBe(4)
    await round.getByRole('link', { name: 'client 0' }).click()
    await page.getByRole('heading', { level: 2, name: 'Client 0' }).waitFor()
    await page.getByText('in 3 of 3 rounds').waitFor()
    await page.getByRole('link', { name: 'What was claimed of its records' }).click()
    const row = page.locator('tbody tr').first()
    await row.getByRole('button').press('Enter')
    await page.getByText(/union: truly (?:yes|no)/).waitFor()
    await page.getByRole('link', { name: 'Who took part' }).click()
    await page.getByText('isolate 0 of 3 clients; 2 more rounds of other groups would isolate everybody').waitFor()
    expect(await page.locator('.matrix tbody tr').count()).toBe(3)
  })

  test('a sweep: a figure along its axes, and trials that are looked at', async () => {
    await open('#/sweeps', 'Sweeps', '.runs a')
    await page.getByRole('link', { name: 'sweep-plain' }).click()
    await page.locator('canvas[data-state=drawn]').waitFor()
    expect(await page.locator('.multiple').count()).toBe(2)
    await page.getByLabel('along').selectOption({ label: 'rounds' })
    await page.getByLabel('a picture for each').selectOption({ label: 'rate' })
    await expect.poll(() => page.locator('.multiple figcaption').allTextContents()).toEqual(['rate igh', 'rate low'])
    await page.getByLabel('look at trials by').selectOption({ label: 'rounds' })
    await page.getByText('20 of them are dark').waitFor()
  })

  test('words that are HTML are text in the explorer, in sweeps and in studies', async () => {
    const copy = 'evil-20260101-000000-abcd'
    cpSync(join(server.root, id), join(server.root, copy), { recursive: true })
    const file = join(server.root, copy, 'audit.json')
    const document = JSON.parse(readFileSync(file, 'utf8'))
    for (const { attacks } of document.observers)
      for (const one of attacks) {
        one.attack = evil
        one.observer = evil
        if (one.fit !== undefined) one.fit.heard = { [evil]: evil }
        for (const { claim } of one.findings) if (claim.name !== undefined) claim.name = evil
      }
    for (const question of document.questions) Object.assign(question, { name: evil, observer: evil, kind: evil })
    writeFileSync(file, JSON.stringify(document))
    const truth = join(server.root, copy, 'truth', '0.csv')
    const [head, ...rows] = readFileSync(truth, 'utf8').trim().split('\n')
    writeFileSync(
      truth,
      [head, ...rows.map((row) => row.replace(/,[^,]*$/, `,"${evil.replaceAll('"', '""')}"`))].join('\n'),
    )
    const manifest = join(server.root, copy, 'transcript', 'transcript.json')
    const { protocol, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'))
    writeFileSync(manifest, JSON.stringify({ ...rest, protocol: { ...protocol, [evil]: evil } }))
    const places: [string, string, string][] = [
      [`#/explore/${copy}`, 'Explorer', 'tbody tr'],
      [`#/explore/${copy}/client/0`, 'Explorer', 'tbody tr'],
      [`#/explore/${copy}/records/0`, 'Explorer', 'tbody tr'],
      [`#/explore/${copy}/${encodeURIComponent(evil)}/${encodeURIComponent(evil)}`, 'Explorer', 'tbody tr'],
      [`#/explore/${copy}/client/${encodeURIComponent(evil)}`, 'Explorer', '.fault'],
      ['#/sweep/sweep-evil', 'sweep-evil', 'canvas[data-state=drawn]'],
      ['#/study/reproduce-evil.evil', `${evil}lmra-table-1`, 'tbody tr'],
      ['#/studies', 'Studies', '.runs a'],
      [`#/sweep/${encodeURIComponent(evil)}`, evil, '.fault'],
    ]
    for (const [hash, heading, settled] of places) {
      await open(hash, heading, settled)
      expect([hash, await page.locator('img').count()]).toEqual([hash, 0])
      expect(await page.title()).not.toBe('owned')
      if (!hash.includes('/explore/')) expect(await page.getByText('onerror').count()).toBeGreaterThan(0)
    }
    await open(`#/explore/${copy}/records/0`, 'Explorer', 'tbody tr')
    await page.getByRole('button', { name: evil }).first().click()
    await page.getByRole('heading', { level: 2, name: `Record ${evil}` }).waitFor()
    expect(await page.locator('img').count()).toBe(0)
    complaints.splice(0, complaints.length, ...complaints.filter((one) => !one.includes('404')))
  })

  const screens: readonly (readonly [string, () => string, string, string])[] = [
    ['messages', () => `#/explore/${id}`, 'Explorer', 'tbody tr'],
    ['a client', () => `#/explore/${id}/client/0`, 'Explorer', 'tbody tr'],
    ['records', () => `#/explore/${id}/records/0`, 'Explorer', 'tbody tr'],
    ['who took part', () => `#/explore/${id}/rounds`, 'Explorer', '.matrix tr'],
    ['sweeps', () => '#/sweeps', 'Sweeps', '.runs a'],
    ['a sweep', () => '#/sweep/sweep-plain', 'sweep-plain', 'canvas[data-state=drawn]'],
    ['studies', () => '#/studies', 'Studies', '.runs a'],
    ['a study of rows', () => '#/study/stored.aia-table-1', 'aia-table-1', 'tbody tr'],
    ['a study of curves', () => '#/study/stored.prolin-figure-3', 'prolin-figure-3', '.multiple'],
  ]
  test.each(screens)(
    'axe finds nothing on the screen of %s, light and dark, wide and narrow',
    (_, hash, heading, settled) => expectNoViolations(page, () => open(hash(), heading, settled)),
  )

  test('the page complained about nothing', () => {
    expect(complaints).toEqual([])
  })
})
