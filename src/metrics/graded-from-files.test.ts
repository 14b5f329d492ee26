import { expect, test } from 'vitest'
import { openKnowledge } from '../transcript/knowledge-file.js'
import { memoryStore } from '../transcript/store.js'
import { openTruth } from '../transcript/truth-file.js'
import type { Grading } from './grading.js'
import { scoreClaim } from './index.js'

const bytes = (value: object | string) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

/** Truth and knowledge as they lie on disk. */
async function grading(): Promise<Grading> {
  const store = memoryStore(
    new Map([
      ['truth.json', bytes({ format: 'overhear-truth/1', clients: { 0: { file: '0.csv', label: 'pay' } } })],
      [
        '0.csv',
        bytes('age,pay,school,smoker_yes\n1,10,PhD,-0.5\n2,20,BSc,-0.5\n3,30,PhD,2\n4,40,PhD,-0.5\n5,50,BSc,-0.5\n'),
      ],
      [
        'knowledge.json',
        bytes({
          format: 'overhear-knowledge/1',
          target: '0',
          records: { file: 'public.csv', label: 'pay' },
          sensitive: [{ name: 'smoker', columns: ['smoker_yes'], kind: 'binary', values: [[-0.5], [2]] }],
          auxiliary: { file: 'aux.csv', label: 'pay', metaclass: 'school', metaclasses: ['BSc', 'PhD'] },
        }),
      ],
      ['public.csv', bytes('age,smoker_yes,pay\n1,,10\n2,,20\n3,,30\n4,,40\n5,,50\n')],
      ['aux.csv', bytes('age,smoker_yes,pay,school\n1,2,12,BSc\n2,-0.5,40,PhD\n3,-0.5,20,PhD\n4,-0.5,28,PhD\n')],
    ]),
  )
  const knowledge = await openKnowledge(store)
  return {
    truth: await openTruth(store),
    known: {
      auxiliary: await knowledge.auxiliary(),
      records: await knowledge.records(),
      sensitive: knowledge.sensitive,
      metaclass: 'school',
      metaclasses: knowledge.metaclasses,
    },
  }
}

test('metaclasses of the truth are read by the words of the knowledge', async () => {
  const at = { client: '0', round: 0 }
  const counts = await scoreClaim({ kind: 'metaclass-counts', ...at, values: [2, 3] }, await grading())
  // Auxiliary proportions 1/4 and 3/4 of five: 1.25 and 3.75.
  expect(counts).toMatchObject({ value: 0, chance: 0.75, lift: 1 })
  const means = await scoreClaim({ kind: 'metaclass-means', ...at, values: [35, 80 / 3] }, await grading())
  // Auxiliary means 12 and 88/3.
  expect(means).toMatchObject({ value: 0, lift: 1 })
  expect('chance' in means && means.chance).toBeCloseTo((23 + 8 / 3) / 2, 12)
})

test('an attribute is graded with every guesser there is', async () => {
  const claim = { kind: 'attribute', client: '0', name: 'smoker', values: [0, 0, 1, 0, 0] } as const
  const score = await scoreClaim(claim, await grading())
  expect(score).toMatchObject({ metric: 'auc', value: 1, accuracy: 1, chance: 0.5, lift: 1 })
  expect(score).toMatchObject({ also: { chanceAccuracy: 0.8 } })
  expect('also' in score && Object.keys(score.also)).toEqual(
    expect.arrayContaining(['majorityImplied', 'majorityOfAuxiliary', 'publicOnly', 'bestConstantInHindsight']),
  )
})

test('another client is missing', async () => {
  const claim = { kind: 'label-mean', client: '9', round: 0, value: 1 } as const
  expect(await scoreClaim(claim, await grading())).toEqual({ missing: ['clients.9'] })
})
