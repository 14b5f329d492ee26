/** Addresses of the explorer: a run's messages, clients, records and who took part. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Hono } from 'hono'
import {
  type ClientAnswer,
  clientRequest,
  type ExploreAnswer,
  exploreRequest,
  participationRequest,
  recordsRequest,
  roundRequest,
  timelineRequest,
} from '../../../api/explore.js'
import type { AuditDocument } from '../../../audit/document.js'
import { subjectOf } from '../../../audit/ladder/question-words.js'
import { madeOf } from '../../files/audit-file.js'
import { parsed } from '../parsed.js'
import type { RunList } from '../run-list.js'
import { type Misfits, roundOf, timelineOf, turnsOf } from './messages.js'
import { clientsWithClaims, recordsOf } from './record-claims.js'
import { type OpenedRun, recordings } from './recordings.js'
import { participationOf } from './who-took-part.js'

const [mostFits, mostQuestions, mostClients] = [40, 60, 1000]

export function exploreRoutes(app: Hono, runs: RunList): void {
  const messages = recordings(runs)
  const at = '/api/runs/:id/explore'
  app.get(at, async (c) => {
    const [id, { place }] = [c.req.param('id'), parsed(exploreRequest, c.req.query())]
    return c.json(await aboutRun(await messages.open(id, place), auditOf(runs, id)))
  })
  app.get(`${at}/rounds`, async (c) => {
    const [id, asked] = [c.req.param('id'), parsed(timelineRequest, c.req.query())]
    const run = await messages.open(id, asked.place)
    return c.json(await timelineOf(run, asked, misfitsIn(auditOf(runs, id), run)))
  })
  app.get(`${at}/round`, async (c) => {
    const [id, asked] = [c.req.param('id'), parsed(roundRequest, c.req.query())]
    const run = await messages.open(id, asked.place)
    return c.json(await roundOf(run, asked, misfitsIn(auditOf(runs, id), run)))
  })
  app.get(`${at}/client`, async (c) => {
    const [id, asked] = [c.req.param('id'), parsed(clientRequest, c.req.query())]
    const run = await messages.open(id, asked.place)
    const audit = auditOf(runs, id)
    const turns = await turnsOf(run, asked, misfitsIn(audit, run))
    return c.json<ClientAnswer>({ ...turns, ...madeOf(id, () => saidOf(audit, asked.client)) })
  })
  app.get(`${at}/participation`, async (c) => {
    const asked = parsed(participationRequest, c.req.query())
    return c.json(await participationOf(await messages.open(c.req.param('id'), asked.place), asked))
  })
  app.get(`${at}/records`, async (c) => {
    const [id, asked] = [c.req.param('id'), parsed(recordsRequest, c.req.query())]
    const { beside } = await messages.open(id, '')
    const audit = runs.audit(id)
    return c.json(await recordsOf(audit, beside, asked))
  })
}

/** null: it has not ended. */
const auditOf = (runs: RunList, id: string): AuditDocument | null =>
  existsSync(join(runs.folder(id), 'audit.json')) ? runs.audit(id) : null

async function aboutRun(run: OpenedRun, audit: AuditDocument | null): Promise<ExploreAnswer> {
  const { manifest, warnings } = run.transcript
  const entries = run.transcript.rounds()
  const last = entries.at(-1)
  const held = last === undefined ? undefined : await run.transcript.contents(last.round)
  const { recordedFor, model, protocol, parameters, clients } = manifest
  return {
    places: [...run.places],
    place: run.place,
    recordedFor:
      recordedFor.kind === 'eavesdropper'
        ? `an eavesdropper on client ${recordedFor.client}`
        : listeners[recordedFor.kind],
    model: model.kind,
    parameters: parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0),
    share: protocol.share,
    heard: held !== undefined && held.clients.size > 0 ? 'updates' : held?.aggregate === true ? 'sums' : 'models',
    rounds: entries.length,
    clients: 'count' in clients ? clients.count : clients.length,
    stated: Object.entries(protocol).map(([name, value]) => ({ name, value: shown(value) })),
    fits: audit === null ? [] : madeOf('audit.json', () => fitsIn(audit, null)),
    recordsOf: audit === null ? [] : madeOf('audit.json', () => clientsWithClaims(audit)).slice(0, mostClients),
    warnings: warnings.slice(0, 20),
  }
}

const listeners = { server: 'the server', 'secagg-server': 'the server of secure sums' } as const

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'unknown'))

/** What attacks say of the stated protocol; of one client's messages where one is named. */
function fitsIn({ observers }: AuditDocument, client: string | null): ExploreAnswer['fits'] {
  const all = observers.flatMap(({ attacks }) => attacks)
  return all
    .filter(
      ({ fit, sameAs, target }) => fit !== undefined && sameAs === undefined && (client === null || target === client),
    )
    .slice(0, mostFits)
    .map(({ fit, attack, observer, target }) => {
      const { stated, heard, p } = fit!
      const differs = Object.keys(heard).filter((key) => shown(stated[key]) !== shown(heard[key]))
      const words = differs.map((key) => `${key}: ${shown(stated[key])} stated, ${shown(heard[key])} heard`)
      return { attack, observer, target, p, differs: words }
    })
}

/** By message, where an attack has looked at it: of the audited training alone. */
function misfitsIn(audit: AuditDocument | null, { place, places }: OpenedRun): Misfits {
  const own = new Map<string, number>()
  const most = new Map<number, number>()
  // Of several models each has a training of its own: "0-linear".
  const isOf = (model: string | null): boolean =>
    place === '' ? places[0] === '' : model !== null && place.replace(/^\d+-/, '') === model
  const results = (audit?.observers ?? []).flatMap(({ attacks }) => attacks.filter(({ model }) => isOf(model)))
  madeOf('audit.json', () => {
    for (const { fit, target } of results) {
      for (const { round, misfit } of fit?.byRound ?? []) {
        own.set(JSON.stringify([target, round]), misfit)
        most.set(round, Math.max(misfit, most.get(round) ?? 0))
      }
    }
  })
  return {
    of: (client, round) => own.get(JSON.stringify([client, round])) ?? null,
    most: (round) => most.get(round) ?? null,
  }
}

function saidOf(audit: AuditDocument | null, client: string): Pick<ClientAnswer, 'questions' | 'fits'> {
  if (audit === null) return { questions: [], fits: [] }
  const own = audit.questions.filter(({ target, sameAs }) => target === client && sameAs === undefined)
  return {
    fits: fitsIn(audit, client),
    questions: own.slice(0, mostQuestions).map((one) => {
      const { observer, level, ladder } = one
      const best = ladder.record ?? ladder.client
      return { about: subjectOf(one, false), observer, level, metric: ladder.metric, best }
    }),
  }
}
