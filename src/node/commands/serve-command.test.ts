import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { ServerOptions } from '../serve/server-options.js'
import { runServe } from './serve-command.js'

const served = vi.hoisted(() => ({ options: [] as unknown[], entered: [] as unknown[][], closed: 0, during: () => {} }))
const printed = vi.hoisted((): string[] => [])
vi.mock('../serve/serve-page.js', () => ({
  async servePage(options: ServerOptions) {
    served.options.push(options)
    served.during()
    return { url: 'http://here/', close: async () => void served.closed++ }
  },
}))
vi.mock('../files/plugin-file.js', () => ({ enterPlugins: async (...given: unknown[]) => served.entered.push(given) }))
const interrupt = (): void => process.listeners('SIGINT').at(-1)?.('SIGINT')
/** Ctrl-C comes once the page is told of. */
vi.mock('../print.js', () => {
  const told = async (text: string): Promise<void> => {
    printed.push(text)
    setImmediate(interrupt)
  }
  return { print: told, printJson: (value: unknown) => told(JSON.stringify(value)) }
})
beforeEach(() => {
  for (const list of [served.options, served.entered, printed]) list.length = 0
  served.closed = 0
  served.during = () => {}
})

describe('the page', () => {
  test('is served to this machine alone until Ctrl-C, one audit at a time', async () => {
    expect(await runServe([])).toBe(0)
    const limits = { running: 1, waiting: 20 }
    expect(served.options).toEqual([{ host: '127.0.0.1', port: 4747, root: 'runs', always: [], limits }])
    expect(served.entered).toEqual([[[], undefined]])
    expect(printed).toEqual([
      'the page: http://here/\nCtrl-C ends it, and asks audits to stop; what is finished is kept',
    ])
    expect(served.closed).toBe(1)
  })

  test('does what its flags say, and hands on to audits what is for them', async () => {
    const flags = ['--host', '0.0.0.0', '--port', '65535', '--runs', 'r', '--out', 'o', '--jobs', '3', '--workers', '2']
    const more = ['--plugin', 'a.mjs', '--plugin', 'b.mjs', '--trust-plugins', '--data-dir', 'd', '--json']
    expect(await runServe([...flags, ...more])).toBe(0)
    expect(served.options).toMatchObject([{ host: '0.0.0.0', port: 65_535, root: 'r', limits: { running: 3 } }])
    expect(served.options).toMatchObject([
      { always: ['--plugin', 'a.mjs', '--plugin', 'b.mjs', '--trust-plugins', '--data-dir', 'd', '--workers', '2'] },
    ])
    expect(served.entered).toEqual([[['a.mjs', 'b.mjs'], true]])
    expect(printed).toEqual(['{"url":"http://here/"}'])
    await runServe(['--out', 'o', '--port', '0'])
    expect(served.options[1]).toMatchObject({ root: 'o', port: 0 })
  })

  test('that is interrupted while it begins is closed at once', async () => {
    served.during = interrupt
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
    expect(await runServe([])).toBe(0)
    expect(served.closed).toBe(1)
    exit.mockRestore()
  })

  test.each(['65536', '-1', '', '80a', '1.5', '0x50'])('has no port "%s"', async (port) => {
    await expect(runServe([`--port=${port}`])).rejects.toThrow(
      `--port is ${JSON.stringify(port)}; a whole number up to 65535 is needed, 0: any free one`,
    )
    expect(served.options).toEqual([])
  })

  test.each(['--workers', '--jobs'])('needs a whole number from 1 for %s', async (flag) => {
    await expect(runServe([flag, '0'])).rejects.toThrow(`${flag} is "0"`)
    expect(served.options).toEqual([])
  })
})
