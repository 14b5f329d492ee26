import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  controlsWith,
  documentWith,
  errorWith,
  findingWith,
  ofEveryWord,
  questionWith,
  resultWith,
  scoreWith,
} from '../../test/audit-results.js'
import { readScenario } from '../audit/read-scenario.js'
import type { Rebuilt } from '../audit/rebuilt-records.js'
import { reportHtml } from './report-html.js'

const hostile = `<script>alert("x")</script>'&<img src=x onerror=y>`

const rebuiltWith = (rebuilt: Rebuilt) => findingWith(scoreWith(), { kind: 'records' }, { rebuilt })

/** Every place that a stranger's words can reach. */
const dangerous = documentWith(
  [
    resultWith({
      attack: hostile,
      model: hostile,
      target: hostile,
      warnings: [hostile],
      sameAs: 'eavesdropper',
      claim: { kind: 'attribute', name: hostile },
      score: scoreWith({ metric: hostile, guesser: hostile }),
      controls: { planted: { status: 'passed', score: null, reason: hostile } },
    }),
    // What no table of ours holds, as a line of results.jsonl that somebody changed might.
    resultWith({
      target: '4',
      sameAs: hostile,
      controls: { planted: { status: hostile as 'passed', score: null, reason: '' } },
    }),
    resultWith({
      target: '5',
      claim: {
        kind: 'property',
        property: 'ascent',
        clients: [],
        exposure: { rounds: [hostile], probability: { 0: [hostile] }, above: hostile, exposedAt: { 0: hostile } },
      },
    }),
    resultWith({
      attack: hostile,
      target: '1',
      status: 'failed',
      error: { code: 'E_INPUT', message: hostile },
    }),
    resultWith({ attack: hostile, target: '2', score: errorWith(0.9) }),
    resultWith({
      attack: hostile,
      target: '3',
      findings: [rebuiltWith({ columns: [hostile], shape: null, pairs: [{ truth: [1], claimed: null }] })],
    }),
    resultWith({ attack: hostile, observer: 'participant', status: 'not-applicable', why: hostile }),
    resultWith({ observer: 'participant', status: 'not-applicable', missing: [hostile] }),
  ],
  {
    hash: hostile,
    scenario: readScenario({
      data: { name: 'cps-wages', params: { [hostile]: hostile } },
      models: [{ kind: 'linear' }],
    }),
    utility: { [hostile]: { model: hostile, rounds: 1, trainLoss: null, heldOutLoss: 1, metric: hostile, value: 2 } },
    questions: [
      questionWith({
        name: hostile,
        target: hostile,
        model: hostile,
        kind: hostile,
        ladder: { metric: hostile, guesser: hostile },
        by: { guess: hostile, federation: hostile, client: hostile, record: hostile, everybody: hostile },
        exposed: { ids: [hostile], of: 3 },
      }),
      questionWith({ name: hostile, level: 'not-tested', notTested: hostile, sameAs: hostile }),
    ],
    verdict: {
      level: 'leaks-records',
      sentences: [hostile],
      tested: 1,
      notTested: 1,
      untested: [{ reason: hostile, questions: [hostile] }],
      doubts: [hostile],
      advice: [hostile],
    },
  },
)

/** Names of all elements and of their attributes. */
function anatomy(html: string) {
  const tags = [...html.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-zA-Z0-9-]+(?:="[^"]*")?)*)\s*\/?>/g)]
  const attributes = tags.flatMap(([, , rest]) =>
    [...rest!.matchAll(/\s([a-zA-Z0-9-]+)(?:="[^"]*")?/g)].map((m) => m[1]!),
  )
  return { elements: new Set(tags.map(([, name]) => name!)), attributes: new Set(attributes) }
}

describe('the report', () => {
  test('cannot be made to hold more than words by what names are given', () => {
    const html = reportHtml(dangerous)
    expect(html.split('<script').length).toBe(2) // its own
    expect(html).not.toContain('<img')
    const harmless = JSON.parse(JSON.stringify(dangerous).replaceAll(JSON.stringify(hostile).slice(1, -1), 'name'))
    expect(anatomy(html)).toEqual(anatomy(reportHtml(harmless)))
    expect(html.split('&lt;script&gt;').length).toBeGreaterThan(15)
    // As many tags and quotes as without: none was opened or closed by a name.
    const bare = (text: string) => text.replace(/[^<>"]/g, '').length
    expect(bare(html)).toBe(bare(reportHtml(harmless)))
  })

  test('rows that only its script shows can end no element either', () => {
    const many = Array.from({ length: 90 }, (_, i) => questionWith({ name: `${hostile}${i}`, target: hostile }))
    const rows = reportHtml({ ...dangerous, questions: many })
    const [, json] = /id="questions-rows" data-count="30">([^<]*)<\/script>/.exec(rows)!
    expect(JSON.parse(json!)[0][0].t).toContain(hostile)
    expect(rows.split('<script').length).toBe(3)
    expect(rows).not.toContain('<script>alert')
  })

  test('runs its own script alone and loads nothing, whatever a level is called', () => {
    const odd = { ...dangerous, verdict: { ...dangerous.verdict, level: hostile as 'none-found', tested: hostile } }
    const html = reportHtml(odd as unknown as typeof dangerous)
    expect(html.split('<script').length).toBe(2)
    const [, digest] = /content="default-src 'none'; script-src 'sha256-([^']*)'; /.exec(html)!
    const [, code] = /<script>([\s\S]*)<\/script>/.exec(html)!
    expect(createHash('sha256').update(code!).digest('base64')).toBe(digest)
  })

  test('needs nothing from anywhere else', () => {
    const html = reportHtml(dangerous)
    const { elements, attributes } = anatomy(html)
    for (const name of ['link', 'img', 'iframe', 'object', 'base']) expect(elements).not.toContain(name)
    for (const name of ['src', 'srcset', 'action', 'data', 'onclick', 'onerror']) expect(attributes).not.toContain(name)
    for (const [, to] of html.matchAll(/href="([^"]*)"/g)) expect(to).toMatch(/^#/)
    const style = html.slice(html.indexOf('<style>'), html.indexOf('</style>'))
    expect(style).not.toMatch(/@import|url\(/)
    const bare = reportHtml(documentWith([resultWith()])).replace(/<script>[\s\S]*<\/script>/, '')
    expect(bare).not.toMatch(/https?:|\/\//)
  })

  test('says it all: verdict, ladder, what was not tested, worth, advice, figures of questions and attacks', () => {
    const html = reportHtml(
      documentWith(
        [
          resultWith({ controls: controlsWith('passed'), warnings: ['a doubt'] }),
          resultWith({ attack: 'dlg', status: 'not-applicable', missing: ['round'] }),
          resultWith({ attack: 'idlg', status: 'failed', error: { code: 'E_TIME', message: 'too long' } }),
        ],
        {
          questions: ofEveryWord,
          utility: {
            linear: { model: 'linear', rounds: 7, trainLoss: 0.25, heldOutLoss: 0.5, metric: 'R2', value: 0.75 },
          },
        },
      ),
      { when: 'on a Monday' },
    )
    const order = [
      'Audit of a recording',
      'audited on a Monday · overhear ',
      '<p class="word leak">It leaks records.</p>',
      '5 of 6 questions were tested, 1 was not: that is no pass.',
      '<b class="leak">Leaks the client</b> to <b>server</b> (an honest but curious server): ',
      '<h2>What is learned, and from where</h2>',
      'no records were kept back (1)',
      '3 of 55 records of client 0 by one question',
      'linear: R2 0.750 on rows kept out, after 7 rounds',
      'None is claimed: there is no differential privacy',
      'aggregate securely',
      '<h2 id="advice">What could be changed</h2><p class="dim">Untried: ',
      '<h2>All of it in sentences</h2><ul><li>Somebody on the line of client 0 learns &quot;union&quot;',
      '<h2 id="exposed">Who is given away</h2>',
      '<li>union of client 0, eavesdropper: 3 of 55</li>',
      '<td>bob</td><td>0</td><td>union of client 0</td><td>eavesdropper</td>',
      '<h2 id="untested">What was not tested</h2><ul><li>no records were kept back <span class="dim">(records of client 0, server)',
      '<h2>Questions</h2>',
      '<td class="leak">leaks records</td><td>AUC</td>',
      '<td class="weak">not tested</td>',
      '<details class="part" id="q1"><summary><b class="leak">leaks records</b> union of client 0 ',
      '<code>questions[0]</code>',
      '<h2>Attacks that are no help here</h2><ul><li>idlg: out of time',
      '<details class="part observer"><summary><b>server</b>: an honest but curious server <span class="dim">(2 lines of its own)</span></summary>',
    ]
    const places = order.map((words) => html.indexOf(words))
    expect(order.filter((_, i) => places[i] === -1)).toEqual([])
    expect(places).toEqual([...places].sort((a, b) => a - b))
    for (const words of ['a doubt', 'too long', 'out of time', 'accuracy 0.900', '0.800..0.950', 'chance: the majority', '<td title="passed">passed</td>', '1 attack was not applicable', '<li>dlg: lacks round</li>']) expect(html).toContain(words) // biome-ignore format: a line
  })

  test('the first sheet stands alone, and says of epsilon what is claimed and what holds', () => {
    const privacy = { mechanism: 'dp-sgd', unit: 'record', claimed: 2, delta: 1e-5, accounted: { lower: 3.1, upper: 3.2 }, client: '4', clients: [5, 5] } as const // biome-ignore format: a line
    const html = reportHtml(documentWith([], { questions: ofEveryWord, privacy }), { summary: true })
    expect(html).toContain('Claimed: 2.00, of one record')
    expect(html).toContain(
      'Accounted: 3.10 to 3.20 at delta 0.00001, of client 4. The claim is <b class="leak">broken</b>.',
    )
    expect(html).not.toContain('<h2>Questions</h2>')
    const none = documentWith([], { privacy: { ...privacy, accounted: null, why: 'no clipping norm is stated' } })
    expect(reportHtml(none)).toContain('Accounted: none, no clipping norm is stated')
    // Alone it leads nowhere; with the rest, each fact leads to where its figures stand whole.
    expect(html).not.toMatch(/href="#(?!g-)/)
    const empirical = { epsilon: 1.5, confidence: 0.95, canaries: 300, accounted: { lower: 4, upper: 5 } }
    const useless = { ...privacy, empirical, means: 'At most 100 points (of all)', advantage: 0.995 }
    const whole = reportHtml(documentWith([], { questions: ofEveryWord, privacy: useless }))
    for (const place of ['epsilon', 'untested', 'exposed', 'q1']) {
      expect(whole).toContain(`href="#${place}"`)
      expect(whole).toContain(`id="${place}"`)
    }
    expect(whole).toContain('At most 100 points. <b class="weak">So the proof promises next to nothing</b>')
    expect(whole).toContain('<td class="n">at least 1.50</td><td>by 300 canaries in one more training, sure to 95 %; ')
    expect(reportHtml(documentWith([], { privacy: { ...useless, advantage: 0.5 } }))).not.toContain('next to nothing')
  })

  test('shows rebuilt pictures beside the true ones, and rebuilt values in a table', () => {
    const pixels = ['pixel_0', 'pixel_1', 'pixel_2', 'pixel_3']
    const pairs = [
      { truth: [0, 1, 2, 3], claimed: [0, 1, 2, 3.25] },
      { truth: [3, 2, 1, 0], claimed: null },
    ]
    const shown = (shape: readonly [number, number, number] | null) =>
      reportHtml(
        documentWith([resultWith({ attack: 'dlg', findings: [rebuiltWith({ columns: pixels, shape, pairs })] })]),
      )
    const drawn = [...shown([1, 2, 2]).matchAll(/<image x="(\d+)" y="(\d+)"[^>]* href="([^"]*)"\/>/g)]
    // Two true ones above, one rebuilt below the first, and words in the place of the other.
    expect(drawn.map(([, x, y]) => `${x} ${y}`)).toEqual(['60 0', '152 0', '60 92'])
    expect(shown([1, 2, 2])).toContain('<text class="dim" x="152" y="134" font-size="12">none</text>')
    for (const [, , , source] of drawn) expect(source).toMatch(/^data:image\/bmp;base64,/)
    expect(drawn[0]![3]).not.toBe(drawn[1]![3])
    // What lies beyond the true range is cut.
    expect(drawn[2]![3]).toBe(drawn[0]![3])
    expect(shown(null)).toContain('<td>rebuilt</td><td class="n">0.000</td>')
    expect(shown(null)).toContain('<td class="n">3.25</td>')
  })

  test('of nothing is a page too, and says that nothing was tested', () => {
    const html = reportHtml(documentWith([]))
    expect(html).toContain('<p class="word weak">Nothing was tested.</p>')
    expect(html).not.toContain('<svg')
    for (const heading of ['<h2 id="advice"', 'no help here', '<h2 id="untested"']) expect(html).not.toContain(heading)
    expect(html).not.toMatch(/<(ul|table|tbody|p|h2)[^>]*><\/\1>/) // nothing is shown empty
    const { verdict, ...rest } = documentWith([])
    expect(reportHtml({ ...rest, verdict: { ...verdict, sentences: [] } })).not.toContain('<ul></ul>')
    expect(html).not.toContain('No leak was found')
    expect(reportHtml(documentWith([], { questions: [questionWith({ level: 'none-found' })] }))).toContain(
      '<p class="word none">No leak was found.</p>',
    )
  })
})
