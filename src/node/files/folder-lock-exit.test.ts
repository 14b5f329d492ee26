import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** What the process does at its end for the locks that it holds. */
const before = new Set(process.listeners('exit'))
const { lockFolder, lockName } = await import('./folder-lock.js')
const atExit = process.listeners('exit').find((one) => !before.has(one)) as () => void

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-lock-'))
  path = join(folder, lockName)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const left = (parts: object) =>
  writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname(), began: null, token: 'another', ...parts }))

test('a process that ends lets go of what it holds, and of nothing else', () => {
  const release = lockFolder(folder)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() })
  atExit()
  expect(existsSync(path)).toBe(false)
  left({})
  atExit()
  expect(existsSync(path)).toBe(true)
  // Neither does letting go take somebody else's lock away.
  release()
  expect(existsSync(path)).toBe(true)
})

test('what was let go of is not looked at again', () => {
  lockFolder(folder)()
  const text = JSON.stringify({ pid: process.pid, host: hostname(), began: null, token: 'x' })
  writeFileSync(path, text)
  atExit()
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('a folder that is not there cannot be held', () => {
  expect(() => lockFolder(join(folder, 'none'))).toThrow(`${join(folder, 'none')} is not there; look at the name`)
})

test('a lock of another machine counts for two minutes after its last sign of life', () => {
  const signOfLife = (secondsAgo: number) => {
    left({ host: 'elsewhere', pid: 1 })
    const then = (performance.timeOrigin + performance.now()) / 1000 - secondsAgo
    utimesSync(path, then, then)
  }
  signOfLife(110)
  expect(() => lockFolder(folder)).toThrow(
    `${folder} is in use by process 1 on elsewhere; wait until it has ended, or take another --out; where no such process runs, delete ${path}`,
  )
  expect(() => lockFolder(folder, { patience: 200_000 })).toThrow('in use')
  lockFolder(folder, { patience: 100_000 })()
  signOfLife(130)
  lockFolder(folder)()
  expect(existsSync(path)).toBe(false)
})

test('the lock of a process that begins at another time than the holder did is taken over', () => {
  left({ pid: 1, began: 'never' })
  if (existsSync('/proc/1/stat')) lockFolder(folder)()
  left({ pid: 2 ** 22 + 1 })
  lockFolder(folder)()
  expect(existsSync(path)).toBe(false)
})

test('a holder gives signs of life', async () => {
  const release = lockFolder(folder, { beat: 1 })
  utimesSync(path, 1000, 1000)
  for (let turn = 0; turn < 1000 && statSync(path).mtimeMs < 2e6; turn++)
    await new Promise((resolve) => setTimeout(resolve, 1))
  expect(statSync(path).mtimeMs).toBeGreaterThan(2e6)
  release()
})
