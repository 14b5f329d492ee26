/** [labels] Table 3.1: which conditions the attacks on labels of a classifier need, each met or not. */
import { together } from '../claims.js'
import { defineStudy } from '../study.js'
import { type ClassAttack, cAcc, classAttacks, classBatches, classScores, iAcc } from './class-batches.js'

const relu = { kind: 'mlp', hidden: [300, 100] } as const
const conditions = {
  'K = 1': { K: 1 },
  'K = 8: more than one record': { K: 8 },
  'K = 32: labels repeat': { K: 32 },
  'K = 8, tanh: activations of both signs': { K: 8, model: { ...relu, activation: 'tanh' } },
  'K = 8, trained for 60 rounds': { K: 8, trained: 60 },
} as const
type Condition = keyof typeof conditions
const names = Object.keys(conditions) as [Condition, Condition, Condition, Condition, Condition]
const [one, several, repeated, signed, trained] = names

export const labelsTable31 = defineStudy({
  id: 'labels-table-3-1',
  title: 'What attacks on the labels of a batch need (MNIST, MLP 784-300-100-10)',
  paper: 'labels',
  where: 'Table 3.1',
  data: ['mnist'],
  unit: 'cAcc: classes of the batch that are named, iAcc: labels that are right, %; means over 10 clients',
  seconds: { quick: 32, full: 150 },
  seeds: { quick: 1, full: 5 },
  points: () => names.map((condition) => ({ at: { condition }, effort: condition === trained ? 3 : 1 })),
  async measure({ condition }: { readonly condition: Condition }, { seed, ports }) {
    const setting: { K: number; model?: typeof relu; trained?: number } = { ...conditions[condition] }
    const rounds = setting.trained ?? 0
    const run = await classBatches({ dataset: 'mnist', clients: 10, seed, model: relu, ...setting }, ports)
    const attacks = Object.keys(classAttacks) as ClassAttack[]
    return classScores(run, { panel: condition, round: rounds, attacks })
  },
  published: [],
  departs: [
    'The marks of the table are lost in the text that we have: the columns are its heads, the sentences those of chapter 3.',
    'A client whose message an attack refuses is left out of its mean.',
    '--quick: one seed.',
  ],
  claims: [
    {
      text: 'all name the label of a single record',
      holds: together(
        (['iDLG', 'BLR', 'LLG'] as const).map((name) => [one, `${name}, ${cAcc}`] as const),
        (shares) => shares.every((share) => share >= 95),
      ),
    },
    {
      text: 'the least entry (BLR) is more robust than the sum (iDLG) when there are several records',
      holds: together(
        [
          [several, `BLR, ${cAcc}`],
          [several, `iDLG, ${cAcc}`],
        ],
        ([a, b]) => a! >= b!,
      ),
    },
    {
      text: 'iLRG counts repeated labels (as published, 90 % or more)',
      holds: together([[repeated, `iLRG, as published, ${iAcc}`]], ([share]) => share! >= 90),
    },
    {
      text: 'iLRG needs no positive activations: with signed ones it loses less than 10 points',
      holds: together(
        [
          [several, `iLRG, as published, ${iAcc}`],
          [signed, `iLRG, as published, ${iAcc}`],
        ],
        ([before, after]) => before! - after! < 10,
      ),
    },
    {
      text: 'iLRG is less effective on trained models',
      holds: together(
        [
          [several, `iLRG, as published, ${iAcc}`],
          [trained, `iLRG, as published, ${iAcc}`],
        ],
        ([before, after]) => after! < before! - 5,
      ),
    },
  ],
})
