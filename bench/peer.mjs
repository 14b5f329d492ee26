// A second process that answers timing requests over its standard streams, so that its chunks alternate with ours.
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const python = '/usr/bin/python3'

/** @param {string} module @returns {boolean} whether the system's Python has the module */
export function pythonHas(module) {
  return spawnSync(python, ['-c', `import ${module}`]).status === 0
}

/**
 * @param {string} script beside this file
 * @returns {Promise<{ version: string, ask(line: string): Promise<number>, close(): void }>}
 */
export async function startPeer(script) {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }
  const child = spawn(python, [path], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${script} ended`)
    return /** @type {string} */ (value)
  }
  const version = await next()
  return {
    version,
    async ask(line) {
      child.stdin.write(`${line}\n`)
      return Number(await next())
    },
    close: () => child.kill(),
  }
}
