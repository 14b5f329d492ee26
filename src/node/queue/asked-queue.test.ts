import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { askedAddress, askedJobs } from './asked-queue.js'

const { write } = process.stderr
const { OVERHEAR_QUEUE } = process.env
let said = ''
beforeEach(() => {
  said = ''
  process.stderr.write = ((text: string) => {
    said += text
    return true
  }) as typeof write
})
afterEach(() => {
  process.stderr.write = write
  if (OVERHEAR_QUEUE === undefined) delete process.env.OVERHEAR_QUEUE
  else process.env.OVERHEAR_QUEUE = OVERHEAR_QUEUE
})

describe('the queue that a command names', () => {
  test('is what the environment says where it is called env', async () => {
    process.env.OVERHEAR_QUEUE = 'redis://127.0.0.1:7001'
    expect((await askedAddress('env', false)).port).toBe(7001)
    expect((await askedAddress('redis://127.0.0.1:7002', false)).port).toBe(7002)
    expect(said).toBe('')
  })

  test('warns of a password in the clear, unless it is to be quiet', async () => {
    const address = 'redis://:secret@8.8.8.8'
    expect((await askedAddress(address, true)).password).toBe('secret')
    expect(said).toBe('')
    await askedAddress(address, false)
    expect(said).toMatch(/^the queue at redis:\/\/8\.8\.8\.8:6379 has .* in the clear\n$/)
  })

  test('runs the attacks of an audit, but none of plug-ins', async () => {
    expect(await askedJobs({})).toEqual({})
    expect(await askedJobs({ plugin: ['./mine.js'] })).toEqual({})
    await expect(askedJobs({ queue: 'redis://127.0.0.1', plugin: ['./mine.js'] })).rejects.toThrow(
      '--queue and --plugin were given; workers run what the package brings alone',
    )
  })
})
