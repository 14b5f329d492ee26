import { describe, expect, test } from 'vitest'
import { isNear, readAddress, requireGuarded } from './queue-address.js'
import { queuePackages } from './queue-packages.js'

describe('the address of a queue', () => {
  test('is read with all its parts, and shown without its password', () => {
    expect(readAddress('rediss://ann:p%40ss@queue.example:7000/3')).toEqual({
      host: 'queue.example',
      port: 7000,
      db: 3,
      username: 'ann',
      password: 'p@ss',
      tls: {},
      shown: 'rediss://queue.example:7000',
    })
    expect(readAddress('redis://[::1]')).toEqual({ host: '::1', port: 6379, db: 0, shown: 'redis://[::1]:6379' })
    expect(readAddress('valkey://:x@h').shown).toBe('redis://h:6379')
  })

  test.each(['', 'localhost', 'http://h', 'redis://', 'redis://h/x', 'redis://:secret@h:99999'])(
    '%s is refused',
    (text) => {
      const read = (): unknown => readAddress(text)
      expect(read).toThrow('redis://[USER:PASSWORD@]HOST[:PORT][/DB] is needed')
      expect(read).not.toThrow('secret')
    },
  )

  test("belongs to a network of one's own, or to all", () => {
    const ours = ['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '::1', 'fd00::1', 'fe80::1', '::ffff:10.0.0.1',
      '169.254.255.255', '100.64.0.1', '100.127.255.255', '127.255.0.1', 'fc00::1', 'febf::1', '::FFFF:10.0.0.1'] // biome-ignore format: a list
    const all = ['8.8.8.8', '172.32.0.1', '192.169.0.1', '2001:db8::1', '::ffff:8.8.8.8', 'localhost', '',
      '169.255.0.1', '100.128.0.1', '100.63.255.255', '11.0.0.1', '128.0.0.1', '172.15.0.1', '::2', 'fec0::1', 'fe00::1', 'fb00::1'] // biome-ignore format: a list
    expect([ours.filter((one) => !isNear(one)), all.filter(isNear)]).toEqual([[], []])
  })

  test('that is public needs a password, and should have TLS', async () => {
    const at = async (url: string, places = ['8.8.8.8']) => requireGuarded(readAddress(url), async () => places)
    await expect(at('redis://8.8.8.8')).rejects.toThrow('has a public address and no password')
    await expect(at('rediss://queue.example')).rejects.toThrow('has a public address and no password')
    // One name may have a public address among others.
    await expect(at('redis://queue.example', ['10.0.0.1', '8.8.8.8'])).rejects.toThrow('no password')
    expect(await at('redis://queue.example', ['10.0.0.1'])).toBeUndefined()
    expect(await at('redis://127.0.0.1')).toBeUndefined()
    expect(await at('rediss://:x@queue.example')).toBeUndefined()
    expect(await at('redis://:x@queue.example')).toContain('no TLS: its password crosses the network in the clear')
  })

  test('of a host that nobody knows says so', async () => {
    const nobody = async (): Promise<string[]> => {
      throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
    }
    await expect(requireGuarded(readAddress('redis://nowhere'), nobody)).rejects.toThrow(
      'host nowhere is not known (ENOTFOUND)',
    )
  })
})

test('without its packages a queue says how to get them', async () => {
  const missing = async (): Promise<never> => {
    throw Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' })
  }
  await expect(queuePackages(missing)).rejects.toThrow(
    /^a queue needs bullmq and ioredis, which are not installed; run `npm install bullmq@\S+ ioredis@\S+`$/,
  )
})
