import { expect, test } from 'vitest'
import { documentWith, type QuestionParts, questionWith, resultWith, stepWith } from '../../../test/audit-results.js'
import type { AuditDocument } from '../../audit/document.js'
import { hidden } from '../../audit/finished/redacted.js'
import type { Verdict } from '../../audit/verdict.js'
import { frontSheet, sentence } from './report-front.js'

const results = (['eavesdropper', 'server', 'malicious-server'] as const).map((observer) => resultWith({ observer }))
const sheet = (parts: readonly QuestionParts[], more: Partial<AuditDocument> = {}) =>
  frontSheet(documentWith(results, { questions: parts.map((one) => questionWith(one)), ...more }))
/** The words of each fact by its name, without what is behind them. */
const facts = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<div><dt>(.*?)<\/dt>(.*?)<\/div>/g)].map(([, name, lines]) => [
      name!.replace(/<[^>]*>/g, '').replace(/ source$/, ''),
      [...lines!.matchAll(/<dd>(.*?)<\/dd>/g)].map(([, words]) => words!),
    ]),
  )
const heard = (html: string) => [...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, words]) => words!.replace(/<[^>]*>/g, '')) // biome-ignore format: a line
const verdict = (parts: Partial<Verdict>): Pick<AuditDocument, 'verdict'> => ({
  verdict: { level: 'none-found', sentences: [], tested: 0, notTested: 0, untested: [], doubts: [], advice: [], ...parts }, // biome-ignore format: a line
})
const quiet = { level: 'none-found' } as const

test('words become a sentence, with its own end where it has one', () => {
  expect(['it leaks', 'it leaks.', 'so?', 'no!', ''].map(sentence)).toEqual(['It leaks.', 'It leaks.', 'So?', 'No!', '.']) // biome-ignore format: a line
})

test('how many questions were tested, in the right number', () => {
  const counted = (tested: number, notTested: number) => /<p>(\d+ of .*?)<\/p>/.exec(sheet([], verdict({ tested, notTested })))![1] // biome-ignore format: a line
  expect(counted(1, 0)).toBe('1 of 1 questions was tested.')
  expect(counted(0, 1)).toBe('0 of 1 questions was tested, 1 was not: that is no pass.')
  expect(counted(2, 2)).toBe('2 of 4 questions were tested, 2 were not: that is no pass.')
})

test('the worst sentence leads where no observer has one of its own', () => {
  const lead = '<p class="lead">Nothing was heard.</p>'
  expect(sheet([], verdict({ sentences: ['nothing was heard'] }))).toContain(lead)
  expect(sheet([], verdict({}))).not.toContain('class="lead"')
  expect(sheet([{}], verdict({ sentences: ['nothing was heard'] }))).not.toContain('class="lead"')
  expect(frontSheet(documentWith([], { questions: [questionWith()] }))).toContain('class="lead"')
})

test('whoever learns what a weaker observer does says so', () => {
  const all = [{ observer: 'eavesdropper' }, { observer: 'server' }, { observer: 'malicious-server' }]
  const [one, two, three] = heard(sheet(all))
  expect(one).toContain('Leaks records to eavesdropper (')
  expect(one).toContain('learns "union" of the people of client 0, ranks 96 of 100 pairs rightly (AUC 0.960), where a guess ranks 80. 1 of 1 questions leak. its figures'.replaceAll('"', '&quot;')) // biome-ignore format: a line
  for (const stronger of [two, three]) expect(stronger).toMatch(/: just as eavesdropper\.$/)
  const html = sheet([{ observer: 'eavesdropper' }, { observer: 'server' }])
  expect(html).toContain('<b class="leak">Leaks records</b> to <b>eavesdropper</b>')
  expect(html.match(/href="#q1">its figures/g)).toHaveLength(1)
})

test('an observer who learns nothing says of how many questions, and how many are open', () => {
  const server = (...parts: QuestionParts[]) => heard(sheet(parts.map((one) => ({ observer: 'server', ...one }))))
  expect(server(quiet)[1]).toMatch(/^No leak found to server \(.*\): no leak in 1 question\.$/)
  expect(server(quiet)[0]).toMatch(/^Not tested to eavesdropper \(.*\): nothing could be asked\.$/)
  const open = { name: 'sex', level: 'inconclusive' } as const
  expect(server(quiet, open)[1]).toMatch(/^Inconclusive to server .*: 1 not settled of 2 questions\.$/)
  const untested = { name: 'age', level: 'not-tested' } as const
  expect(server(quiet, untested)[1]).toMatch(/: no leak in 1 question\. 1 of 2 questions were not tested\.$/)
  expect(server(untested)[1]).toMatch(/^Not tested to server .*: nothing was tested\.$/)
  expect(server({}, quiet, untested)[1]).toContain('. 1 of 2 questions leak. 1 of 3 questions were not tested.')
})

test('the worst of what leaks is told, with the model where there are several', () => {
  const small = { model: 'ols', test: { record: stepWith({ errorRemoved: 0.1 }) } }
  const large = { model: 'mlp', name: 'sex', test: { record: stepWith({ errorRemoved: 0.6 }) } }
  expect(heard(sheet([small, large]))[1]).toContain('learns &quot;sex&quot; of the people of client 0 (mlp), ranks')
  expect(heard(sheet([large]))[1]).toContain('of client 0, ranks')
  const words = ['inconclusive', 'leaks-client', 'known-anyway'] as const
  expect(heard(sheet(words.map((level) => ({ level, name: level }))))[1]).toContain('Leaks the client to server')
})

test('how well it is told: of people, of pairs, or as a figure', () => {
  const how = (parts: QuestionParts) => /learns [^,]*, (.*?)\. 1 of 1 questions/.exec(heard(sheet([parts]))[1]!)![1]
  const people = { trained: { right: 5, of: 9 }, heldBack: { right: 0, of: 0 }, guessed: { right: 4, of: 9 } }
  expect(how({ people })).toBe('right for 5 of 9 people, where 4 could be guessed')
  expect(how({ people: { ...people, guessed: null }, kind: 'labels' })).toBe('right for 5 of 9 records')
  expect(how({ people: { ...people, trained: { right: 0, of: 0 } } })).toContain('ranks 96 of 100')
  expect(how({ ladder: { guess: null } })).toBe('ranks 96 of 100 pairs rightly (AUC 0.960)')
  expect(how({ ladder: { record: null } })).toContain('ranks 88 of 100 pairs rightly (AUC 0.880)')
  expect(how({ ladder: { metric: 'MAE' } })).toBe('MAE 0.960, where a guess has 0.800')
  expect(how({ ladder: { metric: 'MAE', guess: null } })).toBe('MAE 0.960')
  expect(how({ ladder: { record: null, client: null } })).toBe('AUC -, where a guess has 0.800')
})

test('six ladders stand on the first sheet, twice: wide and narrow', () => {
  const rows = (count: number) => sheet(Array.from({ length: count }, (_, i) => ({ target: `${i}` }))).match(/<g>/g)!.length // biome-ignore format: a line
  expect([rows(5), rows(6), rows(7)]).toEqual([10, 12, 12])
  expect(sheet([{}])).toMatch(/<div class="wide"><svg viewBox="0 0 820 .*<div class="narrow"><svg viewBox="0 0 360 /)
  expect(sheet([{ level: 'not-tested' }])).not.toContain('<svg')
})

test('what was not tested: three reasons, then how many more', () => {
  const name = 'What was not tested'
  const reason = (k: number) => ({ reason: `<${k}>`, questions: ['a', 'b'] })
  const of = (count: number) => facts(sheet([], verdict({ tested: 1, untested: Array.from({ length: count }, (_, k) => reason(k)) })))[name]! // biome-ignore format: a line
  expect(facts(sheet([], verdict({})))[name]).toEqual(['Nothing was asked.'])
  expect(of(0)).toEqual(['Nothing: every question was tested.'])
  expect(facts(sheet([], verdict({ tested: 1, notTested: 1, untested: [reason(0)] })))[name]).toEqual(['&lt;0&gt; (2)'])
  // What has nowhere to lead to leads nowhere.
  expect(sheet([], verdict({}))).not.toContain('href="#"')
  expect(of(3)).toEqual(['&lt;0&gt; (2)', '&lt;1&gt; (2)', '&lt;2&gt; (2)'])
  expect(of(5).slice(2)).toEqual(['&lt;2&gt; (2)', '<a href="#untested">and 2 more</a>'])
  expect(facts(sheet([], verdict({ notTested: 1 })))[name]).toEqual(['Nothing: every question was tested.'])
})

test('who is given away: the longest list of records, and that of clients', () => {
  const of = (...parts: QuestionParts[]) => facts(sheet(parts))['Who is given away']
  const link = '<a class="screen" href="#exposed">who they are</a>'
  const exposed = (...ids: string[]) => ({ exposed: { ids, of: 9 } })
  expect(of({})).toEqual(['Nobody by name: no attack is sure enough of anybody.'])
  expect(of(quiet)).toEqual(['Nobody: nothing was found to leak.'])
  expect(of(exposed())).toEqual(['Nobody by name: no attack is sure enough of anybody.'])
  expect(of({ ...exposed('a'), sameAs: 'eavesdropper' })![0]).toMatch(/^Nobody/)
  expect(of(exposed('a'), { target: '<1>', ...exposed('b', 'c') })).toEqual([
    '2 of 9 records of client &lt;1&gt; by one question',
    link,
  ])
  expect(of({ target: null, kind: 'property', ...exposed('a', 'b') }, exposed('a'))).toEqual([
    '1 of 9 records of client 0 by one question',
    '2 of 9 clients by one question',
    link,
  ])
  expect(of(exposed(hidden))).toEqual(['1 of 9 records of client 0 by one question'])
})

test('what the training is worth: four models, then how many more', () => {
  const name = 'What the training is worth'
  const one = { model: 'm', rounds: 7, trainLoss: null, heldOutLoss: 1, metric: 'R2', value: 0.75 }
  const of = (utility: object) => facts(sheet([], { utility: utility as AuditDocument['utility'] }))[name]
  expect(of({})).toEqual(['Not known of a recording.'])
  expect(of({ a: one, 'b<': { ...one, metric: null }, c: { ...one, withoutSum: 2 } })).toEqual([
    'a: R2 0.750 on rows kept out, after 7 rounds',
    'b&lt;: not graded, after 7 rounds',
    'c: R2 0.750 on rows kept out, after 7 rounds (2 without a sum)',
  ])
  expect(of({ a: one, b: one, c: one, d: one })).toHaveLength(4)
  expect(of({ a: one, b: one, c: one, d: one, e: one })![4]).toBe('<a href="#use">and 1 more</a>')
})

test('what is advised untried: three lines, then how many more', () => {
  const of = (count: number) => facts(sheet([], verdict({ advice: Array.from({ length: count }, (_, k) => `do ${k}: so`) })))['What could be changed']! // biome-ignore format: a line
  const untried = 'Untried: <code>overhear advise</code> tries each, and measures what it leaves and what it costs.'
  expect(of(0)).toEqual(['Nothing is advised: no alarm was raised.'])
  expect(of(3)).toEqual(['do 0', 'do 1', 'do 2', untried])
  expect(of(4)).toEqual(['do 0', 'do 1', 'do 2', '<a href="#advice">and 1 more</a>', untried])
})

test('a broken promise comes before the word', () => {
  const privacy = { mechanism: 'dp-sgd', unit: 'record', claimed: 1, delta: 1e-5, accounted: { lower: 2, upper: 3 }, client: '0', clients: [1, 1] } as const // biome-ignore format: a line
  expect(sheet([], { privacy })).toMatch(/^<section[^>]*>\n<p class="word leak">[^<]*\.<\/p>\n<p class="word weak">/)
  const kept = sheet([], { privacy: { ...privacy, claimed: 4 } })
  expect(kept).not.toContain('<p class="word leak">')
  expect(kept).toContain('href="#epsilon">source</a>')
  expect(sheet([])).not.toContain('href="#epsilon"')
})

test('alone it leads nowhere', () => {
  const questions = [questionWith({ exposed: { ids: ['a'], of: 9 } })]
  const html = frontSheet(documentWith(results, { questions }), { alone: true })
  expect(html).not.toContain('href="#')
  expect(html).not.toContain('who they are')
  expect(html).toContain('role="img"')
  expect(frontSheet(documentWith(results, { questions }))).toContain('role="group"')
})
