// A peer in Python that answers requests (answer.py), for the benchmarks that compare with it. On one thread.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** OVERHEAR_PYTHON names an interpreter. @param {string} script beside this file @param {readonly string[]} [args] */
export async function startPeer(script, args = []) {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1' }
  const python = process.env.OVERHEAR_PYTHON ?? '/usr/bin/python3'
  const child = spawn(python, [path, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value)
  const facts = await next()
  return {
    facts,
    async ask(/** @type {object} */ request) {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      const answer = await next()
      if (answer.error) throw new Error(answer.error)
      return answer
    },
    close: () => child.stdin.end(),
  }
}
