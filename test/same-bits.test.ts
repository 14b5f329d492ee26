import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import {
  type FederationSpec,
  federate,
  heldPopulation,
  inlinePool,
  runToEnd,
  toyLeastSquares,
} from 'overhear/federation'
import { digestOf, fingerprintTraining } from 'overhear/models'
import { threadPool } from 'overhear/node'
import { kernelHash, rng } from 'overhear/numeric'
import { chromium } from 'playwright-core'
import { describe, expect, test } from 'vitest'

// 1,000 steps of an MLP 41-128-1 and 100 of a LeNet with dropout, f32. A change here changes every result ever
// published: say so in CHANGELOG.md.
const pinned = {
  mlp: '4ea18ebd91dbd21f8c070d2a6ce783401215ebc0d48933b36952f0e58a294e94',
  lenet: '164ed976bf5a454d84bac79899b4b3b6d374380374d340bdfa6dd4a5bc5c5684',
} as const
const networks = ['mlp', 'lenet'] as const
const root = fileURLToPath(new URL('..', import.meta.url))
const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
if (browser === undefined)
  console.log('skipped: same bits in Chromium (no Chromium on this machine; Debian package "chromium")')

test.each(networks)('one training, twice: %s', async (network) => {
  expect(kernelHash).toMatch(/^[0-9a-f]{64}$/)
  expect(await digestOf(fingerprintTraining({ network }))).toBe(pinned[network])
  expect(await digestOf(fingerprintTraining({ network }))).toBe(pinned[network])
  expect(await digestOf(fingerprintTraining({ network, seed: 2 }))).not.toBe(pinned[network])
})

test('here, in one worker thread and in two', async () => {
  const data = toyLeastSquares(rng(7), { clients: 5, recordsPerClient: 320, heterogeneity: 0.5 })
  const population = heldPopulation(data)
  const spec: FederationSpec = {
    model: { kind: 'mlp', inputs: 10, hidden: [32], outputs: 1 },
    rule: { algorithm: 'fedavg', learningRate: 0.05, localEpochs: 2, batchSize: 32 },
    seed: 7,
    rounds: 10, // 1,000 steps
  }
  const pools = [
    inlinePool(spec, { population }),
    threadPool(spec, { population, workers: 1 }),
    threadPool(spec, { population, workers: 2 }),
  ]
  const results: Float64Array[] = []
  for (const pool of pools) {
    results.push((await runToEnd(federate(spec, { population, pool }))).theta)
    await pool.close()
  }
  // What the federation gave before its round loop was rewritten.
  expect(await digestOf(results[0]!)).toBe('46c7e9b4a098dab1e2b278c85dc90af8330ec19b0d5f7357a9b210aa8a29d0ad')
  expect(results[1]).toEqual(results[0])
  expect(results[2]).toEqual(results[0])
})

describe.skipIf(browser === undefined)('in Chromium', () => {
  test.each(networks)('the same steps: %s', async (network) => {
    const page = `<!doctype html><meta charset="utf-8"><title>Overhear</title><output></output><script type="module">
      import { showFingerprint } from '/dist/web/index.js'
      await showFingerprint(document.querySelector('output'), { network: '${network}' })
    </script>`
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      const file = `${root}${path.slice(1)}`
      if (path === '/') response.setHeader('content-type', 'text/html').end(page)
      else if (/^\/dist\/[\w./-]+\.js$/.test(path) && !path.includes('..') && existsSync(file))
        response.setHeader('content-type', 'text/javascript').end(readFileSync(file))
      else response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const args = [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ]
    const instance = await chromium.launch({
      executablePath: browser!,
      args: [...args, '--disable-component-update', '--disable-sync'],
    })
    try {
      const tab = await instance.newPage()
      await tab.goto(`http://127.0.0.1:${port}/`)
      await tab.waitForFunction("document.querySelector('output').textContent !== ''")
      expect(await tab.textContent('output')).toBe(pinned[network])
    } finally {
      await instance.close()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
