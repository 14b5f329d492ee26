import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'

/** Why queues cannot be tested here; undefined where they can. */
export const noRedis: string | undefined =
  spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed'

const password = 'a password of tests'

export interface TestRedis {
  /** With its password. */
  readonly url: string
  /** Ends it as a loss of power would, and starts it again on what it had written. */
  restart(): Promise<void>
  end(): Promise<void>
}

/** A server of its own on a free port of this machine, which writes down every command before it answers. */
export async function startRedis(folder: string): Promise<TestRedis> {
  const port = await freePort()
  const args = [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--requirepass', password],
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
    url: `redis://:${encodeURIComponent(password)}@127.0.0.1:${port}`,
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
