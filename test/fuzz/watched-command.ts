/** The command under watch: what it took of the processor and of memory, whatever else the machine is doing. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

interface Watched {
  readonly status: number | null
  readonly signal: string | null
  readonly stderr: string
  /** Seconds of CPU and bytes of memory at their peak; 0 where the system does not tell. */
  readonly seconds: number
  readonly bytes: number
  /** Whether it was asked to stop, as it took longer than that. */
  readonly stopped: boolean
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const ticksPerSecond = 100

/** Runs it, and asks it to stop once it took so many seconds of CPU, or ten minutes of anything. */
export function watched(args: readonly string[], mostSeconds: number): Promise<Watched> {
  const child = spawn(process.execPath, ['bin/overhear.mjs', ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let [stderr, seconds, bytes, stopped] = ['', 0, 0, false]
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const began = performance.now()
  const look = (): void => {
    const fields = textOf(`/proc/${child.pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
    seconds = Math.max(seconds, (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond)
    const peak = Number(/VmHWM:\s*(\d+)/.exec(textOf(`/proc/${child.pid}/status`))?.[1] ?? 0)
    bytes = Math.max(bytes, 1024 * peak)
    if (stopped || (seconds < mostSeconds && performance.now() - began < 600_000)) return
    stopped = true
    child.kill('SIGTERM')
  }
  const timer = setInterval(look, 50)
  return new Promise((resolve) => {
    child.on('close', (status, signal) => {
      clearInterval(timer)
      resolve({ status, signal, stderr, seconds, bytes, stopped })
    })
  })
}
