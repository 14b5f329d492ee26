import { describe, expect, test } from 'vitest'
import { controlsWith, documentWith, errorWith, findingWith, resultWith, scoreWith } from '../../test/audit-results.js'
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
      controls: {
        planted: { status: 'passed', score: null, reason: hostile },
        shuffled: { status: 'none', score: null, reason: hostile },
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
    verdict: {
      level: 'leaks',
      reasons: [hostile],
      advice: [hostile],
      clients: [{ id: hostile, level: 'leaks', worst: { attack: hostile, lift: 1 }, exposedRecords: 3 }],
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
    expect(html).not.toContain('<script')
    expect(html).not.toContain('<img')
    const harmless = JSON.parse(JSON.stringify(dangerous).replaceAll(JSON.stringify(hostile).slice(1, -1), 'name'))
    expect(anatomy(html)).toEqual(anatomy(reportHtml(harmless)))
    expect(html.split('&lt;script&gt;').length).toBeGreaterThan(15)
    // As many tags and quotes as without: none was opened or closed by a name.
    const bare = (text: string) => text.replace(/[^<>"]/g, '').length
    expect(bare(html)).toBe(bare(reportHtml(harmless)))
  })

  test('needs nothing from anywhere else', () => {
    const html = reportHtml(dangerous)
    const { elements, attributes } = anatomy(html)
    for (const name of ['script', 'link', 'img', 'iframe', 'object', 'base']) expect(elements).not.toContain(name)
    for (const name of ['src', 'href', 'srcset', 'action', 'data', 'onclick', 'onerror']) {
      expect(attributes).not.toContain(name)
    }
    const style = html.slice(html.indexOf('<style>'), html.indexOf('</style>'))
    expect(style).not.toMatch(/@import|url\(/)
    expect(reportHtml(documentWith([resultWith()]))).not.toMatch(/https?:|\/\//)
  })

  test('says it all: verdict, reasons, advice, clients, worth, each figure with chance, controls, what is missing', () => {
    const html = reportHtml(
      documentWith(
        [
          resultWith({ controls: controlsWith('passed'), warnings: ['a doubt'] }),
          resultWith({ attack: 'dlg', status: 'not-applicable', missing: ['round'] }),
        ],
        {
          verdict: {
            level: 'weak',
            reasons: ['reason'],
            advice: ['advice'],
            clients: [{ id: '0', level: 'weak', worst: null, exposedRecords: null }],
          },
          utility: {
            linear: { model: 'linear', rounds: 7, trainLoss: 0.25, heldOutLoss: 0.5, metric: 'R2', value: 0.75 },
          },
        },
      ),
    )
    for (const words of [
      'Audit of a recording',
      '<p class="weak">It leaks a little.</p>',
      '<li>reason</li>',
      '<li>advice</li>',
      '<td>0</td><td class="weak">weak</td><td>-</td>',
      'accuracy 0.900',
      '0.800..0.950',
      'chance: the majority',
      '>passed</span>',
      'a doubt',
      '1 attack was not applicable',
      '<li>dlg: lacks round</li>',
      'R2 0.750',
      '<svg',
    ]) {
      expect(html).toContain(words)
    }
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
    const sources = [...shown([1, 2, 2]).matchAll(/<img alt="(true|rebuilt) record (\d)" src="([^"]*)">/g)]
    expect(sources.map(([, which, number]) => `${which} ${number}`)).toEqual(['true 1', 'true 2', 'rebuilt 1'])
    for (const [, , , source] of sources) expect(source).toMatch(/^data:image\/bmp;base64,/)
    expect(sources[0]![3]).not.toBe(sources[1]![3])
    // What lies beyond the true range is cut.
    expect(sources[2]![3]).toBe(sources[0]![3])
    expect(shown(null)).toContain('<td>rebuilt</td><td class="n">0.000</td>')
    expect(shown(null)).toContain('<td class="n">3.25</td>')
  })

  test('of nothing is a page too', () => {
    const html = reportHtml(documentWith([]))
    expect(html).toContain('Nothing was graded')
    expect(reportHtml(documentWith([resultWith()]))).toContain('No leak was found')
    expect(html).not.toContain('<svg')
    expect(html).not.toContain('What to change')
  })
})
