/** `overhear serve`: the page, for this machine alone unless told. */
import { OverhearError } from '../../errors.js'
import { enterPlugins } from '../files/plugin-file.js'
import { interruptible } from '../interrupt.js'
import { print, printJson } from '../print.js'
import { servePage } from '../serve/serve-page.js'
import { commonFlags, parseFlags, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  host: { type: 'string' },
  port: { type: 'string' },
  runs: { type: 'string' },
  jobs: { type: 'string' },
  workers: { type: 'string' },
} as const

export async function runServe(args: readonly string[]): Promise<number> {
  const values = parseFlags(args, flags)
  const { host = '127.0.0.1', runs = values.out ?? 'runs', plugin = [], workers } = values
  await enterPlugins(plugin, values['trust-plugins'])
  wholeNumber('workers', workers)
  const always = [
    ...plugin.flatMap((file) => ['--plugin', file]),
    ...(values['trust-plugins'] ? ['--trust-plugins'] : []),
    ...(values['data-dir'] === undefined ? [] : ['--data-dir', values['data-dir']]),
    ...(workers === undefined ? [] : ['--workers', workers]),
  ]
  const running = wholeNumber('jobs', values.jobs) ?? 1
  return interruptible(async (signal) => {
    const limits = { running, waiting: 20 }
    const server = await servePage({ host, port: portOf(values.port), root: runs, always, limits })
    if (values.json) await printJson({ url: server.url })
    else await print(`the page: ${server.url}\nCtrl-C ends it, and asks audits to stop; what is finished is kept`)
    await new Promise<void>((done) => {
      if (signal.aborted) done()
      signal.addEventListener('abort', () => done())
    })
    await server.close()
    return 0
  })
}

function portOf(text = '4747'): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new OverhearError(
    'E_VALUE',
    `--port is ${JSON.stringify(text)}`,
    'a whole number up to 65535 is needed, 0: any free one',
  )
}
