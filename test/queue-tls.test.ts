/** A queue that speaks TLS alone, to a user of an ACL who may do what docs/sweeps.md says and no more. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linesIn, overhear, overhearIn, root, sweepArgs, tables, work, writeSweep } from './queue-world.js'
import { noTls, startRedis, type TestRedis } from './redis-server.js'

const [certificate, key] = [join(work, 'certificate.pem'), join(work, 'key.pem')]
const trusted = { NODE_EXTRA_CA_CERTS: certificate }
const rights = /for whom `([^`]+)` is enough/.exec(readFileSync(`${root}docs/sweeps.md`, 'utf8'))![1]!

/** A certificate of this machine's, signed by itself, good for a day. */
function makeCertificate(): void {
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const { status, stderr } = spawnSync('openssl', ['req', ...kind, ...name, '-keyout', key, '-out', certificate], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
}

describe.skipIf(noTls !== undefined)('a queue behind TLS and an ACL', () => {
  let redis: TestRedis
  const queue = (who: string, host = '127.0.0.1'): string => `rediss://${who}@${host}:${redis.port}`
  const refused = async (env: Readonly<Record<string, string>>, url: string): Promise<string> => {
    const { code, stderr } = await overhearIn({ ...env, OVERHEAR_QUEUE: url }, root, 'worker', '--idle', '1').ended
    expect(code).toBe(2)
    expect(stderr).not.toContain('swept')
    return stderr
  }
  beforeAll(async () => {
    writeSweep()
    makeCertificate()
    mkdirSync(join(work, 'redis'))
    const user = ['--user', 'ann', 'on', '>swept', ...rights.split(' ')]
    redis = await startRedis(join(work, 'redis'), { tls: { certificate, key }, more: user })
  })
  afterAll(() => redis.end())

  test('serves a sweep, with the bits of this machine alone', async () => {
    const alone = await overhear(work, ...sweepArgs('alone', '--workers', '1', '--seeds', '1')).ended
    expect([alone.code, alone.stderr]).toEqual([0, ''])
    const env = { ...trusted, OVERHEAR_QUEUE: queue('ann:swept', 'localhost') }
    const worker = overhearIn(env, root, 'worker', '--concurrency', '1')
    const end = await overhearIn(env, work, ...sweepArgs('queued', '--queue', 'env', '--seeds', '1')).ended
    expect([end.code, end.stderr]).toEqual([0, ''])
    expect(tables('queued')).toEqual(tables('alone'))
    expect(linesIn('queued')).toHaveLength(2)
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(130)
  })

  test('refuses a certificate that nobody vouches for, another password, another user, and speech in the clear', async () => {
    expect(await refused({}, queue('ann:swept'))).toMatch(
      /cannot be used \(self-signed certificate.*NODE_EXTRA_CA_CERTS/,
    )
    expect(await refused(trusted, queue('ann:guessed'))).toContain('cannot be used (WRONGPASS')
    expect(await refused(trusted, queue('bob:swept'))).toContain('cannot be used (WRONGPASS')
    expect(await refused(trusted, queue('ann:swept').replace('rediss', 'redis'))).toContain('cannot be used (')
  })
})

test.runIf(noTls !== undefined)(`a queue behind TLS is not tested: ${noTls}`, () => {})
