import { expect, test } from 'vitest'
import { starvedThread } from './starved-thread.js'

test('a thread that may open no more files, or has no memory, is no bug of ours', () => {
  const open = Object.assign(new Error("EMFILE: too many open files, open '/x/chunk.js'"), { code: 'EMFILE' })
  expect(starvedThread(open)).toMatchObject({ code: 'E_INPUT', message: expect.stringContaining('ulimit -n') })
  // What crosses threads may have lost its code.
  expect(starvedThread(new Error("EMFILE: too many open files, open '/x/chunk.js'"))).toMatchObject({ code: 'E_INPUT' })
  const memory = Object.assign(new Error('out'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })
  expect(starvedThread(memory)!.message).toContain('a worker thread ran out of memory')
  expect(starvedThread(new TypeError('x is not a function'))).toBe(undefined)
  expect(starvedThread(undefined)).toBe(undefined)
})
