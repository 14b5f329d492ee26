import { askedAttacks } from '../src/audit/asked-attacks.js'
import { type AttackResult, worstFinding } from '../src/audit/attack-result.js'
import { judge, parseRule } from '../src/audit/fail-on.js'
import { figure, liftFigure } from '../src/audit/figures.js'
import { planJobs } from '../src/audit/plan-jobs.js'
import { readScenario, scenarioJsonSchema } from '../src/audit/read-scenario.js'
import { adviceFor } from '../src/audit/untried-advice.js'
import { verdictOf } from '../src/audit/verdict.js'
import type { Score } from '../src/metrics/score.js'
import { attackText } from '../src/report/attack-text.js'
import { auditText } from '../src/report/audit-text.js'
import { dotPlot } from '../src/report/dot-plot.js'
import { ladderPlot } from '../src/report/ladder-plot.js'
import { pictureUri } from '../src/report/picture.js'
import { reportHtml } from '../src/report/report-html.js'
import { absentees, noteOf, rowOf, rowsOf } from '../src/report/result-rows.js'
import { textTable } from '../src/report/text-table.js'
import { observers } from '../src/threat/observers.js'
import {
  controlsWith,
  documentWith,
  errorWith,
  findingWith,
  ofEveryWord,
  questionWith,
  resultWith,
  scoreWith,
  stepWith,
} from './audit-results.js'
import { federationWorlds, propertyWorlds } from './pinned-federation-worlds.js'
import { pinResults } from './pinned-results.js'
import { attributeWorlds } from './pinned-worlds.js'

/** Scores about every limit: of the lift, of the interval, of either direction, with and without an interval. */
const scores: readonly Score[] = [
  ...[-0.2, 0, 0.05, 0.0999, 0.1, 0.1001, 0.3, 0.4999, 0.5, 0.7, 1].flatMap((lift) => [scoreWith({ lift, value: 0.5 + lift / 2, interval: [0.45, 0.99] }), scoreWith({ lift, value: 0.5 + lift / 2, interval: [0.5, 0.99] }), scoreWith({ lift, value: 0.5 + lift / 2, interval: [0.5001, 0.99] }), errorWith(lift)]), // biome-ignore format: a list
  scoreWith({ lift: null, chance: null as never }),
  scoreWith({ lift: null, chance: 1, value: 1 }),
  scoreWith({ better: 'lower', interval: [0.1, 0.49], value: 0.3, chance: 0.5, lift: 0.4 }),
  scoreWith({ better: 'lower', interval: [0.1, 0.5], value: 0.3, chance: 0.5, lift: 0.4 }),
  scoreWith({ perRecord: [1, 0, 1, 1], also: { AUC: 0.7, calibrationError: 0.123456 }, notes: ['a note'] }),
]
const controls = [undefined, controlsWith('passed'), controlsWith('broken'), controlsWith('none'), controlsWith('failed')] // biome-ignore format: a list
const results: readonly AttackResult[] = [
  ...scores.flatMap((score) =>
    controls.map((one) => resultWith({ score, ...(one !== undefined && { controls: one }) })),
  ),
  ...scores.slice(0, 8).map((score) => resultWith({ score, oracle: true })),
  resultWith({ score: null }),
  resultWith({ findings: [findingWith(scores[3]), findingWith(scores[30]), findingWith(null)] }),
  resultWith({ status: 'not-applicable', missing: ['channel', 'records'], why: 'it is so' }),
  resultWith({ status: 'failed', error: { code: 'E_TIME', message: 'too long' } }),
  resultWith({ sameAs: 'eavesdropper' }),
  resultWith({ claim: { kind: 'records', client: '0', round: 1, features: [[0.1]], labels: [1] } }),
  resultWith({ attack: 'membership-loss', claim: { kind: 'members', client: '0', rows: [1, 2] } }),
  resultWith({ attack: 'lmra-ols', observer: 'eavesdropper', claim: { kind: 'model', client: '0', theta: [1, 2] } }),
  resultWith({ attack: 'prolin', target: null, observer: 'secagg-server', claim: { kind: 'property', property: 'inversion', clients: [{ id: '1', probability: 0.96, positive: true }, { id: '2', probability: 0.2, positive: false }] } }), // biome-ignore format: a line
  resultWith({
    attack: 'contribution',
    target: null,
    claim: { kind: 'contribution', clients: [{ id: '1', score: 2 }] },
  }),
  resultWith({
    attack: 'idlg',
    claim: { kind: 'labels', client: '0', round: 1, labels: [1, 1] },
    warnings: ['careful'],
  }),
  resultWith({
    params: { from: 'lmra-ols', prior: 'none' },
    details: { rounds: 3, digits: 2.5, list: [1, 2] },
    millis: 1234,
  }),
]
const groups: readonly (readonly AttackResult[])[] = [[], results, ...results.map((one) => [one]), results.slice(0, 9), results.slice(40, 60), results.filter(({ oracle }) => oracle)] // biome-ignore format: a list
const scenarios = [...Object.values(attributeWorlds), ...Object.values(federationWorlds), ...Object.values(propertyWorlds)].map((world) => readScenario({ name: 'one', ...world })) // biome-ignore format: a line
/** As it is, among the words. */
const marks = (text: string) => ` ${text}`
const names = Object.keys(observers)
/** Questions of every word about several clients, kinds, observers and sizes of the step. */
const questions = [...ofEveryWord, ...ofEveryWord.map((one) => ({ ...one, target: '1', model: 'mlp-8' })), ...ofEveryWord.map((one) => ({ ...one, observer: 'malicious-server', sameAs: one.observer })), ...[-0.1, 0, 0.02, 0.3].map((effect, i) => questionWith({ target: `${i + 2}`, kind: ['labels', 'model', 'records', 'members'][i]!, test: { record: stepWith({ effect }) } }))] // biome-ignore format: a list
const questionGroups = [[], questions, ...questions.map((one) => [one]), questions.slice(0, 4), questions.slice(6, 15)]
const document = documentWith(results, { questions, utility: { linear: { model: 'linear', rounds: 3, trainLoss: 1, heldOutLoss: 2, value: 0.5, metric: 'R2' } } as never }) // biome-ignore format: a line

pinResults('audit', {
  notes: results.map((one) => () => [noteOf(one), worstFinding(one)]),
  verdicts: [
    ...groups.map((group) => () => verdictOf([], group).doubts),
    ...questionGroups.map(
      (group) => () =>
        [undefined, ...scenarios.slice(0, 9)].map((scenario) => {
          return [verdictOf(group, results, scenario), adviceFor(group, scenario)]
        }),
    ),
  ],
  'rules to fail on': ['leaks', '', 'attribute.record>0.05', 'attribute.record>=0.08', 'attribute.record>0.08', 'aia-model.client>0.1', 'aia.record.value<0.97', 'members.tpr1>0.01', 'attribute.low>0.04', 'attribute.high<0.5', 'attribute.exposed>2', 'property.client.value>0.2', 'aia.lift>0.1', 'aia.record>x', 'aia.record>1e9', 'aia.record>', ' aia.record > 0.1 ', 'a.b.record>1', 'none.record>0', 'aia.record>Infinity', 'records.record>0'].map((text) => () => { const rule = parseRule(text); const [own, other] = [judge([rule], document), judge([rule], documentWith([]))]; return [rule, own, other] }), // biome-ignore format: a list
  figures: [0, 1, -1, 0.123456, 12.3456, 1234567, 1e-9, 1e9, 0.5, 99.95, Number.NaN, Number.POSITIVE_INFINITY, null, undefined, 0.0001, 0.001, 1000, 999.9].map((x) => () => [figure(x), liftFigure(x)]), // biome-ignore format: a list
  plans: scenarios.slice(8, 10).flatMap((scenario) => [[names], [['server']], [['participant', 'malicious-server']]].map(([asked]) => () => planJobs({ attacks: askedAttacks({ attacks: 'all', activeRounds: 3 }), observers: asked as never, targets: ['0', '1'], seed: scenario.seed, controls: true, recordedFor: 'server', secureAggregation: scenario.defences.length > 0 }))), // biome-ignore format: a list
  'plans for recordings': (['server', 'secagg-server', 'eavesdropper'] as const).flatMap((recordedFor) => [true, false].flatMap((secureAggregation) => [['0'], []].map((targets) => () => planJobs({ attacks: askedAttacks({ attacks: 'all', activeRounds: 1 }), observers: names as never, targets, seed: 1, controls: false, recordedFor, secureAggregation })))), // biome-ignore format: a list
  'the schema of scenarios': [scenarioJsonSchema],
  reports: [
    () => marks(auditText(document)),
    () => marks(auditText(document, { verbose: true })),
    ...questionGroups.map((group) => () => marks(ladderPlot(group))),
    () => marks(auditText(documentWith([]))),
    () => marks(reportHtml(document)),
    () => marks(reportHtml(documentWith([]))),
    ...results.slice(-20).map((one) => () => marks(attackText(one))),
    ...groups.slice(-3).map((group) => () => [rowsOf(group), absentees(group), marks(dotPlot(group.map(rowOf)))]),
    ...results.filter((_, i) => i % 9 === 0).map((one) => () => rowOf(one)),
    () => textTable(['a', 'bb', 'c'], [['x', 1, 2.5], ['yyy', 22, 0]]).split('\n'), // biome-ignore format: a line
    () => textTable(['a'], []),
    ...[[1, 2, 2], [3, 2, 2], [1, 1, 5]].flatMap(([c, h, w]) => [[0, 1], [-1, 2], [0, 0]].map((range) => () => pictureUri({ shape: [c!, h!, w!], values: Array.from({ length: c! * h! * w! }, (_, i) => i / 7 - 0.2), range } as never))), // biome-ignore format: a list
  ],
})
