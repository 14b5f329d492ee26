import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { guard, isOwnHost } from './guard.js'

async function asked(token: string | null, headers: Record<string, string>, path = '/x'): Promise<Response> {
  const app = new Hono()
  app.use('*', guard({ token }))
  app.get('/x', (c) => c.text('in', 200, { 'cache-control': 'mine' }))
  return app.request(path, { headers })
}
const status = async (token: string | null, headers: Record<string, string>, path?: string) =>
  (await asked(token, headers, path)).status

test.each([
  ['127.0.0.1', true],
  ['localhost:8080', true],
  ['LOCALHOST', true],
  ['[::1]:9', true],
  ['127.0.0.1.evil', false],
  ['evil', false],
  ['x127.0.0.1', false],
  [undefined, false],
])('%j is this machine: %j', (host, own) => {
  expect(isOwnHost(host)).toBe(own)
})

test.each([
  [{}, 400],
  [{ host: 'localhost:1' }, 200],
  [{ host: 'evil' }, 403],
  [{ host: 'localhost:1', origin: 'http://localhost:1' }, 200],
  [{ host: 'localhost:1', origin: 'https://localhost:1' }, 200],
  [{ host: 'localhost:1', origin: 'http://localhost:2' }, 403],
  [{ host: 'localhost:1', origin: 'null' }, 403],
  [{ host: 'localhost', 'sec-fetch-site': 'same-origin' }, 200],
  [{ host: 'localhost', 'sec-fetch-site': 'none' }, 200],
  [{ host: 'localhost', 'sec-fetch-site': 'cross-site' }, 403],
  [{ host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 403],
  [{ host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }, 403],
  [
    { host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    200,
  ],
])('a request with %j gets %d', async (headers, expected) => {
  expect(await status(null, headers as Record<string, string>)).toBe(expected)
})

test('from elsewhere whoever has the token, which the browser then keeps', async () => {
  const host = { host: 'machine.example' }
  expect(await status('t', host)).toBe(401)
  expect(await status('t', { ...host, authorization: 'Bearer t' })).toBe(200)
  expect(await status('t', { ...host, authorization: 'Bearer u' })).toBe(401)
  expect(await status('t', { ...host, cookie: 'a=b; overhear=t' })).toBe(200)
  expect(await status('t', { ...host, cookie: 'overhear=u' })).toBe(401)
  expect(await status('t', host, '/x?token=u')).toBe(401)
  const printed = await asked('t', host, '/x?token=t')
  expect([printed.status, printed.headers.get('location')]).toEqual([303, '/'])
  expect(printed.headers.get('set-cookie')).toBe('overhear=t; HttpOnly; SameSite=Strict; Path=/')
  expect(await status(null, { host: 'localhost' }, '/x?token=t')).toBe(200)
})

test('every answer says what it may do, and keeps what it says itself', async () => {
  const [fine, refused] = [await asked(null, { host: 'localhost' }), await asked(null, { host: 'evil' })]
  expect(fine.headers.get('cache-control')).toBe('mine')
  for (const { headers } of [fine, refused]) {
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  expect(refused.headers.get('cache-control')).toBe('no-store')
})
