// An installed Chromium for tests: where it is, a browser, a page that remembers what it complained about, and what axe finds on it.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const installed = [process.env.CHROMIUM ?? '', ...places].find((path) => existsSync(path))

/** Whether tests of this can run; where not, that is said once. */
export function hasChromium(what: string): boolean {
  if (installed === undefined)
    console.log(`skipped: ${what} in Chromium (no Chromium on this machine; Debian package "chromium")`)
  return installed !== undefined
}

export const launched = (): Promise<Browser> =>
  chromium.launch({
    executablePath: installed!,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })

export interface OpenPage {
  readonly page: Page
  /** What the page itself complained about: policies that were broken, errors that nobody caught. */
  readonly complaints: string[]
}

export async function openPage(browser: Browser, url: string, { width = 1400, dark = false } = {}): Promise<OpenPage> {
  const colorScheme = dark ? 'dark' : 'light'
  const page = await (await browser.newContext({ viewport: { width, height: 900 }, colorScheme })).newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await page.goto(url)
  return { page, complaints }
}

/** To another screen of the page. */
export async function goTo(page: Page, hash: string, heading: string, settled?: string): Promise<void> {
  await page.evaluate((to) => {
    window.location.hash = to
  }, hash)
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  if (settled !== undefined) await page.locator(settled).first().waitFor()
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/** What people who see, hear or point otherwise would stumble over, each with the first place. */
export async function violations(page: Page): Promise<string[]> {
  const asked = `${axe}; axe.run(document, { resultTypes: ['violations'], preload: false, iframes: false })`
  const found = (await page.evaluate(asked)) as { violations: Violation[] }
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

/** Nothing of that on a screen, light and dark, wide and narrow, and nothing wider than it. */
export async function expectNoViolations(page: Page, open: () => Promise<void>): Promise<void> {
  for (const width of [1400, 400]) {
    await page.setViewportSize({ width, height: 900 })
    await open()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
}

/** Markup that runs where it is not shown as text. */
export const evil = `<img src=x onerror="document.title='owned'">`
