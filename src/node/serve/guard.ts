/** Who may talk to the page's server: this machine by its own name, pages of its own, and from elsewhere whoever has the token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'

export interface GuardOptions {
  /** What must be shown where the server is bound to more than this machine alone; null where it is not. */
  readonly token: string | null
}

/** What every answer says: nothing of others is loaded, run, framed or sent to, and kernels may be compiled. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A report is shown in a frame of the page, and has no origin: its own policy says what else it may do. */
export const reportPolicy = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"

const cookieName = 'overhear'
const ownNames = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i

/** Whether a name in a request is this machine's. Another one leads here where somebody rebinds theirs. */
export const isOwnHost = (host: string | undefined): boolean => host !== undefined && ownNames.test(host)

export function guard({ token }: GuardOptions): MiddlewareHandler {
  return async (c, next) => {
    const refused = refusal(c.req.raw, token)
    const given = token === null ? undefined : c.req.query('token')
    if (refused !== null) return c.json({ error: refused.error }, refused.status, safeHeaders)
    if (token !== null && given !== undefined && isSame(given, token)) {
      // The address that was printed: from now on the browser keeps it, out of sight.
      return c.body(null, 303, {
        ...safeHeaders,
        location: '/',
        'set-cookie': `${cookieName}=${token}; HttpOnly; SameSite=Strict; Path=/`,
      })
    }
    if (token !== null && !isSame(shownToken(c.req.raw), token)) {
      const error = 'the token is missing or wrong; open the address that "overhear serve" printed'
      return c.json({ error }, 401, safeHeaders)
    }
    await next()
    for (const [name, value] of Object.entries(safeHeaders))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  }
}

const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': pagePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

interface Refusal {
  readonly error: string
  readonly status: 400 | 403
}

function refusal({ headers }: Request, token: string | null): Refusal | null {
  const host = headers.get('host') ?? undefined
  if (host === undefined) return { status: 400, error: 'the request names no host' }
  if (token === null && !isOwnHost(host)) {
    return { status: 403, error: `the host ${JSON.stringify(host)} is not this machine; use http://127.0.0.1` }
  }
  const origin = headers.get('origin')
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) {
    return { status: 403, error: `the origin ${JSON.stringify(origin)} is foreign` }
  }
  const site = headers.get('sec-fetch-site')
  // A link from elsewhere may open the page, and nothing else.
  const opens = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  if (site !== null && site !== 'same-origin' && site !== 'none' && !opens) {
    return { status: 403, error: 'the request comes from a foreign page' }
  }
  return null
}

function shownToken({ headers }: Request): string {
  const bearer = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1]
  const pairs = (headers.get('cookie') ?? '').split(';').map((one) => one.trim().split('='))
  return bearer ?? pairs.find(([name]) => name === cookieName)?.[1] ?? ''
}

/** In the same time whatever is given. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
