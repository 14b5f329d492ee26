/** The page's server on this machine: an address, and everything that it serves. */
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { faultOf } from '../files/machine-faults.js'
import { isOwnHost } from './guard.js'
import { jobLine } from './jobs.js'
import { pageApp } from './page-app.js'
import { runList } from './run-list.js'
import type { JobLimits, PageServer, ServerOptions } from './server-options.js'
import { uploads } from './uploads.js'

const usualLimits: JobLimits = { running: 1, waiting: 20 }

export async function startServer(options: ServerOptions): Promise<PageServer> {
  const { host, port, limits = usualLimits, always = [] } = options
  const root = resolve(options.root)
  const jobs = jobLine(limits)
  const runs = runList(root, (id) => jobs.get(id))
  const shown = host.includes(':') ? `[${host}]` : host
  const token = isOwnHost(shown) ? null : randomBytes(24).toString('hex')
  const app = pageApp({ jobs, runs, uploads: uploads(root, options.uploadLimits), always, token })
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server
  await new Promise<void>((done, fail) => {
    server.once('error', (error) => fail(faultOf(error, `${shown}:${port}`)))
    server.listen(port, host, done)
  })
  const at = (server.address() as AddressInfo).port
  return {
    url: `http://${shown}:${at}/${token === null ? '' : `?token=${token}`}`,
    async close() {
      await jobs.close()
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
