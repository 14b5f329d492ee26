/** The page's server as a function from requests to answers: which address does what, and what may go wrong. */
import { existsSync, readFileSync } from 'node:fs'
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import type { JobState } from '../../api/answers.js'
import { checkRequest, compareRequest, editRequest, questionsRequest, startRequest } from '../../api/requests.js'
import { compareAudits } from '../../audit/finished/compare.js'
import { type ErrorCode, OverhearError } from '../../errors.js'
import { madeOf } from '../files/audit-file.js'
import { machineFault } from '../files/machine-faults.js'
import { fromRoot } from '../package-root.js'
import { aboutUpload } from './about-upload.js'
import { eventStream } from './event-stream.js'
import { exploreRoutes } from './explore/explore-routes.js'
import { type GuardOptions, guard } from './guard.js'
import type { Jobs } from './jobs.js'
import { parsed } from './parsed.js'
import { reportRoutes } from './report-routes.js'
import type { RunList } from './run-list.js'
import { checked, described, edited } from './scenario-form.js'
import { prepareResume, prepareStart } from './start-audit.js'
import { sweepRoutes } from './sweeps/sweep-routes.js'
import type { Uploads } from './uploads.js'

export interface PageOptions extends GuardOptions {
  readonly runs: RunList
  readonly uploads: Uploads
  readonly jobs: Jobs
  /** Arguments of the command for every audit. */
  readonly always: readonly string[]
}

const statusOf: Partial<Record<ErrorCode, ContentfulStatusCode>> = { E_UNKNOWN_NAME: 404, E_WORK: 429, E_INTERNAL: 500 }
const mostJson = 2_000_000

export function pageApp(options: PageOptions): Hono {
  const { runs, uploads, jobs } = options
  const app = new Hono()
  app.use(guard(options))
  app.onError((error, c) => {
    const told = machineFault(error)
    if (told instanceof OverhearError) return c.json({ error: told.message }, statusOf[told.code] ?? 400)
    console.error(error)
    return c.json({ error: 'a bug of ours; the terminal of the server says more' }, 500)
  })
  app.notFound((c) => c.json({ error: `there is nothing at ${c.req.path}` }, 404))

  app.get('/api/describe', (c) => c.json(described()))
  app.get('/api/runs', (c) => c.json(runs.list()))
  app.get('/api/runs/:id', (c) => c.json(runs.detail(c.req.param('id'))))
  app.get('/api/runs/:id/questions', (c) =>
    c.json(runs.questions(c.req.param('id'), parsed(questionsRequest, c.req.query()))),
  )
  app.get('/api/runs/:id/audit.json', (c) => c.json(runs.audit(c.req.param('id'))))
  reportRoutes(app, runs)
  exploreRoutes(app, runs)
  sweepRoutes(app, runs.root)
  app.get('/api/compare', (c) => {
    const asked = parsed(compareRequest, c.req.query())
    const [before, after] = [runs.audit(asked.before), runs.audit(asked.after)]
    return c.json(madeOf(`${asked.before} and ${asked.after}`, () => compareAudits(before, after)))
  })
  app.get('/api/events', (c) => eventStream(c, options))
  app.get('/api/runs/:id/events', (c) => eventStream(c, options, c.req.param('id')))

  app.post('/api/check', async (c) => c.json(checked((await body(c.req.raw, checkRequest)).yaml)))
  app.post('/api/edit', async (c) => c.json(edited(await body(c.req.raw, editRequest))))
  app.post('/api/runs', async (c) => {
    const { id, args } = await prepareStart(await body(c.req.raw, startRequest), options)
    return c.json<JobState>(jobs.start(id, args), 201)
  })
  app.post('/api/runs/:id/resume', (c) => {
    const { id, args } = prepareResume(c.req.param('id'), options)
    return c.json<JobState>(jobs.start(id, args), 201)
  })
  app.post('/api/runs/:id/cancel', (c) => c.json<JobState>(jobs.stop(c.req.param('id'))))

  app.get('/api/uploads', (c) => c.json(uploads.names()))
  app.get('/api/uploads/:name', async (c) => {
    const name = c.req.param('name')
    return c.json(await aboutUpload(name, uploads.path(name)))
  })
  app.delete('/api/uploads/:name', (c) => {
    uploads.remove(c.req.param('name'))
    return c.json({})
  })
  app.put('/api/uploads/:name/:inside{.+}?', async (c) => {
    const inside = c.req.param('inside')?.split('/') ?? []
    await uploads.put(c.req.param('name'), inside, c.req.raw.body)
    return c.json({}, 201)
  })

  for (const [path, file] of Object.entries(pageFiles)) app.get(path, () => asset(path, file))
  app.get('/bundle/:path{.+}', (c) => asset(c.req.path, bundled(c.req.param('path'))))
  return app
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

const pageFiles: Readonly<Record<string, string>> = {
  '/': 'dist/page/index.html',
  '/page/page.js': 'dist/page/page.js',
  '/page/page.css': 'dist/page/page.css',
  '/bundle/web/lab-worker.js': 'dist/bundle/web/lab-worker.js',
}

/** The package's own code, for workers of the page: plain names alone, so that nothing else is reached. */
function bundled(path: string): string {
  const plain = /^(?:[A-Za-z0-9_-]+\/)*[A-Za-z0-9_-]+\.js$/.test(path)
  return plain ? `dist/bundle/${path}` : ''
}

function asset(path: string, name: string): Response {
  const file = fromRoot(name)
  if (name === '' || !existsSync(file)) throw new OverhearError('E_UNKNOWN_NAME', `there is nothing at ${path}`)
  return new Response(readFileSync(file), { headers: { 'content-type': types[name.split('.').at(-1)!]! } })
}

/** The JSON that was sent. */
async function body<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  if (!/^application\/json\b/.test(request.headers.get('content-type') ?? '')) {
    throw new OverhearError('E_INPUT', 'the request is no JSON', 'send it as application/json')
  }
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > mostJson) throw new OverhearError('E_INPUT', `the request is longer than ${mostJson} characters`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new OverhearError('E_INPUT', `the request is no JSON: ${(error as Error).message}`)
  }
  return parsed(schema, value)
}
