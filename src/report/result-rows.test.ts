import { describe, expect, test } from 'vitest'
import { controlsWith, findingWith, resultWith, scoreWith } from '../../test/audit-results.js'
import { absentees, noteOf, rowOf, rowsOf } from './result-rows.js'

test.each([
  ['', {}],
  ['told the truth', { oracle: true }],
  ['broken here', { controls: controlsWith('broken') }],
  ['blind here', { controls: controlsWith('blind') }],
  ['', { controls: controlsWith('none') }],
  ['not graded', { score: null }],
  ['not applicable', { status: 'not-applicable' }],
  ['out of time', { status: 'failed', error: { code: 'E_TIME', message: '' } }],
  ['failed', { status: 'failed', error: { code: 'E_VALUE', message: '' } }],
] as const)('%j is noted of a result with %j', (note, parts) => {
  expect(noteOf(resultWith(parts))).toBe(note)
  expect(rowOf(resultWith(parts)).note).toBe(note)
})

describe('a row', () => {
  test('says what was attacked, the figure, its interval, chance and lift', () => {
    expect(rowOf(resultWith())).toMatchObject({
      attack: 'aia-model',
      what: 'union of client 0',
      value: 'accuracy 0.900',
      interval: '0.800..0.950',
      chance: '0.500',
      lift: '0.80',
      cells: '',
      note: '',
    })
    const cells = { everybody: 0.7, record: 0.96, client: 0.88 }
    const asked = resultWith({ findings: [findingWith(scoreWith(), undefined, { cells })] })
    expect(rowOf(asked).cells).toBe('e 0.700  c 0.880  r 0.960')
    const claims = [
      { kind: 'attribute', name: 'union' },
      { kind: 'property', property: 'ascent' },
    ] as const
    const findings = claims.map((claim) => findingWith(null, claim))
    expect(rowOf(resultWith({ target: null, findings }))).toMatchObject({
      what: 'union, ascent',
      value: '-',
      interval: '',
      chance: '-',
      lift: '-',
    })
    expect(rowOf(resultWith({ claim: { kind: 'model' } })).what).toBe('model of client 0')
    expect(rowOf(resultWith({ score: scoreWith({ chance: null, lift: null }) }))).toMatchObject({
      chance: '-',
      lift: '-',
    })
  })

  test('of a protocol has what is stated beside what was heard', () => {
    const details = { stated: 'SGD 0.01', heard: 'Adam 0.001' }
    const fit = { stated: {}, heard: {}, p: 1e-9 } as never
    const claim = { kind: 'protocol' } as const
    const { what } = rowOf(resultWith({ attack: 'protocol', target: '0', claim, details, fit }))
    expect(what).toBe('protocol of client 0 (stated: SGD 0.01; heard: Adam 0.001)')
    expect(rowOf(resultWith({ details })).what).toBe('union of client 0')
  })

  test('stands for each result that differs in more than the seed', () => {
    const results = [
      resultWith(),
      resultWith({ target: '1' }),
      resultWith({ model: 'mlp-8' }),
      resultWith({ params: { from: 'lmra-ols' } }),
      resultWith({ sameAs: 'eavesdropper' }),
      resultWith({ attack: 'dlg' }),
      resultWith({ observer: 'eavesdropper' }),
    ]
    expect(rowsOf(results)).toHaveLength(7)
    expect(rowsOf([...results, ...results.map((one) => ({ ...one, seed: 2 }))])).toHaveLength(7)
  })

  test('names the parameters where the same attack ran with others', () => {
    const from = resultWith({ params: { from: 'lmra-ols' } })
    expect(rowsOf([resultWith(), from, resultWith({ attack: 'dlg', params: { steps: 3 } })])).toMatchObject([
      { attack: 'aia-model' },
      { attack: 'aia-model from=lmra-ols' },
      { attack: 'dlg' },
    ])
  })

  test('of several seeds has means and the standard deviation', () => {
    const seeds = [
      { value: 0.6, chance: 0.5, lift: 0.2 },
      { value: 0.8, chance: 0.4, lift: 2 / 3 },
      { value: 0.7, chance: 0.6, lift: 0.25 },
    ]
    const group = seeds.map((one, i) =>
      resultWith({ seed: i + 1, score: scoreWith({ ...one, interval: [0.55, 0.99] }) }),
    )
    const [row] = rowsOf(group)
    // mean of 0.6, 0.8, 0.7 and their deviation with n - 1
    expect(row).toMatchObject({ value: 'accuracy 0.700', interval: '+-0.100 (n=3)', chance: '0.500', lift: '0.37' })
    expect(row!.score).toMatchObject({ value: expect.closeTo(0.7), lift: expect.closeTo(0.37, 2), interval: null })
  })

  test('of several seeds leaves out what has no figure', () => {
    const failed = resultWith({ status: 'failed', error: { code: 'E_TIME', message: '' }, seed: 2 })
    expect(rowsOf([failed, { ...failed, seed: 3 }])).toMatchObject([{ value: '-', note: 'out of time' }])
    expect(rowsOf([resultWith(), failed, { ...failed, seed: 3 }])).toMatchObject([
      { value: 'accuracy 0.900', interval: '+-0.000 (n=1)', note: 'out of time' },
    ])
    const unguessable = scoreWith({ chance: null, lift: null })
    expect(rowsOf([resultWith({ score: unguessable }), resultWith({ score: unguessable, seed: 2 })])).toMatchObject([
      { chance: '-', lift: '-', score: { chance: null, lift: null } },
    ])
  })
})

test('attacks that could not run are named once, with the models where elsewhere they could', () => {
  const absent = resultWith({ status: 'not-applicable', missing: ['exchanges', 'target'] })
  expect(absentees([absent, { ...absent, target: '1' }])).toEqual([
    { attack: 'aia-model', why: 'lacks exchanges, target' },
  ])
  const from = { ...absent, params: { from: 'lmra-ols' } }
  expect(absentees([resultWith(), from])).toMatchObject([{ attack: 'aia-model from=lmra-ols' }])
  const linearOnly = { ...absent, attack: 'lmra-ols', model: 'mlp-8', missing: [], why: 'not a linear model' }
  expect(absentees([resultWith({ attack: 'lmra-ols', model: 'linear' }), linearOnly, absent, resultWith()])).toEqual([
    { attack: 'lmra-ols (mlp-8)', why: 'not a linear model' },
    { attack: 'aia-model', why: 'lacks exchanges, target' },
  ])
  expect(absentees([resultWith()])).toEqual([])
})
