import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lockFolder, lockName } from './folder-lock.js'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-lock-'))
  path = join(folder, lockName)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const left = (parts: object) =>
  writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname(), began: null, token: 'another', ...parts }))

test('a folder has one holder, who is named, and is free again once released', () => {
  const release = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(`${folder} is in use by process ${process.pid} on ${hostname()}; wait until`)
  release()
  expect(readdirSync(folder)).toEqual([])
  lockFolder(folder)()
})

test('a living process of this machine keeps it, one that is gone does not', async () => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 1e6)'])
  left({ pid: child.pid })
  expect(() => lockFolder(folder)).toThrow(`in use by process ${child.pid}`)
  const gone = new Promise((resolve) => child.on('close', resolve))
  child.kill('SIGKILL')
  await gone
  lockFolder(folder)()
  expect(readdirSync(folder)).toEqual([])
})

test("a number that was given to another process since is not the holder's", () => {
  const { pid } = process
  left({ began: 'another start of the machine 1', pid: process.ppid })
  if (existsSync('/proc/self/stat')) lockFolder(folder)()
  // Its own number, from before a container was started again.
  left({ pid })
  lockFolder(folder)()
})

test('a process of another machine keeps it as long as it gives signs of life', () => {
  left({ host: 'elsewhere', pid: 1 })
  expect(() => lockFolder(folder)).toThrow('in use by process 1 on elsewhere')
  const long = (performance.timeOrigin + performance.now()) / 1000 - 600
  utimesSync(path, long, long)
  lockFolder(folder)()
})

test('a sign of life is given every ten seconds, by a clock that only goes forward, until it is let go of', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const later = vi.spyOn(performance, 'now').mockReturnValue(3_600_000)
  try {
    const release = lockFolder(folder)
    const beatenAfter = (millis: number): number => {
      utimesSync(path, 0, 0)
      vi.advanceTimersByTime(millis)
      return statSync(path).mtimeMs
    }
    expect(beatenAfter(9_999)).toBe(0)
    expect(Math.abs(beatenAfter(1) - performance.timeOrigin - 3_600_000)).toBeLessThan(2)
    release()
    expect(vi.getTimerCount()).toBe(0)
    expect(existsSync(path)).toBe(false)
  } finally {
    later.mockRestore()
    vi.useRealTimers()
  }
})

test('what cannot be read, or was left half written, is taken over; the words of a lock steer no terminal', () => {
  writeFileSync(path, '{"pid":')
  lockFolder(folder)()
  left({ host: 'a\u001b[31mb' })
  expect(() => lockFolder(folder)).toThrow('on a\\u001b[31mb')
})

test('a process of another machine is gone as soon as its time is over', () => {
  const now = vi.spyOn(performance, 'now')
  try {
    left({ host: 'elsewhere', pid: 1 })
    utimesSync(path, 1e9, 1e9)
    now.mockReturnValue(1e12 + 119_999 - performance.timeOrigin)
    expect(() => lockFolder(folder)).toThrow('in use by process 1 on elsewhere')
    now.mockReturnValue(1e12 + 120_000 - performance.timeOrigin)
    lockFolder(folder)()
    left({ host: 'elsewhere', pid: 1 })
    utimesSync(path, 1e9, 1e9)
    now.mockReturnValue(1e12 + 5 - performance.timeOrigin)
    lockFolder(folder, { patience: 5 })()
  } finally {
    now.mockRestore()
  }
})

test('a lock that is being written is waited for a second, and taken over then', () => {
  const waits: number[] = []
  let during = (): void => {}
  const wait = vi.spyOn(Atomics, 'wait').mockImplementation(((...given: unknown[]) => {
    waits.push(given[3] as number)
    during()
    return 'timed-out'
  }) as typeof Atomics.wait)
  try {
    writeFileSync(path, '{"pid":')
    lockFolder(folder)()
    expect(waits).toEqual(Array(50).fill(20))
    writeFileSync(path, '{"pid":')
    during = () => left({ host: 'elsewhere', pid: 1 })
    expect(() => lockFolder(folder)).toThrow('in use by process 1 on elsewhere')
    expect(waits).toHaveLength(51)
  } finally {
    wait.mockRestore()
  }
})

test('of many who find a lock left behind, one has it at any time', () => {
  const log = join(folder, 'log')
  writeFileSync(log, '')
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  left({ pid })
  // Each takes the folder as soon as it can, and writes when it came and when it went.
  const program = `
    import { appendFileSync } from 'node:fs'
    const { lockFolder } = await import('overhear/node')
    for (let i = 0; i < 200; i++) {
      try {
        const release = lockFolder(${JSON.stringify(folder)})
        appendFileSync(${JSON.stringify(log)}, 'in\\n')
        appendFileSync(${JSON.stringify(log)}, 'out\\n')
        release()
        break
      } catch (error) { if (error.code !== 'E_INPUT') throw error }
    }`
  const command = Array.from({ length: 4 }, () => '"$NODE" --input-type=module -e "$PROGRAM" &').join(' ')
  const env = { ...process.env, NODE: process.execPath, PROGRAM: program }
  const done = spawnSync('sh', ['-c', `${command} wait`], { env, encoding: 'utf8' })
  expect(done.stderr).toBe('')
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.every((line, i) => line === (i % 2 === 0 ? 'in' : 'out'))).toBe(true)
})
