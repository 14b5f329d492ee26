import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'

/** Why queues cannot be tested here; undefined where they can. */
export const noRedis: string | undefined =
  spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed'

/** Why TLS cannot be tested here; undefined where it can. */
export const noTls: string | undefined = noRedis ?? whyNoTls()

function whyNoTls(): string | undefined {
  if (spawnSync('openssl', ['version']).status !== 0) return 'openssl is not installed'
  // One that was built without TLS does not know the word.
  const { stdout, stderr } = spawnSync('redis-server', ['--tls-port', 'none'], { encoding: 'utf8' })
  return `${stdout}${stderr}`.includes('Bad directive') ? 'redis-server was built without TLS' : undefined
}

const password = 'a password of tests'

export interface RedisOptions {
  /** The files of a certificate and of its key: the server then speaks TLS alone. */
  readonly tls?: { readonly certificate: string; readonly key: string }
  /** What else it is started with. */
  readonly more?: readonly string[]
}

export interface TestRedis {
  readonly port: number
  /** With its password. */
  readonly url: string
  /** Ends it as a loss of power would, and starts it again on what it had written. */
  restart(): Promise<void>
  end(): Promise<void>
}

/** A server of its own on a free port of this machine, which writes down every command before it answers. */
export async function startRedis(folder: string, { tls, more = [] }: RedisOptions = {}): Promise<TestRedis> {
  const port = await freePort()
  const files = tls === undefined ? [] : ['--tls-cert-file', tls.certificate, '--tls-key-file', tls.key]
  const listening = tls === undefined ? [] : ['--port', '0', '--tls-auth-clients', 'no', ...files]
  const args = [
    ...[tls === undefined ? '--port' : '--tls-port', String(port), ...listening, ...more],
    ...['--bind', '127.0.0.1', '--dir', folder, '--requirepass', password],
    ...['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction'],
  ]
  let server: ChildProcess
  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server = spawn('redis-server', args)
      let said = ''
      server.stdout!.on('data', (text) => {
        said += text
        if (said.includes('Ready to accept connections')) resolve()
      })
      server.on('close', () => reject(new Error(said)))
    })
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      server.on('close', () => resolve())
      server.kill('SIGKILL')
    })
  await start()
  return {
    port,
    url: `${tls === undefined ? 'redis' : 'rediss'}://:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    async restart() {
      await end()
      await start()
    },
    end,
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
