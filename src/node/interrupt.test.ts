import { afterEach, describe, expect, test, vi } from 'vitest'
import { interruptible } from './interrupt.js'

afterEach(() => vi.restoreAllMocks())

const listening = () => ['SIGINT', 'SIGTERM'].map((signal) => process.listenerCount(signal))

// The listeners that a run adds are called by hand: a signal would end whoever runs the tests, too.
describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (name) => {
  const send = (): void => process.listeners(name).at(-1)!(name)

  test('asks once to stop, and ends at once when it comes again', async () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
    const before = listening()
    const result = await interruptible(async (signal) => {
      expect(listening()).toEqual(before.map((count) => count + 1))
      expect(signal.aborted).toBe(false)
      send()
      expect(signal.aborted).toBe(true)
      expect(exit).not.toHaveBeenCalled()
      send()
      expect(exit).toHaveBeenCalledExactlyOnceWith(130)
      return 'stopped'
    })
    expect(result).toBe('stopped')
    expect(listening()).toEqual(before)
  })

  test('is heard no more after an error', async () => {
    const before = listening()
    await expect(interruptible(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    expect(listening()).toEqual(before)
  })
})
