import { describe, expect, test } from 'vitest'
import {
  documentWith,
  findingWith,
  ofEveryWord,
  questionWith,
  resultWith,
  scoreWith,
} from '../../test/audit-results.js'
import { auditText } from './audit-text.js'

const absent = resultWith({ status: 'not-applicable', missing: ['exchanges'] })
const utility = { model: 'linear', rounds: 40, trainLoss: 0.1, heldOutLoss: 0.2, metric: 'R2', value: 0.5 }

describe('an audit on a terminal', () => {
  test('is one screen: the word, the worst leak, a line for each question, what could be done, the report', () => {
    const document = documentWith([resultWith()], {
      questions: [questionWith(), ofEveryWord[5]!],
      utility: { linear: utility },
      report: 'runs/x/report.html',
    })
    expect(auditText(document)).toBe(`verdict: LEAKS RECORDS (1 leaks records)
tested: 1 of 2 questions; not tested: no records were kept back

an honest but curious server learns "union" of the people of client 0: AUC 0.960 for records that were trained on;
0.880 for records like them that were not; 0.860 from a federation without the client; 0.800 by a guess; because they
were trained on, +0.080 (between +0.050 and +0.110; 0.030 would have been seen)

LEAKS RECORDS     union of client 0  |.......g.....f..c========r....|  AUC 0.960  +0.080
g: a guess, nothing heard; f: a federation without the client; c: the client's messages, records that were not trained
on; r: the client's messages, records that were trained on

what could be changed, untried (overhear advise tries): aggregate securely; train with record-level differential
  privacy

trained: 40 rounds, held-out R2 0.500
every step: --details; each attack by itself: --verbose, or the report
report: runs/x/report.html`)
  })

  test('says first what is broken, and what is promised beside the use, in the same 30 lines', () => {
    const privacy = { mechanism: 'dp-sgd', unit: 'record', claimed: 1, delta: 1e-5, accounted: { lower: 3, upper: 3.1 }, client: '4', clients: [5, 5], notMeasured: 'a recording', advantage: 0.5 } as const // biome-ignore format: a line
    const many = Array.from({ length: 40 }, (_, i) => questionWith({ target: String(i) }))
    for (const details of [false, true]) {
      const lines = auditText(documentWith([], { questions: many, privacy }), { details }).split('\n')
      expect(lines.slice(0, 2)).toEqual(['BROKEN PROMISE: epsilon 1 is claimed, at least 3 to 3.1 is spent', ''])
      expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(
        'epsilon (dp-sgd): 1 is claimed; 3 to 3.1 at delta 0.00001 is accounted for, of a record of client 4; not measured, a recording. No guess whether a record was in the training has an AUC above 0.875; no attack of this audit asked',
      )
      if (!details) expect(lines).toHaveLength(30)
    }
    const kept = auditText(documentWith([], { questions: many, privacy: { ...privacy, claimed: 4 } }))
    expect(kept).toMatch(/^verdict: /)
  })

  test('has at most 30 lines of at most 120 columns, and says what it leaves out', () => {
    const many = Array.from({ length: 40 }, (_, i) =>
      questionWith({ target: String(i), name: `attribute-number-${i}` }),
    )
    const document = documentWith([resultWith({ attack: 'dlg', status: 'failed' })], {
      questions: [...many, ofEveryWord[5]!],
      utility: { linear: utility },
      report: 'runs/x/report.html',
    })
    const lines = auditText(document).split('\n')
    expect(lines).toHaveLength(30)
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(120)
    const shown = lines.filter((line) => line.startsWith('LEAKS RECORDS ')).length
    expect(lines).toContain(`and ${40 - shown} more: --details`)
    expect(auditText(document, { details: true }).split('\n').length).toBeGreaterThan(100)
  })

  test('of a recording has no more lines than that, its ladders and what it says by itself among them', () => {
    const many = (words: string, n: number) => Array.from({ length: n }, (_, i) => `${words} ${i}`)
    const recording = {
      ...{ clients: 3, rounds: 9, parameters: 12, heard: 'updates', attacked: ['a'], notes: [], opaque: false, turns: null },
      ...{ separable: null, lint: [], more: [], knowledge: false, truth: false, ungraded: [] },
      ...{ questions: { decided: [], open: [], lacking: [], never: [] }, can: many('it can', 20), cannot: many('not', 9) },
    } as unknown as NonNullable<Parameters<typeof auditText>[0]['recording']> // biome-ignore format: lists
    const questions = Array.from({ length: 40 }, (_, i) => questionWith({ target: String(i) }))
    const failed = many('attack', 12).map((attack) => resultWith({ attack, status: 'failed' }))
    for (const asked of [[], questions]) {
      const audit = documentWith(failed, { questions: asked, recording, report: 'x.html' })
      const lines = auditText(audit).split('\n')
      expect(lines).toHaveLength(30)
      expect(lines).toContain('heard: 9 rounds, 3 clients, 12 parameters: the messages of single clients')
      expect(lines.some((line) => /^and \d+ more lines: --details, or the report$/.test(line))).toBe(true)
      expect(lines.filter((line) => line.startsWith('LEAKS RECORDS ')).length).toBeGreaterThanOrEqual(
        asked.length === 0 ? 0 : 3,
      )
      expect(auditText(audit, { details: true })).toContain('it can 19')
    }
  })

  test('in detail is the verdict, the ladder of each question, what could be changed, the report', () => {
    const document = documentWith([resultWith()], {
      questions: [questionWith(), ofEveryWord[5]!],
      utility: { linear: utility },
      report: 'runs/x/report.html',
    })
    expect(auditText(document, { details: true })).toBe(`verdict: LEAKS RECORDS
tested: 1 of 2 questions; not tested: no records were kept back (records of client 0, server)
  - an honest but curious server learns "union" of the people of client 0: AUC 0.960 for records that were trained on;
    0.880 for records like them that were not; 0.860 from a federation without the client; 0.800 by a guess; because
    they were trained on, +0.080 (between +0.050 and +0.110; 0.030 would have been seen)

what is learned, and from where: each line goes from a guess to knowing everything
  g  a guess, nothing heard
  f  a federation without the client
  c  the client's messages, records that were not trained on
  r  the client's messages, records that were trained on

LEAKS RECORDS     union of client 0, heard by server
  |.........g........f..c===========r......|  AUC: g 0.800  f 0.860  c 0.880  r 0.960
  its records  +0.080 (+0.050 to +0.110), p 0.0040, would have seen 0.030, 10 trainings, by aia-linear

what could be changed, untried (overhear advise tries):
  - aggregate securely, so that nobody but the client sees its own update: these attacks need single updates
  - train with record-level differential privacy (DP-SGD) and audit again: it bounds what one record can change

trained: 40 rounds, held-out R2 0.500
report: runs/x/report.html`)
  })

  test('says how many rounds had no sum', () => {
    const document = documentWith([resultWith()], { utility: { linear: { ...utility, withoutSum: 3 } } })
    expect(auditText(document)).toContain('trained: 40 rounds, 3 of them without a sum, held-out R2 0.500')
  })

  test('never says that nothing was found where nothing was tested', () => {
    for (const questions of [[], [ofEveryWord[5]!]]) {
      const text = auditText(documentWith([resultWith()], { questions }))
      expect(text).toMatch(/^verdict: NOT TESTED\ntested: (nothing|0 of 1 question; not tested: no records)/)
      expect(text.toLowerCase()).not.toContain('no leak')
      expect(text).not.toContain('could be changed')
    }
    const { questions } = documentWith([], { questions: [questionWith({ level: 'none-found' })] })
    expect(auditText(documentWith([], { questions }))).toMatch(
      /^verdict: NO LEAK FOUND \(1 no leak found\)\ntested: all of 1 question\n/,
    )
  })

  test('is no wider than 120 columns, whatever is asked', () => {
    const long = questionWith({ name: 'a-rather-long-attribute', model: 'mlp-32', observer: 'malicious-server' })
    const copies = ['server', 'eavesdropper'].map((observer) => ({ ...long, observer, sameAs: 'malicious-server' }))
    const questions = [...ofEveryWord, ...ofEveryWord.map((one) => ({ ...one, target: '17', model: 'linear' })), long]
    const document = documentWith([resultWith({ attack: 'dlg', status: 'failed' })], {
      questions: [...questions, ...copies],
      utility: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`mlp-${i}`, { ...utility, model: `mlp-${i}` }])),
    })
    for (const line of auditText(document, { details: true }).split('\n'))
      expect(line.length, line).toBeLessThanOrEqual(120)
  })

  test('names the attacks that are no help, and the models where there are several', () => {
    const late = resultWith({ attack: 'dlg', status: 'failed', error: { code: 'E_TIME', message: '' } })
    const both = { linear: utility, 'mlp-8': { ...utility, model: 'mlp-8' } }
    const text = auditText(documentWith([late], { utility: both }))
    expect(text).toContain('attacks that are no help here:\n  - dlg: out of time')
    expect(text).toContain('trained: linear: 40 rounds, held-out R2 0.500; mlp-8: 40 rounds')
  })

  test('says when it was cut off', () => {
    expect(auditText(documentWith([], { complete: false }))).toContain('interrupted: what was finished is kept')
    expect(auditText(documentWith([]))).not.toContain('interrupted')
  })

  test('does not let a name steer the terminal', () => {
    const hostile = '\u001b[2J\u0007\r'
    const results = [resultWith({ target: hostile, claim: { kind: 'attribute', name: hostile } })]
    const questions = [
      questionWith({ name: hostile, target: hostile, by: { record: hostile }, ladder: { metric: hostile } }),
      questionWith({ level: 'not-tested', notTested: hostile }),
    ]
    const text = auditText(documentWith(results, { questions }), { verbose: true })
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(text).toContain('\\u001b[2J\\u0007\\u000d')
  })
})

describe('each attack by itself', () => {
  const verbose = (...args: Parameters<typeof documentWith>) => auditText(documentWith(...args), { verbose: true })

  test('is a table an observer, with the cells where it was asked', () => {
    const cells = { federation: 0.86, client: 0.88, record: 0.96 }
    const asked = resultWith({ findings: [findingWith(scoreWith(), undefined, { cells })] })
    const broken = resultWith({ attack: 'dlg', status: 'failed', error: { code: 'E_TIME', message: '' } })
    expect(verbose([asked, broken])).toContain(`server: an honest but curious server
  attack     what   score           chance  lift  cells, notes
  ---------  -----  --------------  ------  ----  -----------------------
  aia-model  union  accuracy 0.900   0.500  0.80  f 0.860 c 0.880 r 0.960
  dlg               -                    -     -  out of time
`)
    expect(verbose([resultWith(), resultWith({ target: '12' })])).toMatch(/^ {2}client {2}attack/m)
    expect(auditText(documentWith([asked]))).not.toContain('aia-model')
  })

  test('has the models where there are several', () => {
    const models = ['linear', 'mlp-8'].map((model) => resultWith({ model }))
    expect(verbose(models)).toMatch(/^ {2}model {3}attack/m)
    expect(verbose(models.slice(0, 1))).not.toContain('linear')
  })

  test('says what a stronger observer shares, and what does not apply', () => {
    const text = verbose([absent, resultWith({ observer: 'malicious-server', sameAs: 'eavesdropper' })])
    expect(text).toContain('  nothing applies\n  not applicable: aia-model\n')
    expect(text).toContain('  and everything that eavesdropper can do\n')
    const names = Array.from({ length: 40 }, (_, i) => ({ ...absent, attack: `attack-number-${i}` }))
    expect(verbose(names.slice(0, 2))).toContain('not applicable: attack-number-0, attack-number-1\n')
    expect(verbose(names)).toContain('not applicable: 40 attacks (the report says why)\n')
  })
})
