import { describe, expect, test } from 'vitest'
import { type LinearOptions, linearFederation, relativeError, truthOf } from '../../test/linear-federation.js'
import { parametersOf } from '../models/index.js'
import type { ManifestInput } from '../transcript/manifest.js'
import { memoryFolder } from '../transcript/memory-folder.js'
import { openTranscript } from '../transcript/read-transcript.js'
import type { TruthFile } from '../transcript/truth-file.js'
import { openWriter } from '../transcript/write-transcript.js'
import { boundsOf, type Estimator } from './bounds.js'
import { aimedAt } from './recorded/aimed-knowledge.js'

const options: LinearOptions = {
  d: 3,
  clients: 4,
  taking: 3,
  rounds: 60,
  records: 40,
  batchSize: 10,
  learningRate: 0.02,
}
const stated = {
  share: 'parameters',
  optimizer: { name: 'sgd' },
  weightDecay: 0,
  clipNorm: null,
  dropLast: false,
  compression: null,
  schedule: null,
}
const ols: Estimator = { needs: ['exchanges', 'target'], details: { form: 'direct', select: 'all' } }

async function boundsIn(change: LinearOptions = {}, protocol: object = {}, by: Estimator = ols) {
  const world = linearFederation({ ...options, ...change })
  const folder = memoryFolder(new Map(), 'run')
  const manifest = {
    format: 'overhear-transcript/1',
    model: { kind: 'linear', inputs: 2, outputs: 1 },
    loss: 'mse',
    protocol: { ...stated, batchSize: 10, learningRate: 0.02, localEpochs: 1, ...protocol },
    clients: [{ id: '0', samples: 40 }],
  } as unknown as ManifestInput
  const writer = await openWriter(folder, manifest, { parametersOf })
  for (const { round, received, update } of world.exchanges) {
    await writer.append({ round, participants: ['0'], global: received!, clients: new Map([['0', update]]) })
  }
  const transcript = await openTranscript(folder, { parametersOf })
  const claim = { kind: 'model', client: '0', theta: world.optimum } as const
  const truth = truthOf(world) as TruthFile
  return {
    world,
    ...(await boundsOf(claim, {
      sources: { transcript, knowledge: aimedAt(undefined, transcript, '0')! },
      truth,
      base: undefined,
      by,
    })),
  }
}

describe('bounds on a reconstructed model', () => {
  test('come with what they rest on', async () => {
    const { figures, notes, world } = await boundsIn()
    expect(Object.keys(figures)).toEqual(['obs6Floor', 'obs5Ceiling'])
    expect(figures.obs6Floor).toBeLessThan(figures.obs5Ceiling!)
    expect(notes[0]).toMatch(/^obs6Floor is relative .* learning rate times curvature up to 0.5 \(here 0\.\d+\)/)
    expect(notes[1]).toContain('each carries the noise')
    // Far from both: a constant of 1/555 below, a worst case above.
    const last = world.exchanges.at(-1)!.update as { theta: Float64Array }
    expect(relativeError(last.theta, world.optimum)).toBeGreaterThan(figures.obs6Floor!)
  })

  test('Theorem 1 is of the inverse form, with its caveat', async () => {
    const { figures, notes } = await boundsIn({}, {}, { ...ols, details: { form: 'inverse', select: 'all' } })
    expect(Object.keys(figures)).toEqual(['obs6Floor', 'theorem1Ceiling'])
    expect(notes[1]).toContain('the estimate stays biased however many messages there are')
  })

  test.each([
    ['a large rate', { learningRate: 0.6 }, { learningRate: 0.6 }],
    ['momentum', {}, { momentum: 0.9 }],
    ['Adam', {}, { optimizer: { name: 'adam' } }],
    ['an optimiser that is not stated', {}, { optimizer: undefined }],
    ['weight decay', {}, { weightDecay: 0.1 }],
    ['a proximal term', {}, { proxMu: 0.1 }],
    ['dropout', {}, { dropout: 0.1 }],
    ['noise that is added', {}, { differentialPrivacy: { mechanism: 'dp-sgd' } }],
    ['full batches', { batchSize: null }, { batchSize: null }],
  ])('none where a condition does not hold: %s', async (_, change, protocol) => {
    expect(await boundsIn(change, protocol)).toMatchObject({ figures: {}, notes: [] })
  })

  test('none for an attacker who knows records, or who sends models', async () => {
    for (const key of ['records', 'tampered'] as const) {
      expect((await boundsIn({}, {}, { ...ols, needs: [key] })).figures).toEqual({})
    }
  })

  test('the floor alone for an estimator that no ceiling is of', async () => {
    expect(Object.keys((await boundsIn({}, {}, { ...ols, details: {} })).figures)).toEqual(['obs6Floor'])
  })
})
