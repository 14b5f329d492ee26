import { describe, expect, test } from 'vitest'
import { OverhearError } from '../errors.js'
import { parametersOf } from '../models/index.js'
import { type ManifestInput, manifestJsonSchema, manifestOf, parseManifest } from './manifest.js'
import { parseRoundLines, roundEntries } from './round-list.js'

const least: ManifestInput = {
  format: 'overhear-transcript/1',
  model: { kind: 'mlp', inputs: 8, hidden: [4], outputs: 1 },
  loss: 'mse',
  protocol: { share: 'parameters' },
  clients: [{ id: '0' }, { id: '1', samples: 602 }],
  rounds: [{ round: 0, participants: ['0', '1'] }],
}
const parse = (json: unknown) => manifestOf(json, parametersOf)
const entriesOf = async (json: unknown) => {
  const { value, rounds } = await parse(json)
  return roundEntries(rounds as never, value.clients, 'transcript.json')
}

describe('what a manifest means', () => {
  test('required keys alone are enough', async () => {
    const { value, warnings } = await parse(least)
    expect(warnings).toEqual([])
    expect(value).toMatchObject({
      source: null,
      recordedFor: { kind: 'server' },
      model: { activation: 'relu', outputActivation: 'identity', bias: true },
      protocol: {
        algorithm: 'fedavg',
        localEpochs: 1,
        localSteps: null,
        batchSize: null,
        learningRate: null,
        momentum: 0,
        proxMu: 0,
        dropout: 0,
        lossScale: 1,
        aggregateWeights: 'one',
        aggregation: 'weighted-mean',
        secureAggregation: false,
        differentialPrivacy: null,
      },
      clients: [
        { id: '0', samples: null },
        { id: '1', samples: 602 },
      ],
    })
    expect(value.parameters.map(({ shape }) => shape)).toEqual([[4, 8], [4], [1, 4], [1]])
    expect(await entriesOf(least)).toEqual([
      {
        round: 0,
        file: 'rounds/000000.safetensors',
        participants: ['0', '1'],
        dropped: [],
        tampered: [],
        learningRate: null,
      },
    ])
  })

  test('a crowd, an eavesdropper, a file of rounds, steps for epochs', async () => {
    const { value, rounds } = await parse({
      ...least,
      recordedFor: 'eavesdropper:a.b',
      clients: { count: 1_000_000, samples: 20 },
      rounds: 'rounds.jsonl',
      protocol: { share: 'gradient', localSteps: 5 },
    })
    expect(rounds).toBe('rounds.jsonl')
    expect(value).toMatchObject({
      recordedFor: { kind: 'eavesdropper', client: 'a.b' },
      clients: { count: 1_000_000, samples: 20 },
      protocol: { localSteps: 5, localEpochs: null },
    })
  })

  test('names are free, shapes and order are not', async () => {
    const shapes = [[4, 8], [4], [1, 4], [1]]
    const named = shapes.map((shape, i) => ({ name: `p${i}`, shape }))
    expect((await parse({ ...least, parameters: named })).value.parameters).toEqual(named)
    await expect(parse({ ...least, parameters: named.toReversed() })).rejects.toThrow(
      /shapes \[1\], \[1, 4\].*has \[4, 8\], \[4\]/,
    )
    const bare = { ...least, model: { ...(least.model as object), bias: false } }
    expect((await parse({ ...bare, parameters: [named[0], named[2]] })).value.parameters).toHaveLength(2)
    await expect(parse({ ...bare, parameters: named })).rejects.toThrow(OverhearError)
  })

  test('without a model the parameters must be there', async () => {
    const { model: _, ...rest } = least
    await expect(parse(rest)).rejects.toThrow(/parameters is missing/)
    await expect(parse({ ...rest, model: { kind: 'opaque' } })).rejects.toThrow(/parameters is missing/)
    expect((await parse({ ...rest, parameters: [{ name: 'w', shape: [] }] })).value.model).toEqual({ kind: 'opaque' })
  })

  test('every kind of model has its parameters', async () => {
    const kinds = [
      { kind: 'linear', inputs: 2, outputs: 1 },
      { kind: 'logistic', inputs: 2 },
      { kind: 'softmax', inputs: 2, outputs: 3 },
      { kind: 'lenet-mnist' },
      { kind: 'lenet-cifar' },
      { kind: 'lenet-dlg', inputs: [3, 32, 32], outputs: 100 },
    ]
    const counts = await Promise.all(
      kinds.map(async (model) => (await parse({ ...least, model })).value.parameters.length),
    )
    expect(counts).toEqual([2, 2, 2, 8, 10, 8])
    // An unknown key of the file must not reach the model's options: logistic takes no hidden layer.
    expect(
      (await parse({ ...least, model: { kind: 'logistic', inputs: 2, hidden: [3] } })).value.parameters,
    ).toHaveLength(2)
  })

  test('unknown keys are kept, and named with the nearest', async () => {
    const { value, warnings } = await parse({ ...least, note: 'x', protocol: { share: 'delta', learningrate: 0.1 } })
    expect(value).toMatchObject({ note: 'x', protocol: { learningrate: 0.1 } })
    expect(warnings).toEqual([
      'transcript.json: unknown key protocol.learningrate is kept and ignored (did you mean "learningRate"?)',
      expect.stringContaining('unknown key note'),
    ])
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key${i}`, i]))
    expect((await parse({ ...least, ...many })).warnings.length).toBeLessThan(30)
  })
})

test.each<[string, object, RegExp]>([
  ['other format', { format: 'overhear-transcript/2' }, /format is "overhear-transcript\/2"; allowed: "overhear-tr/],
  ['no share', { protocol: {} }, /protocol\.share is missing; allowed: "parameters", "delta", "gradient"/],
  ['bad share', { protocol: { share: 'weights' } }, /protocol\.share is "weights"; allowed: "parameters"/],
  ['rate', { protocol: { share: 'delta', learningRate: '0.1' } }, /learningRate is "0.1"; allowed: a finite number/],
  ['infinite', { protocol: { share: 'delta', momentum: Infinity } }, /protocol\.momentum/],
  ['no clients', { clients: undefined }, /clients is missing; allowed: a list, or an object/],
  ['bad id', { clients: [{ id: 'a/b' }] }, /clients\[0\]\.id is "a\/b"; allowed: a string that matches/],
  ['same id', { clients: [{ id: '0' }, { id: '0' }] }, /clients holds "0" twice/],
  ['bad samples', { clients: { count: 2, samples: 1.5 } }, /clients\.samples is 1\.5; allowed: a whole number/],
  ['unknown model', { model: { kind: 'resnet' } }, /model\.kind is "resnet"; allowed: "linear"/],
  ['model is text', { model: 'mlp' }, /model is "mlp"; allowed: an object/],
  ['bad size', { model: { kind: 'linear', inputs: 0, outputs: 1 } }, /model\.inputs is 0; allowed: a number from 1/],
  ['recorded for', { recordedFor: 'me' }, /recordedFor is "me"/],
  ['huge parameters', { model: undefined, parameters: [{ name: 'w', shape: [1e15, 1e15] }] }, /too many/],
  ['same name', { model: undefined, parameters: ['w', 'w'].map((name) => ({ name, shape: [1] })) }, /"w" twice/],
  ['rounds', { rounds: 'other.jsonl' }, /rounds is "other\.jsonl"; allowed: "rounds\.jsonl", or a list/],
])('%s is an error that names the key', async (_, change, message) => {
  await expect(parse({ ...least, ...change })).rejects.toThrow(message)
  await expect(parse({ ...least, ...change })).rejects.toThrow(OverhearError)
})

test.each<[string, object[], RegExp]>([
  ['a path outside', [{ file: '../x' }], /entry 0: file: the path is "\.\.\/x"/],
  ['an unknown participant', [{ participants: ['7'] }], /participants of round 0 holds "7"/],
  ['a participant twice', [{ participants: ['0', '0'] }], /"0" twice/],
  ['dropped and present', [{ participants: ['0'], dropped: ['0'] }], /participants and in dropped/],
  ['falling rounds', [{ round: 3 }, { round: 3 }], /round is 3 after 3/],
])('%s is an error', async (_, rounds, message) => {
  await expect(entriesOf({ ...least, rounds })).rejects.toThrow(message)
})

describe('rounds.jsonl', () => {
  const lines = ['{"round":0,"participants":["0"]}', '{"round":4}']
  test('a torn last line is dropped wherever it was cut', async () => {
    const whole = `${lines.join('\n')}\n`
    for (let cut = lines[0]!.length + 1; cut <= whole.length; cut++) {
      const { value, warnings } = await parseRoundLines(whole.slice(0, cut))
      const complete = cut >= whole.length - 1
      expect(value.map(({ round }) => round)).toEqual(complete ? [0, 4] : [0])
      expect(warnings.length).toBe(complete || cut === lines[0]!.length + 1 ? 0 : 1)
    }
    expect((await parseRoundLines('')).value).toEqual([])
  })
  test('a bad line elsewhere is an error with its number', async () => {
    await expect(parseRoundLines(`{"round":0\n${lines[1]}\n`)).rejects.toThrow(/line 1 is not JSON/)
    await expect(parseRoundLines(`{"round":-1}\n`)).rejects.toThrow(/line 1: round is -1/)
  })
})

test('repeated keys and wrong JSON are errors', async () => {
  await expect(parseManifest('{"format":1,"format":2}', parametersOf)).rejects.toThrow(/"format" stands there twice/)
  await expect(parseManifest('[]', parametersOf)).rejects.toThrow(/the whole is a list of 0; allowed: an object/)
})

test('the JSON Schema asks for what is required and no more', async () => {
  expect(await manifestJsonSchema()).toMatchObject({
    required: ['format', 'loss', 'protocol', 'clients', 'rounds'],
    properties: { protocol: { required: ['share'] }, recordedFor: { default: 'server' } },
  })
})
