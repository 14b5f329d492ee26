/** The address of a queue: how to connect to it, and whether strangers could reach it without a password. */
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { OverhearError } from '../../errors.js'

/** How a queue is connected to. */
export interface QueueAddress {
  readonly host: string
  readonly port: number
  readonly db: number
  readonly username?: string
  readonly password?: string
  readonly tls?: Readonly<Record<string, never>>
  /** As it may be shown: without a password. */
  readonly shown: string
}

const form = 'redis://[USER:PASSWORD@]HOST[:PORT][/DB] is needed, or rediss:// for TLS'
const protocols: Readonly<Record<string, boolean>> = {
  'redis:': false,
  'rediss:': true,
  'valkey:': false,
  'valkeys:': true,
}

/** Reads an address; unless told, what the environment says in OVERHEAR_QUEUE. */
export function readAddress(text: string | undefined): QueueAddress {
  const given = text ?? process.env.OVERHEAR_QUEUE ?? ''
  if (given === '') throw new OverhearError('E_INPUT', 'no queue was named', `give --queue, or OVERHEAR_QUEUE; ${form}`)
  const url = URL.canParse(given) ? new URL(given) : undefined
  const tls = url === undefined ? undefined : protocols[url.protocol]
  const db = /^\/?(\d{0,4})$/.exec(url?.pathname ?? '-')?.[1]
  if (url === undefined || tls === undefined || db === undefined || url.hostname === '') {
    // A password may stand in it: it is not repeated.
    throw new OverhearError('E_INPUT', 'the address of the queue cannot be read', form)
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? 6379 : Number(url.port)
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  return {
    host,
    port,
    db: db === '' ? 0 : Number(db),
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(tls && { tls: {} }),
    shown: `${tls ? 'rediss' : 'redis'}://${url.hostname}:${port}`,
  }
}

const near = new BlockList()
near.addSubnet('127.0.0.0', 8)
near.addSubnet('10.0.0.0', 8)
near.addSubnet('172.16.0.0', 12)
near.addSubnet('192.168.0.0', 16)
near.addSubnet('169.254.0.0', 16)
near.addSubnet('100.64.0.0', 10)
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')
near.addSubnet('fe80::', 10, 'ipv6')

/** Whether an address belongs to this machine or to a network of one's own. */
export function isNear(address: string): boolean {
  const inside = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  const family = isIP(inside)
  return family !== 0 && near.check(inside, family === 6 ? 'ipv6' : 'ipv4')
}

type Resolve = (host: string) => Promise<readonly string[]>
const resolveName: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** Refuses a queue that anybody could write jobs into; gives a warning where its password crosses a network in the clear. */
export async function requireGuarded(
  address: QueueAddress,
  resolve: Resolve = resolveName,
): Promise<string | undefined> {
  let places: readonly string[] = [address.host]
  if (isIP(address.host) === 0) {
    try {
      places = await resolve(address.host)
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message
      throw new OverhearError('E_INPUT', `the queue's host ${address.host} is not known (${why})`, 'look at the name')
    }
  }
  if (places.every(isNear)) return undefined
  if (address.password === undefined) {
    const found = `the queue at ${address.shown} has a public address and no password`
    throw new OverhearError('E_INPUT', found, 'give it one (requirepass, or a user of an ACL), and TLS by rediss://')
  }
  if (address.tls !== undefined) return undefined
  return `the queue at ${address.shown} has a public address and no TLS: its password crosses the network in the clear`
}
