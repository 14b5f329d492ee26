/** Addresses of sweeps and studies. */
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { placeName } from '../../../api/requests.js'
import { columnsRequest, multiplesRequest, type SweepAnswer, type SweepSummary } from '../../../api/sweeps.js'
import { OverhearError } from '../../../errors.js'
import { parsed } from '../parsed.js'
import { studyList } from './study-list.js'
import { type SweepIndex, sweepIndex, trialsFile } from './sweep-index.js'
import { columnsOf, multiplesOf } from './sweep-pictures.js'

export function sweepRoutes(app: Hono, root: string): void {
  const studies = studyList(root)
  const indexOf = sweepIndexes(root)
  app.get('/api/sweeps', (c) => c.json(listSweeps(root)))
  app.get('/api/sweeps/:id', async (c) => {
    const id = c.req.param('id')
    return c.json<SweepAnswer>({ id, ...(await indexOf(id)).about })
  })
  app.get('/api/sweeps/:id/columns', async (c) => {
    const asked = parsed(columnsRequest, c.req.query())
    return c.json(columnsOf(await indexOf(c.req.param('id')), asked))
  })
  app.get('/api/sweeps/:id/multiples', async (c) => {
    const asked = parsed(multiplesRequest, c.req.query())
    return c.json(multiplesOf(await indexOf(c.req.param('id')), asked))
  })
  app.get('/api/studies', (c) => c.json(studies.list()))
  app.get('/api/studies/:key', (c) => c.json(studies.study(c.req.param('key'))))
}

/** Folders with a log of trials, the newest first; not by links. */
function listSweeps(root: string): SweepSummary[] {
  const folders = existsSync(root) ? readdirSync(root, { withFileTypes: true }) : []
  return folders
    .filter((one) => one.isDirectory() && placeName.test(one.name))
    .flatMap(({ name }) => {
      const about = lstatSync(join(root, name, trialsFile), { throwIfNoEntry: false })
      return about?.isFile() ? [{ id: name, changed: about.mtimeMs, bytes: about.size }] : []
    })
    .sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1))
}

/** Keeps what was read last, for as long as its log is the same. */
function sweepIndexes(root: string): (id: string) => Promise<SweepIndex> {
  let last: { readonly key: string; readonly index: Promise<SweepIndex> } | null = null
  return (id) => {
    const known = listSweeps(root).find((one) => one.id === id)
    if (known === undefined) throw new OverhearError('E_UNKNOWN_NAME', `there is no sweep ${JSON.stringify(id)}`)
    const key = `${id} ${known.changed} ${known.bytes}`
    if (last?.key !== key) {
      const index = sweepIndex(join(root, id))
      last = { key, index }
      index.catch(() => {
        if (last?.index === index) last = null
      })
    }
    return last.index
  }
}
