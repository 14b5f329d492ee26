/** The page's server for whoever starts one; what it is made of is loaded then. */
import type { PageServer, ServerOptions } from './server-options.js'

export type { PageServer, ServerOptions } from './server-options.js'

/** Serves the page until it is closed. Only this machine is let in, unless another host is given: then the address holds a token. */
export async function servePage(options: ServerOptions): Promise<PageServer> {
  return (await import('./page-server.js')).startServer(options)
}
