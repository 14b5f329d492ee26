// biome-ignore-all format: lists of cases

import { controlsWith, documentWith, errorWith, findingWith, resultWith, scoreWith } from '../../test/audit-results.js'
import { all, lists } from '../../test/pinned-questions.js'
import { pinResults } from '../../test/pinned-results.js'
import { leakSentences, toldOf } from '../audit/ladder/leak-sentences.js'
import { adviceText } from './advice-text.js'
import { auditText } from './audit-text.js'
import { calibrationText } from './calibration-text.js'
import { compareText } from './compare-text.js'
import { dotPlot } from './dot-plot.js'
import { exposureSection } from './exposure-curves.js'
import { ladderPlot } from './ladder-plot.js'
import { ladderBar, ladderText } from './ladder-text.js'
import { lintJunit, lintText } from './lint-text.js'
import { rebuiltSection } from './rebuilt-pictures.js'
import { recordingSection, recordingText } from './recording-text.js'
import { reportHtml } from './report-html.js'
import { absentees, rowsOf } from './result-rows.js'
import { atMost, summaryText } from './summary-text.js'
import { sweepPage } from './sweep-page.js'
import { textTable, wrapped } from './text-table.js'

const group = (what: string, ...ids: string[]) => ({ what, clients: ids, why: `why ${what}` })
const ungraded = (more: object = {}) => ({ attack: 'x', observer: 'server', kind: 'model', what: 'model', client: 'a', confidence: null, fit: null, halves: null, planted: null, standing: 'open', ...more })
const facts = (more: object = {}) => ({ clients: 3, rounds: 9, parameters: 12, heard: 'updates', attacked: ['a'], notes: [], opaque: false, turns: null, separable: null, lint: [], more: [], knowledge: false, truth: false, ungraded: [], questions: { decided: [], open: [], lacking: [], never: [] }, can: [], cannot: [], ...more }) as never
const told = [
  facts(), facts({ heard: 'sums', turns: [3, 3, 3], opaque: true, notes: ['one note', 'another'] }), facts({ heard: 'models', turns: [1, 2, 4] }),
  ...[true, false].map((truth) => facts({ truth, can: ['can this'], cannot: ['not that'], more: [{ keys: ['records', 'sensitive'], attacks: ['a', 'b'], observers: ['server'] }], questions: { decided: [group('d', 'a', 'b', 'c', 'd'), group('e')], open: [group('o', 'a')], lacking: [group('l', 'a', 'b')], never: ['never <this>'] } })),
  ...[1, 40, 41, 43].map((count) => facts({ ungraded: Array.from({ length: count }, () => ungraded()) })),
  facts({ ungraded: [ungraded({ client: null, confidence: 0.5, fit: { misfit: 0.1 }, halves: { apart: 0.2 }, planted: 'passed', standing: 'stands' }), ungraded({ halves: { apart: null }, planted: 'broken', standing: 'falls' }), ungraded({ planted: 'none' })] }),
]

const tried = (id: string, more: object = {}) => ({ id, changes: [{ id, words: `do ${id}` }], repeats: 5, worst: { size: 0.2, about: 'union', step: 'record', closed: false }, rungs: [], open: [], use: [{ model: 'm', metric: 'R2', value: 0.5 }, { model: 'n', metric: null, value: null }], useLost: 0.05, cost: { messages: 20, localSteps: 30 }, epsilon: null, sure: 0.956, seconds: 1, ...more })
const spent = { epsilon: { lower: 1, upper: 1.5 }, delta: 1e-5, means: 'that much' }
const advice = (more: object = {}) => {
  const asItIs = tried('as-it-is', { changes: [], useLost: 0, sure: null })
  return () => adviceText({ target: 0.05, asItIs, tried: [asItIs, tried('a'), tried('b', { worst: null, epsilon: spent, useLost: null, sure: null, cost: { messages: null, localSteps: 30 } }), tried('c', { worst: { closed: true }, open: ['x', 'y'] }), tried('d', { worst: { size: -0.1, about: 'u', step: 'client', closed: false }, open: ['x'], epsilon: spent, cost: { messages: 10, localSteps: null } })], front: ['a'], recommended: null, nearest: null, confirmation: null, unconfirmed: [], refused: [], complete: true, ...more } as never)
}

const moved = (more: object = {}) => ({ step: 'record', before: 0.1, after: 0.2, change: 0.1, interval: [0.05, 0.15], paired: false, beyondNoise: true, ...more })
const compared = (more: object = {}) => () => compareText({ settings: [], before: { level: 'leaks-records' }, after: { level: 'none-found' }, questions: [{ about: 'u', observer: 'server', before: 'leaks-records', after: 'none-found', rungs: [{ rung: 'client', before: 0.5, after: 0.6 }, { rung: 'record', before: 0.7, after: 0.5 }], steps: [moved({ paired: true }), moved({ step: 'client', beyondNoise: false })] }, { about: 'v', observer: 'server', before: null, after: 'inconclusive', rungs: [], steps: [] }, { about: 'w', observer: 'server', before: 'none-found', after: 'none-found', rungs: [], steps: [moved({ interval: null, beyondNoise: null, change: -0.1 })] }], use: [{ model: 'm', metric: 'R2', before: 0.5, after: null }, { model: 'n', metric: null, before: 1, after: 2 }], raised: 1, settled: 2, sameSeed: true, ...more } as never)

const power = (attack: string, count: number, more: object = {}) => ({ attack, model: null, observer: 'server', status: 'passed', params: {}, power: { curve: Array.from({ length: count }, (_, i) => ({ grade: i / 4, lift: i / 5 })) }, ...more })
const calibration = (more: object = {}) => () => calibrationText({ worlds: [{ id: 'a', words: 'world a' }, { id: 'b', words: 'world b' }], nulls: [{ world: 'a', tested: 3, alarms: [] }, { world: 'a', tested: 4, alarms: ['x'] }], falseAlarms: { audits: 1, of: 2, interval: [0.0126, 0.987], alpha: 0.05 }, power: [], confidence: [], complete: true, ...more } as never)

const exposure = (more: object = {}, parts: object = {}) => resultWith({ target: null, claim: { kind: 'property', property: 'late', clients: [{ id: 'a', positive: true }, { id: 'b', positive: false }, { id: 'c', positive: true }], exposure: { rounds: [2, 4, 6], probability: { a: [0.1, 0.5, 1], b: [0, 0, 0.2], c: [0.3, 0.96, 0.97] }, above: 0.95, exposedAt: { a: 6, c: 4 }, ...more } }, score: scoreWith({ perClient: [{ id: 'a', right: true }, { id: 'c', right: false }] } as never), ...parts })
const results = [resultWith(), resultWith({ model: 'mlp', score: errorWith(0.3) }), resultWith({ score: errorWith(-0.9) }), resultWith({ score: scoreWith({ chance: null, lift: null }) }), resultWith({ controls: controlsWith('broken') }), resultWith({ sameAs: 'server' }), resultWith({ oracle: true }), resultWith({ attack: 'a-very-long-name-of-an-attack-that-is-cut-in-the-plot', target: '12' }), resultWith({ score: null }), resultWith({ score: scoreWith({ interval: null }) }), resultWith({ score: scoreWith({ interval: [0.1, 0.2], lift: 1.4 }) })]
const seeds = [1, 2, 3].map((seed) => resultWith({ seed, attack: 'seeded', score: scoreWith({ value: 0.5 + 0.1 * seed, lift: 0.2 * seed, chance: seed === 3 ? null : 0.5 }) }))
const missing = (attack: string, more: object = {}) => resultWith({ attack, status: 'not-applicable', missing: ['records', 'labels'], ...more })
const absent = [missing('a'), missing('a', { model: 'mlp' }), missing('a', { why: 'another reason' }), missing('b', { model: 'mlp' }), resultWith({ attack: 'b', model: 'linear' }), missing('c', { params: { x: 1 } }), missing('c', { params: { x: 2 } })]

const utility = (more: object = {}) => ({ model: 'linear', rounds: 40, trainLoss: 0.1, heldOutLoss: 0.2, metric: 'R2', value: 0.5, ...more })
const document = (parts: object, list = results) => documentWith(list, parts as never)
const documents = [document({}), ...lists.map((questions) => document({ questions })), document({ complete: false, report: 'x.html', utility: { a: utility(), b: utility({ withoutSum: 3, metric: null }) } }), document({ questions: all, recording: told[3] }), document({ recording: told[1] }, absent), document({ utility: { linear: utility({ withoutSum: 2 }) } }, [...seeds, ...absent]),
  ...[2, 0].map((opened) => document({ sums: { observer: 'malicious-secagg-server', attacks: Array.from({ length: 7 }, (_, i) => ({ attack: 'sybils', what: 'fills the cohort', colluders: i, clients: 12, opened: i < opened ? 1 : null, why: 'so it is' })) } }))]

/** What a page says, whatever it looks like. */
const unstyled = (html: string) => html.replace(/<style>.*?<\/style>/gs, '')
const finding = (code: string, severity: string) => ({ code, rule: `rule-${code}`, severity, title: `title <${code}>`, evidence: 'e & f', fix: 'do "it"', doc: 'docs/lint.md', line: 7 }) as never
const linted = [[], [finding('OH1', 'error')], [finding('OH1', 'error'), finding('OH2', 'warning'), finding('OH1', 'warning'), finding('OH3', 'note')]]
const swept = (count: number, at: (i: number) => object, figures: (i: number) => object = (i) => ({ 'use, linear: R2': i / 7 })) => Array.from({ length: count }, (_, i) => ({ at: at(i), seed: i % 2, figures: figures(i) }))
const sweeps = [swept(0, () => ({})), swept(4, (i) => ({ x: i })), swept(24, (i) => ({ x: i % 3, y: `w${i % 6}` })), swept(28, (i) => ({ x: i % 2, y: `w${i % 7}` })), swept(39, (i) => ({ x: i, y: (3 * i) % 39 })), swept(40, (i) => ({ x: i, y: (3 * i) % 40 })), swept(48, (i) => ({ x: i % 2, z: i % 24 })), swept(50, (i) => ({ x: i % 2, y: 1, z: i % 25 })), swept(6, (i) => ({ x: i }), () => Object.fromEntries(Array.from({ length: 60 }, (_, k) => [`f${k}`, k]))), swept(6, (i) => ({ x: i }), (i) => Object.fromEntries(Array.from({ length: 61 }, (_, k) => [`f${k}`, i])))]
const rebuilt = (more: object) => resultWith({ findings: [findingWith(scoreWith(), undefined, { rebuilt: { shape: null, columns: ['a', 'b'], pairs: [{ truth: [1, 2], claimed: [1, 3] }, { truth: [0, -1], claimed: null }], ...more } } as never)] })
const many = (count: number) => ({ columns: Array.from({ length: count }, (_, i) => `c${i}`), pairs: [{ truth: Array(count).fill(1), claimed: Array(count).fill(2) }] })

pinResults('report', {
  'who tells what': [...lists.flatMap((list) => [() => toldOf(list).map(({ question, alsoTo }) => [question.observer, question.target, question.level, alsoTo]), () => leakSentences(list)]), ...all.map((one) => () => leakSentences([one]))],
  'ladders': [...lists.flatMap((list) => [() => ladderText(list), () => ladderPlot(list), () => ladderPlot(list, { most: 2 })]), ...all.flatMap((one) => [() => ladderText([one]), () => ladderPlot([one]), () => [7, 30, 40].map((cells) => ladderBar(one, cells))])],
  'recordings': [() => recordingText(undefined), () => recordingSection(undefined), ...told.flatMap((one) => [() => recordingText(one), () => recordingText(one, true), () => recordingSection(one)])],
  'advice': [advice(), advice({ recommended: 'a' }), advice({ recommended: 'b', complete: false }), advice({ nearest: 'c' }), advice({ nearest: 'd', refused: [{ id: 'e', why: 'it cannot' }] }), advice({ recommended: 'd', front: ['a', 'd'], confirmation: tried('d') }), advice({ nearest: 'd', unconfirmed: ['a'] })],
  'comparisons': [compared(), compared({ raised: 0, settled: 0, sameSeed: false, use: [] }), compared({ raised: 2, questions: [] }), compared({ questions: [{ about: 'u', observer: 'server', before: 'none-found', after: null, rungs: [], steps: [moved({ beyondNoise: false })] }] })],
  'calibrations': [calibration(), calibration({ complete: false, falseAlarms: { audits: 0, of: 0, interval: [0, 1], alpha: 0.05 } }), calibration({ power: [power('a', 2), power('b', 3, { model: 'mlp' }), power('c', 0, { power: null, status: 'none' })] }), calibration({ confidence: [{ attack: 'a', model: null, name: null, claims: 10, temperature: 2, error: [0.1234, 0.05], sure: [{ of: 4, wrong: 1 }, { of: 2, wrong: 0 }], exposed: { of: 3, wrong: 0 } }, { attack: 'b', model: 'm', name: 'n', claims: 1, temperature: 1, error: [0, 0], sure: [{ of: 0, wrong: 0 }, { of: 0, wrong: 0 }], exposed: { of: 0, wrong: 0 } }] })],
  'rows of results': [() => rowsOf(results).map(({ result: _, ...row }) => row), () => rowsOf([...results, ...seeds, resultWith({ attack: 'seeded', target: 'other' })]).map(({ result: _, ...row }) => row), () => absentees(absent), () => absentees([...absent, ...results]), () => absentees([]), ...results.map((one) => () => dotPlot(rowsOf([one]))), () => dotPlot(rowsOf(results)), () => dotPlot([]), () => dotPlot(rowsOf(seeds)), () => rowsOf([resultWith({ params: { from: 'messages' } }), resultWith({ attack: 'protocol', fit: {} as never, details: { stated: 'this', heard: 'that' } }), resultWith({ findings: [findingWith(null), findingWith(scoreWith({ lift: 0.1 })), findingWith(scoreWith({ lift: 0.6 }), undefined, { cells: { record: 0.9, client: 0.2 } })] })]).map(({ result: _, ...row }) => row)],
  'exposure': [exposure(), exposure({ exposedAt: {} }), exposure({ rounds: [3], probability: { a: [0.5] } }), exposure({ rounds: [] }), exposure({}, { sameAs: 'server' }), exposure({}, { model: 'mlp', score: null }), exposure({ exposedAt: Object.fromEntries(Array.from({ length: 43 }, (_, i) => [`c${i}`, (7 * i) % 50])) }), exposure({ exposedAt: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`c${i}`, i])) }), exposure({ exposedAt: { b: 3 } }), resultWith()].map((one) => () => exposureSection(rowsOf([one]))),
  'audits': documents.flatMap((one) => [() => auditText(one), () => auditText(one, { details: true }), () => auditText(one, { verbose: true }), ...[0, 8, 12, 60].map((room) => () => summaryText(one, room))]),
  'tables and lines': [() => textTable(['a', 'number'], [['x', 1], ['long words', 22.5]]), () => textTable(['a', 'b'], [['-1', 'x'], ['+2', '']]), () => textTable(['a', 'b'], []), () => textTable(['a', 'b', 'c'], [['1'], ['2', 'x']]), ...[1, 5, 9, 10, 11, 118].map((width) => () => wrapped('  some words of a sentence', '    ', width)), () => wrapped(''), () => wrapped('x'.repeat(130)), () => wrapped(`${'y'.repeat(117)} z`), () => wrapped(`${'y'.repeat(116)} z`), () => [1, 2, 3].map((most) => atMost(most, ['a', 'b'])), () => atMost(2, ['a', 'b'.repeat(130), 'c'])],
  'pages': [...documents.map((one) => () => unstyled(reportHtml(one))), ...sweeps.map((drawn) => () => unstyled(sweepPage({ name: 's', axes: ['x', 'y', 'z'], drawn, total: drawn.length + 2, failed: 2 } as never))), ...[rebuilt({}), rebuilt(many(12)), rebuilt(many(13)), rebuilt({ shape: [1, 1, 2] }), resultWith()].flatMap((one) => [() => rebuiltSection(rowsOf([one])), () => rebuiltSection(rowsOf([{ ...one, sameAs: 'server' }, { ...one, model: 'mlp' }]))])],
  'lint': linted.flatMap((one) => [() => lintText(one, 'f.yaml'), () => lintJunit(one, { file: 'f.yaml', rules: ['OH1', 'OH2', 'OH3', 'OH4'].map((code) => ({ code, id: `rule-${code}` })) })]),
})
