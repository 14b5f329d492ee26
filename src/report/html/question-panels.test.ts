import { expect, test } from 'vitest'
import { documentWith, findingWith, ofEveryWord, questionWith, resultWith, scoreWith, stepWith } from '../../../test/audit-results.js' // biome-ignore format: a line
import { tableIn } from '../../../test/html-tables.js'
import type { Question } from '../../audit/ladder/question.js'
import { panelsOf, questionPanels, questionsTable } from './question-panels.js'

const panelsIn = (...questions: Question[]): string[] => questionPanels(documentWith([], { questions })).split('\n')
const rowsIn = (...questions: Question[]) => tableIn(questionsTable(documentWith([], { questions })), 'questions')!.rows
const many = (count: number): Question[] => Array.from({ length: count }, (_, i) => questionWith({ target: `${i}` }))
const property = questionWith({ kind: 'property', name: 'ascent', target: null, ladder: { guess: 0.5, federation: null, client: null, record: 0.9 }, by: { record: 'prolin' } }) // biome-ignore format: a line
const untested = questionWith({ name: 'age', level: 'not-tested', notTested: 'too <few>', test: { record: null } })

test('a question leads to its own panel, a stronger observer who learns the same to that of the weaker', () => {
  const [weak, strong, other] = [questionWith({ observer: 'eavesdropper' }), questionWith(), questionWith({ model: 'mlp' })] // biome-ignore format: a line
  const panel = panelsOf([untested, weak, strong])
  expect([panel(weak), panel(strong), panel(untested), panel(other)]).toEqual(['q1', 'q1', 'q2', null])
  // Two panels of one question: whoever has none is led to the first.
  const worse = questionWith({ test: { record: stepWith({ effect: 0.5 }) } })
  const both = panelsOf([weak, worse])
  expect([both(worse), both(weak), both(questionWith({ observer: 'participant' }))]).toEqual(['q1', 'q2', 'q1'])
})

test('forty questions have a panel, those after them stand in the table alone', () => {
  const all = many(42)
  expect(panelsIn(...all.slice(0, 40))).toHaveLength(40)
  expect(panelsIn(...all.slice(0, 40)).at(-1)).not.toContain('more stand in the table')
  expect(panelsIn(...all).at(-1)).toContain('<p class="dim">2 more stand in the table of all questions.</p>')
  const panel = panelsOf(all)
  expect([panel(all[39]!), panel(all[40]!)]).toEqual(['q40', null])
  const rows = rowsIn(...all)
  expect(rows[39]![0]).toBe('<a href="#q40">union of client 39</a>')
  expect(rows[40]![0]).toBe('union of client 40')
  const [, json] = /id="questions-rows" data-count="1">(.*?)<\/script>/.exec(questionsTable(documentWith([], { questions: many(61) })))! // biome-ignore format: a line
  expect(JSON.parse(json!)[0].slice(0, 2)).toEqual([{ t: 'union of client 60' }, { t: 'server' }])
})

test('the table of all questions: scores by rung, steps with their intervals, and reasons', () => {
  const html = questionsTable(documentWith([], { questions: [questionWith()] }))
  expect(tableIn(html, 'questions')!.figures).toEqual([4, 5, 6, 7, 8, 9, 10])
  expect(rowsIn(questionWith())[0]).toEqual([
    '<a href="#q1">union of client 0</a>',
    ...['server', 'leaks records', 'AUC', '0.800', '0.860', '0.880', '0.960', '-'],
    '0.080 (0.050..0.110)<br><span class="dim">p 0.0040, would have seen 0.030, 40 % of the error gone</span>',
    '-',
  ])
  expect(html).toContain('title="a regression on public columns">0.800<')
  expect(html).toContain('title="aia-linear">0.960<')
  // Who guessed stands behind the guess alone, also where only the ladder knows it.
  expect(html.match(/title="a regression on public columns"/g)).toHaveLength(1)
  const guesser = questionsTable(documentWith([], { questions: [questionWith({ by: {} })] }))
  expect(guesser.match(/<td class="n" title="[^"]*">/g)).toEqual([
    '<td class="n" title="a regression on public columns">',
  ])
  const step = (parts: Parameters<typeof stepWith>[0]) => rowsIn(questionWith({ test: { record: stepWith(parts) } }))[0]!.at(-2) // biome-ignore format: a line
  expect(step({ interval: null, leastSeen: null, errorRemoved: null })).toBe('0.080<br><span class="dim">p 0.0040</span>') // biome-ignore format: a line
  expect(step({ errorRemoved: 0 })).not.toContain('gone')
  expect(step({ errorRemoved: 0.006 })).toContain(', 1 % of the error gone')
  const [, second] = rowsIn(questionWith({ gaps: ['no line', 'no time'] }), untested)
  expect(rowsIn(questionWith({ gaps: ['no line', 'no time'] }))[0]![0]).toBe(
    '<a href="#q1">union of client 0</a><br><span class="dim">not tested: no line; not tested: no time</span>',
  ) // biome-ignore format: a line
  expect(second!.slice(0, 3)).toEqual([
    '<a href="#q2">age of client 0</a><br><span class="dim">too &lt;few&gt;</span>',
    'server',
    'not tested',
  ])
  expect(rowsIn(questionWith())[0]![0]).not.toContain('dim')
  const [heard] = rowsIn(questionWith({ observer: 'eavesdropper' }), questionWith())
  expect(heard![1]).toBe('eavesdropper<br><span class="dim">and server</span>')
})

test('what is heard of clients stands in the column of the client', () => {
  const [row] = rowsIn(property)
  expect(row!.slice(4, 9)).toEqual(['0.500', '-', '0.900', '-', '-'])
  const html = questionsTable(documentWith([], { questions: [property] }))
  expect(html).toContain('title="prolin">0.900<')
  // One with a rung of the client is no question of clients alone.
  const with2 = { ...property, ladder: { ...property.ladder, client: 0.7 } }
  expect(rowsIn(with2)[0]!.slice(4, 9)).toEqual(['0.500', '-', '0.700', '0.900', '-'])
  expect(rowsIn({ ...property, target: '3' })[0]!.slice(4, 9)).toEqual(['0.500', '-', '-', '0.900', '-'])
  expect(rowsIn({ ...property, kind: 'members' })[0]!.slice(4, 9)).toEqual(['0.500', '-', '-', '0.900', '-'])
})

test('a panel says who learns what, on which rungs, and by which test', () => {
  const [panel] = panelsIn(questionWith({ observer: 'eavesdropper' }), questionWith(), questionWith({ observer: 'malicious-server' })) // biome-ignore format: a line
  expect(panel).toMatch(/^<details class="part" id="q1"><summary><b class="leak">leaks records<\/b> union of client 0 <span class="dim">eavesdropper</) // biome-ignore format: a line
  expect(panel).toContain('somebody on the line of client 0 learns &quot;union&quot; of the people of client 0; server and malicious-server can too.</p>') // biome-ignore format: a line
  expect(panel).not.toContain('What is meant by it')
  expect(panel!.match(/<tr><th scope="row">/g)).toHaveLength(4)
  expect(panel).toContain('<td class="n">0.800</td><td>a regression on public columns</td>')
  expect(panel).toContain('<td class="n">0.860</td><td>-</td>')
  expect(panel).toContain('<td class="n">0.960</td><td>aia-linear</td>')
  expect(panel).toMatch(/Record <button[^>]*>step<\/button>: \+0\.080, <button[^>]*>interval<\/button> \+0\.050 to \+0\.110; <button[^>]*>p<\/button> 0\.0010, corrected 0\.0040: without a leak so much is seen in 0\.400 % of audits; <button[^>]*>would have seen<\/button> 0\.030; 10 trainings\.<\/p>/) // biome-ignore format: a line
  expect(panel).not.toContain('Client <button')
  const bare = stepWith({ interval: null, leastSeen: null, repeats: 1 })
  const [once] = panelsIn(questionWith({ test: { record: null, client: bare } }))
  expect(once).toMatch(/<p>Client <button[^>]*>step<\/button>: \+0\.080; <button[^>]*>p<\/button> 0\.0010, corrected 0\.0040: [^;]*; 1 training\.<\/p>/) // biome-ignore format: a line
  const also = panelsIn(questionWith({ observer: 'eavesdropper' }), questionWith())[0]
  expect(also).toContain('of client 0; server can too.</p>')
  expect(panelsIn(questionWith({ by: {} }))[0]).toContain('<td class="n">0.800</td><td>a regression on public columns</td>') // biome-ignore format: a line
  const guess = questionWith({ by: {}, ladder: { guesser: null as never } })
  expect(panelsIn(guess)[0]).toContain('<td class="n">0.800</td><td>-</td>')
})

test('a panel of no rungs has no table of them, and what was not tested says why', () => {
  const [panel] = panelsIn(ofEveryWord[5]!)
  expect(panel).toContain('<b class="weak">not tested</b>')
  expect(panel).not.toContain('Rungs of')
  expect(panel).toMatch(/<p><button[^>]*>Not tested<\/button>: no records were kept back\.<\/p>/)
  expect(panelsIn(questionWith())[0]).not.toContain('Not tested')
})

test('a property of clients is heard, and its word is explained', () => {
  const [panel] = panelsIn({ ...property, attacks: [{ attack: 'of-a-plug-in', params: {}, cells: { record: 0.9, client: 0.4 } }] }) // biome-ignore format: a line
  expect(panel).toMatch(/What is meant by it: <button[^>]*>ascent<\/button>\./)
  expect(panel).toMatch(/<th scope="row"><button[^>]*>heard<\/button>/)
  const { heads, rows, figures } = tableIn(panel!, 'q1-attacks')!
  expect([heads, rows[0]!.slice(1), figures]).toEqual([['attack', 'heard', 'after'], ['0.900', ''], [1]])
  expect(panelsIn({ ...property, name: null })[0]).not.toContain('What is meant by it')
})

test('every attack with its scores and whose method it is', () => {
  const attacks = [...questionWith().attacks, { attack: 'of-a-plug-in', params: {}, cells: { everybody: 0.6 } }]
  const { heads, rows, figures, caption } = tableIn(panelsIn(questionWith({ attacks }))[0]!, 'q1-attacks')!
  expect(heads).toEqual(['attack', 'federation', 'client', 'record', 'everybody', 'after'])
  expect(caption).toBe('Each attack, AUC, mean over the trainings')
  expect(figures).toEqual([1, 2, 3, 4])
  expect(rows[1]!.slice(1, 5)).toEqual(['-', '0.700', '0.960', '-'])
  expect(rows[1]![0]).toMatch(/^aia-linear<br><span class="dim">.+<\/span>$/)
  expect(rows[2]).toEqual(['of-a-plug-in', '-', '-', '-', '0.600', ''])
})

test('rates, people, and how many repeats would settle it', () => {
  const counted = { trained: { right: 5, of: 9 }, heldBack: { right: 3, of: 8 }, guessed: { right: 4, of: 9 } }
  const text = (parts: Parameters<typeof questionWith>[0]) => panelsIn(questionWith(parts))[0]!
  expect(text({ people: counted })).toContain('First training: right for 5 of 9 who were trained on, for 3 of 8 who were not; 4 could be guessed.') // biome-ignore format: a line
  expect(text({ people: { ...counted, heldBack: { right: 0, of: 0 }, guessed: null } })).toContain('right for 5 of 9 who were trained on.') // biome-ignore format: a line
  expect(text({})).not.toContain('First training')
  expect(text({ repeatsNeeded: 40 })).toContain('<p>40 repeats would probably settle it.</p>')
  expect(text({})).not.toContain('would probably settle')
  expect(text({ rates: { tpr1: 0.03, tpr01: null, finest: 0.02 } })).toMatch(/TPR at 1 % FPR<\/button>: 0\.030; the finest rate that can be told is 0\.020\./) // biome-ignore format: a line
  expect(text({ rates: { tpr1: null, tpr01: null, finest: 0.02 } })).not.toContain('TPR at')
  expect(text({ exposed: { ids: ['a', 'b'], of: 9 } })).toMatch(/Given away<\/button>: 2 of 9 records\. <a href="#exposed">/) // biome-ignore format: a line
  expect(text({ exposed: { ids: [], of: 9 } })).not.toContain('Given away')
  for (const kind of ['property', 'contribution']) expect(text({ kind, exposed: { ids: ['a'], of: 9 } })).toContain('1 of 9 clients') // biome-ignore format: a line
})

test('evidence of the best two attacks of the first training, that of the record rung first, and where it stands', () => {
  const rebuilt = { columns: ['x'], shape: null, pairs: [{ truth: [1], claimed: [2] }] }
  const claim = { kind: 'attribute', client: '0', name: 'union', values: [0] } as const
  const of = (attack: string, more: object = {}) => resultWith({ attack, findings: [findingWith(scoreWith(), claim, { rebuilt })], ...more }) // biome-ignore format: a line
  const audit = (...results: ReturnType<typeof of>[]) => questionPanels(documentWith(results, { questions: [questionWith()] })) // biome-ignore format: a line
  const html = audit(of('aia-model'), of('other'), of('aia-linear'), of('aia-linear', { model: 'mlp' }), of('aia-linear', { target: '1' })) // biome-ignore format: a line
  expect([...html.matchAll(/<h3>(.*?), first training<\/h3>/g)].map(([, name]) => name)).toEqual(['aia-linear', 'aia-model']) // biome-ignore format: a line
  expect(html).not.toContain('<div class="figures">')
  expect(html).toContain('<ul><li>results.jsonl, server, 0, aia-model</li><li>results.jsonl, server, 0, other</li><li>results.jsonl, server, 0, aia-linear</li></ul>') // biome-ignore format: a line
  expect(audit(of('aia-model'), of('aia-model'), of('aia-linear')).match(/first training<\/h3>/g)).toHaveLength(2)
  expect(audit(resultWith())).not.toContain('<h3>')
  expect(panelsIn(questionWith())[0]).toContain('<code>questions[0]</code></p></details>')
  const lines = audit(...Array.from({ length: 14 }, (_, i) => of(`a${i}`))).match(/<li>results/g)
  expect(lines).toHaveLength(12)
  const copies = panelsIn(untested, questionWith())
  expect(copies[0]).toContain('<code>questions[1]</code>')
})
