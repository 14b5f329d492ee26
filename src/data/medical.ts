/** Medical charges of 1,338 insured people, as [aia] uses them. */
import { choice } from '../params.js'
import { checkedSource } from './dataset.js'
import { defineDataset, readerOf } from './dataset-entry.js'
import type { Rule } from './encoder.js'

const file = {
  path: 'medical/insurance.csv',
  sha256: '505c1cbc2e63d0363bac59501563df2530aadf4cdb9cfee226f4ef32f5468281',
  content: '1,338 rows: age, sex, bmi, children, smoker, region, charges',
}

const measures = ['age', 'bmi', 'children']
const attributes = ['sex', 'smoker', 'region']

export const medical = defineDataset({
  id: 'medical',
  title: 'Medical: charges of 1,338 people with a health insurance',
  origin: 'files',
  tasks: ['regression'],
  predicts: 'charges in dollars',
  sensitive: ['smoker', 'sex'],
  paper: 'aia',
  files: [file],
  obtain: 'the repository stedy/Machine-Learning-with-R-datasets on GitHub, file insurance.csv (public domain)',
  params: {
    encoding: choice({
      default: 'network',
      choices: ['network', 'linear'],
      doc: 'network: all eight inputs standardised, dollars; linear: logs standardised, dummies 0 or 1',
    }),
  },
  load: async (context, { encoding }) => {
    const table = await readerOf(context, 'medical').table(file)
    const network = encoding === 'network'
    const numeric = measures.map((column): Rule => {
      return { column, encode: network ? 'number' : 'log1p', scale: 'standardise' }
    })
    const dummies = attributes.map((column): Rule => {
      return { column, encode: 'one-hot', scale: network ? 'standardise' : 'none' }
    })
    return checkedSource({
      name: 'medical',
      task: 'regression',
      table,
      rules: [...numeric, ...dummies],
      label: network
        ? { column: 'charges', encode: 'number' }
        : { column: 'charges', encode: 'log', scale: 'standardise' },
      labelUnit: network ? 'dollars' : 'deviations of log(dollars)',
      sensitive: ['smoker', 'sex'],
    })
  },
})
