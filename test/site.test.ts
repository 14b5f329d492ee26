import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSite } from '../tools/build-site.mjs'
import { markdown } from '../tools/site/markdown.mjs'
import { hasChromium, launched, openPage, violations } from './chromium.js'

const work = mkdtempSync(join(tmpdir(), 'overhear-site-'))
const out = join(work, 'site')
afterAll(() => rmSync(work, { recursive: true, force: true }))

beforeAll(() => buildSite({ out }))

test('Markdown: what is no mark is text', () => {
  const link = (to: string) => (to === 'a.md' ? 'a.html' : null)
  const { html, title } = markdown(
    [
      '# A `title`',
      'See [this](a.md) and [that](../src/b.ts), **bold** <script>alert(1)</script> `a | <b>`',
      '',
      '- one',
      '  goes on',
      '  - below',
      '- two',
      '',
      '| a | b |',
      '|---|--:|',
      '| `x` | 1 \\| 2 |',
      '',
      '```sh',
      'echo <x>',
      '```',
      '<!-- left out -->',
    ].join('\n'),
    link,
  )
  expect(title).toBe('A title')
  expect(html).toContain('<h1 id="a-title">A <code>title</code></h1>')
  expect(html).toContain('See <a href="a.html">this</a> and that, <strong>bold</strong> &lt;script&gt;alert(1)&lt;/script&gt; <code>a | &lt;b&gt;</code>') // biome-ignore format: one line
  expect(html).toContain('<ul><li>one goes on<ul><li>below</li></ul></li><li>two</li></ul>')
  expect(html).toContain('<td><code>x</code></td><td class="number">1 | 2</td>')
  expect(html).toContain('<code>echo &lt;x&gt;</code>')
  expect(html).not.toContain('left out')
})

test('every document is there, and its links lead to what is there', () => {
  const pages = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
  expect(pages.length).toBeGreaterThan(40)
  const broken = pages.flatMap((name) => {
    const html = readFileSync(join(out, name), 'utf8')
    expect(html).toContain('Content-Security-Policy')
    return [...html.matchAll(/(?:href|src)="(?!data:)([^"#]+)(?:#[^"]*)?"/g)].flatMap(([, to]) => {
      if (to!.startsWith('https://') || existsSync(join(out, name, '..', to!))) return []
      return [`${name}: ${to}`]
    })
  })
  expect(broken).toEqual([])
})

test('it is not written into a folder that holds something', async () => {
  writeFileSync(join(work, 'mine.txt'), '')
  await expect(buildSite({ out: work })).rejects.toThrow('is not empty')
})

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.png': 'image/png', '.svg': 'image/svg+xml' } // biome-ignore format: one line

describe.skipIf(!hasChromium('the static site'))('in Chromium', () => {
  let browser: Browser
  let server: Server
  let at: string
  beforeAll(async () => {
    browser = await launched()
    server = createServer((request, answer) => {
      const file = join(out, new URL(request.url!, 'http://x').pathname)
      if (!existsSync(file)) return answer.writeHead(404).end()
      answer.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain' }).end(readFileSync(file))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })
  const looked = async (url: string, settled: string) => {
    const { page, complaints } = await openPage(browser, url, { width: 400 })
    await page.locator(settled).first().waitFor({ timeout: 60_000 })
    const found = await violations(page)
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    await page.close()
    return { found, complaints, wide }
  }
  test.each(['index.html', 'docs/page.html', 'docs/verdict.html', 'docs/reproductions.html'])(
    '%s opens from a file, narrow',
    async (name) => {
      const { found, complaints, wide } = await looked(pathToFileURL(join(out, name)).href, 'main h1')
      expect([found, complaints]).toEqual([[], []])
      expect(wide).toBeLessThanOrEqual(400)
    },
  )
  test('studies and the lab run from a server of files alone', async () => {
    const studies = await looked(`${at}app.html#/studies`, '.runs a')
    expect([studies.found, studies.complaints]).toEqual([[], []])
    const one = await looked(`${at}app.html#/study/stored.aia-table-1-quick`, 'tbody tr')
    expect([one.found, one.complaints]).toEqual([[], []])
    const lab = await looked(`${at}app.html#/lab`, '[data-about=union]')
    expect([lab.found, lab.complaints]).toEqual([[], []])
  })
})
