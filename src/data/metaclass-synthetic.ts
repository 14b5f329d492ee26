/** The synthetic regression of [labels] 5.1: groups of records, each group with a mean and a linear law of its own. */
import { number, whole } from '../params.js'
import { checkedSource } from './dataset.js'
import { defineDataset } from './dataset-entry.js'
import { checkSize } from './sensible-size.js'
import { numberColumn, tableOf, wordColumn } from './table.js'

export const metaclassSynthetic = defineDataset({
  id: 'metaclass-synthetic',
  title: 'Metaclass synthetic: normal clusters, one linear law a cluster',
  origin: 'generator',
  tasks: ['regression'],
  predicts: 'a made-up number',
  sensitive: [],
  paper: 'labels',
  params: {
    records: whole({ default: 6000, min: 1, doc: 'number of records' }),
    inputs: whole({ default: 30, min: 1, doc: 'number of features' }),
    metaclasses: whole({ default: 4, min: 1, max: 26, doc: 'number of metaclasses, drawn with equal probability' }),
    withinStd: number({ default: 0.3, min: 0, doc: 'deviation of a feature inside its metaclass (not in the paper)' }),
    noiseStd: number({ default: 0.2, min: 0, doc: 'standard deviation of the noise on the label' }),
  },
  load: ({ rng }, { records: n, inputs: d, metaclasses: N, withinStd, noiseStd }) => {
    checkSize('metaclass-synthetic', n, d)
    const laws = Array.from({ length: N }, (_, i) => ({
      mu: rng.fork('mean', i).normals(d),
      alpha: rng.fork('slope', i).normals(d),
      beta: rng.fork('intercept', i).normal(),
    }))
    const groups = rng.fork('metaclass')
    const group = Array.from({ length: n }, () => groups.integer(N))
    const z = rng.fork('features').normals(n * d)
    const noise = rng.fork('noise').normals(n, { std: noiseStd })
    const X = Array.from({ length: d }, () => new Float64Array(n))
    const y = new Float64Array(n)
    for (let k = 0; k < n; k++) {
      // [labels] Eq. (5.1): y = alpha_i . x + beta_i + noise, x ~ N(mu_i, sigma)
      const { mu, alpha, beta } = laws[group[k]!]!
      let sum = beta
      for (let j = 0; j < d; j++) {
        const x = mu[j]! + withinStd * z[k * d + j]!
        X[j]![k] = x
        sum += alpha[j]! * x
      }
      y[k] = sum + noise[k]!
    }
    const columns = X.map((values, j) => numberColumn(`x${j}`, values))
    const words = group.map((i) => String.fromCharCode(65 + i))
    return checkedSource({
      name: 'metaclass-synthetic',
      task: 'regression',
      table: tableOf([...columns, numberColumn('y', y), wordColumn('metaclass', words)]),
      rules: columns.map(({ name }) => ({ column: name, encode: 'number' })),
      label: { column: 'y', encode: 'number' },
      sensitive: [],
      metaclass: 'metaclass',
    })
  },
})
