import { expect, test } from 'vitest'
import { controlsWith, documentWith, resultWith, scoreWith } from '../../../test/audit-results.js'
import { tableIn } from '../../../test/html-tables.js'
import type { AttackResult, PowerPoint } from '../../audit/attack-result.js'
import type { SumAttack } from '../../defences/openings/try-sums.js'
import { attackSection, sumsTable } from './attack-sections.js'

const section = (...attacks: AttackResult[]): string => attackSection({ observer: 'server', title: 'a <server>', attacks }) // biome-ignore format: a line
const absent = (attack: string) => resultWith({ attack, status: 'not-applicable', missing: ['records'] })

test('the head says who listens, and how many lines are its own', () => {
  expect(section(resultWith())).toContain(
    '<b>server</b>: a &lt;server&gt; <span class="dim">(1 line of its own)</span>',
  )
  expect(section(resultWith(), resultWith({ target: '1' }))).toContain('(2 lines of its own)')
})

test('what a weaker observer can do as well is named once and not repeated', () => {
  const same = resultWith({ target: '1', sameAs: 'eavesdropper' })
  const alone = section(same, { ...same, target: '2' })
  expect(alone).toContain('<p>It can do everything that eavesdropper can.</p>')
  expect(alone).toContain('(0 lines of its own)')
  expect(alone).not.toContain('No attack was applicable')
  expect(alone).not.toContain('<table')
  expect(section(same, resultWith({ sameAs: 'participant' }))).toContain('that eavesdropper and participant can.')
  expect(section(resultWith())).not.toContain('It can do everything')
})

test('where nothing ran it says so, and lists what lacks', () => {
  const one = section(absent('dlg'))
  expect(one).toContain('<p class="dim">No attack was applicable.</p>')
  expect(one).toContain('<summary>1 attack was not applicable</summary><ul><li>dlg: lacks records</li></ul>')
  expect(section(absent('dlg'), absent('idlg'))).toContain('<summary>2 attacks were not applicable</summary>')
  expect(section(resultWith())).not.toContain('applicable')
})

test('each attack is a line, with its doubts below and what is behind its figures', () => {
  const html = section(
    resultWith({ warnings: ['few <messages>'], controls: controlsWith('passed'), model: 'mlp' }),
    resultWith({ target: null, warnings: ['a', 'b'], score: scoreWith({ interval: null }) }),
    resultWith({ target: '1', status: 'failed', error: { code: 'E_TIME', message: 'too long' } }),
  )
  const { rows, figures, caption } = tableIn(html, 'attacks-server')!
  expect(caption).toBe('Each attack by itself, server')
  expect(figures).toEqual([4, 5, 6, 7, 8])
  expect(rows[0]).toEqual([
    'aia-model',
    '0',
    'mlp',
    'union of client 0<br><span class="dim">few &lt;messages&gt;</span>',
    'accuracy 0.900',
    '0.800..0.950',
    '0.500',
    '0.80',
    '',
    '',
    'passed',
  ])
  expect(rows[1]!.slice(1, 4)).toEqual(['all', '', 'union<br><span class="dim">a; b</span>'])
  expect(rows[1]!.at(-1)).toBe('')
  expect(rows[2]!.slice(3)).toEqual([
    'of client 1<br><span class="dim">too long</span>',
    ...['-', '', '-', '-', '', 'out of time', ''],
  ])
  expect(html).toContain('<td class="n" title="chance: the majority">0.500</td>')
  // Without a score nobody guessed, and without a doubt there is no second line.
  expect(html.match(/chance: /g)).toHaveLength(2)
  expect(tableIn(section(resultWith()), 'attacks-server')!.rows[0]![3]).toBe('union of client 0')
})

test('names of observers make ids of one word', () => {
  const html = attackSection({ observer: 'a b/c_d-e' as 'server', title: '', attacks: [resultWith()] })
  expect(html).toContain('id="attacks-a-b-c_d-e"')
})

test('a statement of the protocol is shown where it differs from what was heard, by what differs alone', () => {
  const heardOf = (p: number | null, heard: object, parts: object = {}) =>
    resultWith({
      fit: { stated: { steps: 1, sizes: [3, 4], rate: 0.1, rule: 'adam' }, heard: { rule: 'adam', ...heard }, p },
      ...parts,
    })
  const html = section(
    heardOf(0.01, { steps: 2, sizes: [3, 5], rate: 0.1, rule: 'sgd' }, { model: 'mlp' }),
    heardOf(null, { steps: 1, sizes: [3, 4], rate: 0.1 }, { target: null }),
    heardOf(0.5, { steps: 1, sizes: [3, 4], rate: 0.2 }, { target: '1' }),
    resultWith({ target: '2' }),
  )
  const { rows, figures } = tableIn(html, 'fit-server')!
  expect(rows).toEqual([
    ['aia-model', 'client 0, mlp', 'steps 1, sizes [3,4], rule adam', 'steps 2, sizes [3,5], rule sgd', '0.010'],
    ['aia-model', 'all', 'as heard', 'as stated', '-'],
    ['aia-model', 'client 1', 'rate 0.1', 'rate 0.2', '0.500'],
  ])
  expect(figures).toEqual([4])
  expect(tableIn(section(resultWith()), 'fit-server')).toBeUndefined()
})

test('controls and power are told once for all clients of whom the same was attacked', () => {
  const point = (grade: number, found: boolean): PowerPoint => ({ grade, metric: 'auc', value: 0.7, chance: 0.5, lift: 0.4, found }) // biome-ignore format: a line
  const power = { curve: [point(0.5, false), point(1, true)], leastSeen: 0.4 }
  const controls = controlsWith('passed')
  const html = section(
    resultWith({ power, controls, model: 'mlp' }),
    resultWith({ power, controls, model: 'mlp', target: '1' }),
    resultWith({ attack: 'a', power: { curve: [], leastSeen: null } }),
    resultWith({ attack: 'b', controls: controlsWith('blind') }),
    resultWith({ attack: 'c' }),
  )
  const { rows, figures } = tableIn(html, 'power-server')!
  expect(rows).toEqual([
    ['aia-model', 'union (mlp)', 'passed', 'passed', '0.500: AUC 0.700 (not found); 1.00: AUC 0.700', '0.400'],
    ['a', 'union', '-', '', '', '-'],
    ['b', 'union', 'blind', 'blind', '', '-'],
  ])
  expect(figures).toEqual([5])
  expect(html).toContain('<summary>Controls and power: would these attacks have found a leak?</summary>')
  expect(section(resultWith())).not.toContain('would these attacks have found')
})

test('what attacks say of their own work: plain figures, whole numbers as counts, keys in words', () => {
  const details = { conditionOfMap: 12.5, turns: 12, most: 1e6, below: -999_999, solver: 'ols', whole: true, none: null, list: [1, 2] } // biome-ignore format: a line
  const html = section(resultWith({ details: details as never, model: 'mlp' }), resultWith({ target: null, details: { n: 1 } })) // biome-ignore format: a line
  const { rows, figures } = tableIn(html, 'work-server')!
  expect(rows).toEqual([
    ...[
      ['condition of map', '12.50'],
      ['turns', '12'],
      ['most', '1.00e+6'],
      ['below', '-999999'],
      ['solver', 'ols'],
      ['whole', 'true'],
    ].map((two) => ['aia-model', '0', 'mlp', ...two]),
    ['aia-model', 'all', '', 'n', '1'],
  ])
  expect(figures).toEqual([4])
  expect(html).not.toContain('<div class="figures">')
  expect(section(resultWith())).not.toContain('their own work')
})

test('what attacks drew stands below their figures, also where these are none', () => {
  const spread = { mean: 0, deviation: 1 }
  const features = { property: 'p', rounds: [{ round: 0, having: spread, lacking: spread, overlap: 0.1, heard: 0 }] }
  const html = section(resultWith({ workings: { features }, model: 'mlp' }))
  expect(html).toContain('their own work: condition numbers, misfits, overlaps</summary><div class="figures">')
  expect(html).toContain(', mlp: aia-model"')
  expect(section(resultWith({ workings: { features } }))).toContain(', aia-model"')
})

test('sixty results are drawn at most; all of them are in the table', () => {
  const drawn = (count: number) => {
    const html = section(...Array.from({ length: count }, (_, i) => resultWith({ target: `${i}` })))
    return html.match(/<circle/g)!.length
  }
  expect([drawn(59), drawn(60), drawn(61)]).toEqual([59, 60, 60])
  expect(section(resultWith({ score: null }))).not.toContain('<figure')
  // What has no doubt has no second line, also beside the page.
  const many = section(...Array.from({ length: 61 }, (_, i) => resultWith({ target: `${i}` })))
  const [, json] = /id="attacks-server-rows" data-count="1">(.*?)<\/script>/.exec(many)!
  expect(JSON.parse(json!)[0][3]).toEqual({ t: 'union of client 60' })
  expect(section(resultWith())).toContain('<figcaption>How far each attack came')
})

test('attacks on the protocol of sums: what was opened, by how many', () => {
  const sum = (opened: number | null): SumAttack => ({ attack: 'sybils', what: 'invents <clients>', colluders: 2, clients: 9, opened, why: 'so' }) // biome-ignore format: a line
  const html = sumsTable(documentWith([], { sums: { observer: 'malicious-server', attacks: [null, 1, 3].map(sum) } }))
  expect(html).toMatch(/^<h2>Secure sums, for a malicious-server<\/h2>/)
  const { rows, figures } = tableIn(html, 'sums')!
  expect(rows.map(([, count, word]) => [count, word])).toEqual([
    ['2 of 9', 'stopped'],
    ['2 of 9', 'opens one update'],
    ['2 of 9', 'opens a sum of 3'],
  ])
  expect(rows[0]![0]).toBe('sybils<br><span class="dim">it invents &lt;clients&gt;</span>')
  expect(figures).toEqual([1])
  expect([html.match(/class="none"/g)!.length, html.match(/class="leak"/g)!.length]).toEqual([1, 2])
  expect(sumsTable(documentWith([]))).toBe('')
})
