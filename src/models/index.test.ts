import { describe, expect, test } from 'vitest'
import {
  architectureOf,
  createModel,
  type ModelSpec,
  modelEntry,
  models,
  parametersOf,
  recordedModel,
} from './index.js'
import { lenetMnist } from './lenet-mnist.js'
import { logistic } from './logistic.js'
import { parameterCount } from './model.js'

const shapes = (spec: ModelSpec) => createModel(spec).parameters.map(({ name, shape, fanIn, fanOut, role }) => [name, shape.join('x'), fanIn, fanOut, role]) // biome-ignore format: a line

describe('what models are made of', () => {
  test('a linear model is a weight and a bias, or a weight alone', () => {
    expect(shapes({ kind: 'linear', inputs: 3, outputs: 2 })).toEqual([
      ['layers.0.weight', '2x3', 3, 2, 'weight'],
      ['layers.0.bias', '2', 3, 2, 'bias'],
    ])
    expect(shapes({ kind: 'linear', inputs: 3, outputs: 2, bias: false })).toHaveLength(1)
  })

  test('LeNets have the layers of their papers', () => {
    expect(shapes({ kind: 'lenet-mnist', outputs: 7 })).toEqual([
      ['conv1.weight', '10x1x5x5', 25, 250, 'weight'],
      ['conv1.bias', '10', 25, 250, 'bias'],
      ['conv2.weight', '20x10x5x5', 250, 500, 'weight'],
      ['conv2.bias', '20', 250, 500, 'bias'],
      ['fc1.weight', '50x320', 320, 50, 'weight'],
      ['fc1.bias', '50', 320, 50, 'bias'],
      ['fc2.weight', '7x50', 50, 7, 'weight'],
      ['fc2.bias', '7', 50, 7, 'bias'],
    ])
    expect(shapes({ kind: 'lenet-cifar' }).map(([name, shape]) => `${name} ${shape}`)).toEqual([
      ...['conv1.weight 6x3x5x5', 'conv1.bias 6', 'conv2.weight 16x6x5x5', 'conv2.bias 16'],
      ...['fc1.weight 120x400', 'fc1.bias 120', 'fc2.weight 84x120', 'fc2.bias 84', 'fc3.weight 10x84', 'fc3.bias 10'],
    ])
    // Heights and widths of a picture that is not square: 8, 4, 2, 2 and 6, 3, 2, 2.
    expect(
      shapes({ kind: 'lenet-dlg', inputs: [2, 8, 6], outputs: 3 }).map(([name, shape]) => `${name} ${shape}`),
    ).toEqual([
      ...['conv1.weight 12x2x5x5', 'conv1.bias 12', 'conv2.weight 12x12x5x5', 'conv2.bias 12'],
      ...['conv3.weight 12x12x5x5', 'conv3.bias 12', 'fc.weight 3x48', 'fc.bias 3'],
    ])
  })

  test('how many numbers they hold, and which pictures they take', () => {
    const said = (
      [
        { kind: 'lenet-mnist' },
        { kind: 'lenet-cifar' },
        { kind: 'lenet-dlg', inputs: [2, 8, 6], outputs: 3 },
        { kind: 'mlp', inputs: 4, hidden: [3, 2], outputs: 1 },
      ] as const
    ).map((spec) => {
      // biome-ignore format: a list
      const model = createModel(spec as ModelSpec)
      return [model.kind, parameterCount(model), model.inputs, model.picture, model.outputs]
    })
    expect(said).toEqual([
      ['lenet-mnist', 21_840, 784, [1, 28, 28], 10],
      ['lenet-cifar', 62_006, 3072, [3, 32, 32], 10],
      ['lenet-dlg', 12 * 51 + 2 * 12 * 301 + 3 * 49, 96, [2, 8, 6], 3],
      ['mlp', 5 * 3 + 4 * 2 + 3, 4, undefined, 1],
    ])
  })

  test('what ends them, what they are trained with, and what is known of their layers', () => {
    const said = (spec: ModelSpec) => {
      const { outputActivation, defaultLoss, penultimate, affine, dense } = createModel(spec)
      return [outputActivation, defaultLoss, penultimate, affine, dense?.hidden, dense?.activation, dense?.bias]
    }
    const mlp = { kind: 'mlp', inputs: 2, outputs: 2 } as const
    expect(said({ kind: 'linear', inputs: 2, outputs: 1 })).toEqual([
      'identity',
      'mse',
      'signed',
      true,
      [],
      'relu',
      true,
    ])
    expect(said({ kind: 'logistic', inputs: 2 })).toEqual([
      'sigmoid',
      'binary-cross-entropy',
      'signed',
      false,
      [],
      'relu',
      true,
    ])
    expect(said({ kind: 'softmax', inputs: 2, outputs: 2 })).toEqual([
      'softmax',
      'cross-entropy',
      'signed',
      false,
      [],
      'relu',
      true,
    ])
    expect(said(mlp)).toEqual(['identity', 'mse', 'signed', true, [], 'relu', true])
    expect(said({ ...mlp, hidden: [2] })).toEqual(['identity', 'mse', 'positive', false, [2], 'relu', true])
    expect(said({ ...mlp, hidden: [2], activation: 'sigmoid', bias: false })).toEqual([
      'identity',
      'mse',
      'positive',
      false,
      [2],
      'sigmoid',
      false,
    ])
    expect(said({ ...mlp, hidden: [2], activation: 'tanh', outputActivation: 'softplus' })).toEqual([
      'softplus',
      'mse',
      'signed',
      false,
      [2],
      'tanh',
      true,
    ])
    expect(said({ kind: 'lenet-mnist' }).slice(0, 4)).toEqual(['softmax', 'cross-entropy', 'positive', undefined])
  })

  test('dropout has a rate and the units of the last hidden layer; without either there is none', () => {
    const mlp = { kind: 'mlp', inputs: 2, outputs: 1 } as const
    expect(createModel({ ...mlp, hidden: [5, 4], dropout: 0.25 }).dropout).toEqual({ rate: 0.25, units: 4 })
    expect(createModel({ kind: 'lenet-mnist', dropout: 0.5 }).dropout).toEqual({ rate: 0.5, units: 50 })
    for (const spec of [{ ...mlp, dropout: 0.25 }, { ...mlp, hidden: [5] }, { kind: 'lenet-mnist' }] as const) {
      expect('dropout' in createModel(spec)).toBe(false)
    }
    expect('dropout' in lenetMnist()).toBe(false)
    expect(lenetMnist().outputs).toBe(10)
    expect(logistic({ inputs: 2 }).outputs).toBe(1)
  })
})

describe('sizes that data ask for', () => {
  const sizes = (kind: string, data: object) =>
    modelEntry(kind).sizes({ inputs: 4, labels: 3, ...data } as Parameters<ReturnType<typeof modelEntry>['sizes']>[0])

  test('an output for each class, else for each label', () => {
    for (const kind of ['linear', 'mlp']) {
      expect(sizes(kind, {})).toEqual({ inputs: 4, outputs: 3 })
      expect(sizes(kind, { classes: 5 })).toEqual({ inputs: 4, outputs: 5 })
    }
    expect(sizes('softmax', { classes: 5 })).toEqual({ inputs: 4, outputs: 5 })
    expect(sizes('softmax', {})).toEqual({ refused: 'which has no classes', hint: 'take linear or mlp' })
  })

  test('logistic regression needs two classes', () => {
    expect(sizes('logistic', { classes: 2 })).toEqual({ inputs: 4, outputs: 1 })
    const hint = 'it needs two; take linear, softmax or mlp'
    expect(sizes('logistic', { classes: 3 })).toEqual({ refused: 'which has 3 classes', hint })
    expect(sizes('logistic', {})).toEqual({ refused: 'which has no classes', hint })
  })

  test('a LeNet takes its pictures with classes; what fits no picture is told by the sizes', () => {
    const without = { refused: 'which has no classes', hint: 'take linear or mlp' }
    expect(sizes('lenet-mnist', { inputs: 784, classes: 4 })).toEqual({ outputs: 4 })
    expect(sizes('lenet-mnist', { inputs: 784 })).toEqual(without)
    expect(sizes('lenet-mnist', { inputs: 785 })).toEqual({ outputs: 1 })
    expect(sizes('lenet-cifar', { inputs: 3072 })).toEqual(without)
    expect(sizes('lenet-dlg', { picture: [1, 2, 2], classes: 4 })).toEqual({ inputs: [1, 2, 2], outputs: 4 })
    expect(sizes('lenet-dlg', { picture: [1, 2, 2] })).toEqual(without)
    expect(sizes('lenet-dlg', { classes: 4 })).toEqual({ refused: 'which holds no pictures', hint: 'take linear, softmax or mlp' }) // biome-ignore format: a line
  })
})

describe('models from plain data', () => {
  const made = (spec: object) => () => createModel(spec as ModelSpec)

  test('sizes that are missing or wrong are named', () => {
    const whole = 'sizes are whole numbers from 1'
    expect(made({ kind: 'linear', outputs: 1 })).toThrow(`linear: inputs is missing; ${whole}`)
    expect(made({ kind: 'linear', inputs: '3', outputs: 1 })).toThrow(`linear: inputs is "3"; ${whole}`)
    for (const inputs of [0, 1.5])
      expect(made({ kind: 'softmax', inputs, outputs: 2 })).toThrow(`inputs is ${inputs}; ${whole}`)
    expect(made({ kind: 'linear', inputs: 1 })).toThrow(`linear: outputs is missing; ${whole}`)
    expect(made({ kind: 'logistic', inputs: 1, outputs: 0 })).toThrow(`logistic: outputs is 0; ${whole}`)
    expect(made({ kind: 'mlp', inputs: 1, outputs: 1, hidden: [2, 0] })).toThrow('hidden')
  })

  test('a picture is three whole numbers', () => {
    const needed = 'channels, height and width are needed: three whole numbers from 1'
    for (const inputs of [64, [1, 8], [1, 8, 8, 1], [1, 8, 0], [1, 8.5, 8]]) {
      expect(made({ kind: 'lenet-dlg', inputs, outputs: 2 })).toThrow(
        `lenet-dlg: inputs is ${JSON.stringify(inputs)}; ${needed}`,
      )
    }
    expect(made({ kind: 'lenet-dlg', inputs: [1, 8, 8] })).toThrow('lenet-dlg: outputs is missing')
  })

  test('unknown kinds and options are refused', () => {
    expect(made({ kind: 'forest', inputs: 1 })).toThrow('forest')
    expect(made({ kind: 'linear', inputs: 1, outputs: 1, hidden: [3] })).toThrow('hidden')
  })

  test('of a manifest, what its kind does not have changes nothing; what acts in training comes from the protocol', () => {
    const spec = { kind: 'mlp', inputs: 2, outputs: 1, hidden: [3], weight: 7, dropout: 0.9 }
    expect(recordedModel(spec).dropout).toBeUndefined()
    expect(recordedModel(spec, { dropout: 0.5, hidden: [9] }).dropout).toEqual({ rate: 0.5, units: 3 })
    expect(parametersOf(spec).map(({ shape }) => shape)).toEqual([[3, 2], [3], [1, 3], [1]])
    expect(architectureOf({ kind: 'mlp', inputs: 2, outputs: 1, hidden: [3], dropout: 0.9 })).toEqual({
      ...{ kind: 'mlp', inputs: 2, outputs: 1, hidden: [3] },
    })
    expect(architectureOf({ kind: 'linear', inputs: 2, outputs: 1, bias: false })).toEqual({ kind: 'linear', inputs: 2, outputs: 1, bias: false }) // biome-ignore format: a line
  })

  test('the table has seven, and short names for folders', () => {
    expect(Object.keys(models)).toEqual([
      'linear',
      'logistic',
      'softmax',
      'mlp',
      'lenet-mnist',
      'lenet-cifar',
      'lenet-dlg',
    ])
    const { shortName } = modelEntry('mlp')
    expect(shortName!({ hidden: [] } as never)).toBe('mlp')
    expect(shortName!({ hidden: [8, 4] } as never)).toBe('mlp-8-4')
  })
})
