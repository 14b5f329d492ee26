/** What the page's server answers about audits that are done: every address, whole, and what it says to requests that are wrong. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { JobState } from '../src/api/answers.js'
import { numberColumn, tableOf, wordColumn } from '../src/data/table.js'
import { guessColumns } from '../src/node/serve/guess-columns.js'
import { pageApp } from '../src/node/serve/page-app.js'
import { runList } from '../src/node/serve/run-list.js'
import { uploads } from '../src/node/serve/uploads.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'
import { storeAudits } from './stored-audits.js'

const root = mkdtempSync(join(tmpdir(), 'overhear-answers-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const started: string[] = []
const state = (id: string, args: readonly string[]): JobState => {
  started.push(`${id}: ${args.join(' ').replaceAll(root, '')}`)
  return { id, state: 'waiting' } as JobState
}
const jobs = { start: state, stop: (id: string) => state(id, []), get: () => null, follow: () => () => {} } as never

/** Trials along two axes, some of which failed; questions, scores and utilities differ in what they are about. */
const trialOf = (k: number) => {
  const question = { model: k % 4 === 0 ? null : 'm', about: 'union', target: String(k % 2), metric: 'AUC' }
  const rungs = { constant: 0.5, guess: 0.5 + k / 200, client: 0.6, record: k % 5 === 0 ? null : 0.9 - k / 100 }
  const result = {
    ...{ hash: '', level: ['none-found', 'leaks-records', 'leaks-clients'][k % 3], tested: k % 4, notTested: 1 },
    questions: [],
    scores: [],
    utility: [
      { model: 'm', metric: 'R2', value: (k * k) % 7 },
      ...(k % 2 === 0 ? [{ model: 'n', metric: 'loss', value: k / 3 }] : []),
    ],
  }
  return {
    ...{ format: 'overhear-trial/1', id: k.toString(16).padStart(64, '0'), seed: 1 + (k % 2) },
    at: { rounds: k % 3, rate: k % 2 === 0 ? 'low' : 'high', about: { ...question, ...rungs }.target },
    result: k % 9 === 8 ? null : result,
    reason: k % 9 === 8 ? `too long by ${k % 2}` : null,
    took: { seconds: 1 + k, attempts: 1, worker: k % 2 === 0 ? null : 'w' },
  }
}
const place = (series: string, mean: number, x?: number) => ({
  ...{ name: series, panel: 'p', series, note: '' },
  ...(x !== undefined && { x }),
  ours: { mean, std: 0.1, median: mean, n: 3 },
  paper: x === 2 ? null : { mean: 1, std: null },
})
const study = {
  ...{ study: 'mine', title: 'of ours', paper: 'lmra', where: 'Table 1', unit: 'numbers', axis: 'round' },
  departs: ['in one thing'],
  run: { quick: true, seeds: [1, 2], cells: 3, planned: 4, seconds: 3, version: '0', date: '2026-01-01', trouble: [] },
  rows: [place('a', 1), place('b', 2, 1), place('b', 3, 2)],
  claims: [true, false, null].map((holds) => ({ text: `claim ${holds}`, holds })),
}

let made: Promise<ReturnType<typeof pageApp>> | undefined
/** The server, once both audits lie in its folder. */
const served = () => {
  made ??= (async () => {
    await storeAudits(root)
    mkdirSync(join(root, 'torn'))
    writeFileSync(join(root, 'torn/audit.json'), '{"format": ')
    for (const [id, count] of [
      ['many', 40],
      ['one', 1],
      ['none-yet', 0],
    ] as const) {
      mkdirSync(join(root, id))
      const lines = Array.from({ length: count }, (_, k) => JSON.stringify(trialOf(k)))
      writeFileSync(join(root, id, 'trials.jsonl'), [...lines, ...lines.slice(3, 5), '{"torn'].join('\n'))
    }
    mkdirSync(join(root, 'studied'))
    for (const [name, text] of [
      ['cells.jsonl', ''],
      ['mine.json', JSON.stringify(study)],
      ['torn.json', '{'],
    ] as const)
      writeFileSync(join(root, 'studied', name), text)
    // Listed by when they changed.
    for (const [i, id] of ['sums', 'torn', 'tiny', 'many', 'one', 'none-yet'].entries()) {
      const file = i < 3 ? 'audit.json' : 'trials.jsonl'
      for (const path of [`${id}/${file}`, id]) utimesSync(join(root, path), 1000 * i, 1000 * i)
    }
    return pageApp({ runs: runList(root, () => null), uploads: uploads(root), jobs, always: ['--x'], token: null })
  })()
  return made
}

/** What differs from one machine or minute to the next. */
const steady = (text: string): string =>
  text
    .replaceAll(root, '')
    .replaceAll(/"(when|ended|started|at|modified|bytes|hash|changed|size)":("[^"]*"|[\d.]+)/g, '"$1":0')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, 'then')

const asking =
  (path: string, more: RequestInit = {}) =>
  async () => {
    const { host = 'localhost', ...headers } = { ...(more.headers as Record<string, string>) }
    const answer = await (await served()).request(`http://${host}${path}`, { ...more, headers: { host, ...headers } })
    const text = steady(await answer.text())
    return [answer.status, answer.headers.get('content-type'), [text]]
  }
const sending = (path: string, value: unknown, method = 'POST') =>
  asking(path, {
    method,
    headers: { 'content-type': 'application/json', origin: 'http://localhost' },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  })

const places = ['', 'repeat-1', 'without-0', 'repeat-1/without-0', '0-linear', '1-mlp', 'nowhere']
const pages = ['', '?count=2', '?from=1&count=1', '?from=100', '?count=0', '?count=1000', '?from=-1', '?from=x', '?x=1']
const yaml = 'name: a\nmodels: [{ kind: linear }]\ntraining:\n  rounds: 3 # few\n'
const edits = (...all: readonly { path: readonly (string | number)[]; value?: unknown }[]) =>
  sending('/api/edit', { yaml, edits: all })

const names = ['id', 'patientId', 'client', 'Hospital_Name', 'label', 'charges', 'smoker', 'sex', 'age', 'a', 'target', 'race', 'site', 'wage'] // biome-ignore format: a list
/** Tables of few rows whose columns have telling names or none, and one, two, some or all values. */
const tables = (columns: number) =>
  Array.from({ length: 80 }, (_, k) => {
    const draws = rng(11).fork('tables', columns, k)
    const rows = [1, 2, 3, 6, 30][draws.fork('rows').integer(5)]!
    return tableOf(
      Array.from({ length: columns }, (_, j) => {
        const own = draws.fork('column', j)
        const [name, kinds] = [names[own.integer(names.length)]!, [1, 2, 3, 21, rows][own.integer(5)]!]
        const values = Array.from({ length: rows }, (_, i) => (i * 7) % kinds)
        if (own.integer(2) === 0) return wordColumn(`${name}${j}`.replace(/0$/, ''), values.map((x) => `w${x}`)) // biome-ignore format: a line
        return numberColumn(`${name}_${j}`, own.integer(3) === 0 ? values.map((x) => x + 0.5) : values)
      }),
    )
  })

pinResults('serve', {
  'lists and documents': [
    ...['runs', 'runs/tiny', 'runs/sums', 'runs/torn', 'runs/none', 'runs/..', 'runs/tiny/audit.json', 'uploads', 'sweeps', 'sweeps/none', 'nothing', 'runs/none/report'].map((path) => asking(`/api/${path}`)), // biome-ignore format: a list
    ...['before=tiny&after=sums', 'before=tiny&after=tiny', 'before=tiny', 'before=tiny&after=none'].map((asked) => asking(`/api/compare?${asked}`)), // biome-ignore format: a list
  ],
  questions: ['tiny', 'sums'].flatMap((id) =>
    [...pages, '?tested=no', '?find=union', '?find=UNION&tested=no', '?tested=x'].map((page) =>
      asking(`/api/runs/${id}/questions${page}`),
    ),
  ),
  trainings: ['tiny', 'sums'].flatMap((id) =>
    places.map((place) => asking(`/api/runs/${id}/explore?place=${encodeURIComponent(place)}`)),
  ),
  rounds: ['tiny?x', 'sums?place=0-linear', 'sums?place=1-mlp'].flatMap((one) => {
    const [id, place] = one.split('?') as [string, string]
    const own = place === 'x' ? '' : `&${place}`
    return [
      ...pages.map((page) => asking(`/api/runs/${id}/explore/rounds${page === '' ? '?from=0' : page}${own}`)),
      ...[0, 1, 2, 3, 9, -1].flatMap((round) =>
        ['', '&from=1&count=1', '&count=300'].map((page) =>
          asking(`/api/runs/${id}/explore/round?round=${round}${page}${own}`),
        ),
      ),
      ...['0', '1', '2', '4', '9', ''].flatMap((client) =>
        ['', '&from=1&count=1'].map((page) => asking(`/api/runs/${id}/explore/client?client=${client}${page}${own}`)),
      ),
      ...['', '&from=1&count=2', '&fromRound=1&rounds=1', '&fromRound=2', '&rounds=0'].map((page) =>
        asking(`/api/runs/${id}/explore/participation?from=0${page}${own}`.replace('from=0&from=1', 'from=1')),
      ),
    ]
  }),
  records: ['tiny', 'sums'].flatMap((id) =>
    ['?client=0', '?client=0&from=3&count=2', '?client=1', '?client=9', ''].map((page) =>
      asking(`/api/runs/${id}/explore/records${page}`),
    ),
  ),
  'scenarios on the page': [
    ...[yaml, '', 'name: [', 'name: a\nx: 1', 'models: []', 'training: { rounds: 0 }'].map((text) =>
      sending('/api/check', { yaml: text }),
    ),
    sending('/api/check', { yaml: 3 }),
    sending('/api/check', '{'),
    sending('/api/check', ''),
    asking('/api/check', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain', origin: 'http://localhost' } }), // biome-ignore format: a line
    sending('/api/check', { yaml: 'x'.repeat(1_000_001) }),
    sending('/api/check', { yaml: 'x'.repeat(2_000_001) }),
    edits({ path: ['training', 'rounds'], value: 5 }),
    edits({ path: ['training', 'rounds'] }),
    edits({ path: ['training'] }, { path: ['seed'], value: 7 }),
    edits({ path: ['models', 0, 'kind'], value: 'mlp' }, { path: ['models', 0, 'hidden'], value: [3, 4] }),
    edits({ path: ['models', 1], value: { kind: 'mlp' } }),
    edits({ path: ['data', 'params', 'rows'], value: 3 }),
    edits({ path: ['name', 'x'], value: 3 }),
    edits(),
    edits({ path: [], value: 1 }),
  ],
  'audits that are begun': [
    () => void started.splice(0),
    sending('/api/runs', { yaml }),
    sending('/api/runs', { yaml: 'name: [' }),
    sending('/api/runs', { recording: 'none' }),
    sending('/api/runs/tiny/resume', {}),
    sending('/api/runs/none/resume', {}),
    sending('/api/runs/tiny/cancel', {}),
    () => started.splice(0).map((line) => line.replaceAll(/a-[\w-]+/g, 'a')),
  ],
  'sweeps and studies': [
    ...['many', 'one', 'none-yet', 'tiny', 'nothing', '..'].flatMap((id) =>
      ['', '/columns', '/multiples'].map((part) => asking(`/api/sweeps/${id}${part}`)),
    ),
    ...['0', '0,1', '1', '2', '9', 'a', '1,', '-1', '0,0'].map((list) => asking(`/api/sweeps/many/columns?figures=${list}`)), // biome-ignore format: a list
    ...['x=0', 'x=1', 'x=2', 'x=0&by=1', 'x=1&by=0', 'x=0&by=0', 'by=2', 'figure=1', 'figure=1&x=2&by=1', 'figure=9', 'x=9', 'by=9', 'x=a', 'z=1'].map((asked) => asking(`/api/sweeps/many/multiples?${asked}`)), // biome-ignore format: a list
    async () => {
      const answer = await (await served()).request('http://localhost/api/studies', { headers: { host: 'localhost' } })
      return ((await answer.json()) as { run: unknown }[]).filter(({ run }) => run !== null)
    },
    ...['studied.mine', 'studied.torn', 'studied.none', 'nobody.mine', '..'].map((key) =>
      asking(`/api/studies/${key}`),
    ),
  ],
  uploads: [
    () => rmSync(join(root, 'uploads'), { recursive: true, force: true }),
    sending('/api/uploads/t.csv', 'age,smoker,wage\n31,yes,2.5\n40,no,3.5\n25,no,1\n', 'PUT'),
    asking('/api/uploads/t.csv'),
    sending('/api/uploads/f/a/b.json', '{}', 'PUT'),
    asking('/api/uploads'),
    asking('/api/uploads/f'),
    asking('/api/uploads/none'),
    sending('/api/uploads/.hidden', 'x', 'PUT'),
    sending('/api/uploads/f/../x', 'x', 'PUT'),
    asking('/api/uploads/t.csv', { method: 'DELETE', headers: { origin: 'http://localhost' } }),
    asking('/api/uploads'),
  ],
  'columns guessed of tables': [1, 2, 3, 4, 5].map((columns) => () => tables(columns).map(guessColumns)),
  'who may ask': [
    asking('/api/runs', { headers: { host: 'elsewhere.example' } }),
    asking('/api/runs', { headers: { origin: 'http://elsewhere.example' } }),
    asking('/api/check', { method: 'POST', headers: { origin: 'http://elsewhere.example' } }),
    asking('/bundle/../package.json'),
    asking('/bundle/none.js'),
    asking('/bundle/%2e%2e/x.js'),
  ],
})
