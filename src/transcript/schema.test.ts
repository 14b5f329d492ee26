import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import '../audit/catalogue.js'
import { modelShapes } from './model-schema.js'
import { knowledgeSchema, knownShapes, manifestSchema, roundSchema, truthSchema } from './schema.js'

/** What a key may hold at the edge, and what lies just beyond it. */
type Edges = readonly (readonly [right: object, wrong: object])[]
const holds = (schema: z.ZodType, base: object, edges: Edges): void => {
  for (const [right, wrong] of edges) {
    expect(schema.safeParse({ ...base, ...right }).success, JSON.stringify(right)).toBe(true)
    expect(schema.safeParse({ ...base, ...wrong }).success, JSON.stringify(wrong)).toBe(false)
  }
}

test('rounds are counted from 0, and rates of learning are above 0', () => {
  holds(roundSchema, {}, [
    [{ round: 0 }, { round: -1 }],
    [{ learningRate: 1e-9 }, { learningRate: 0 }],
    [{ sha256: 'aB'.repeat(32) }, { sha256: 'a'.repeat(63) }],
    [{ participants: ['a'] }, { participants: [''] }],
  ])
  expect(roundSchema.parse({})).toEqual({ participants: null, dropped: [], tampered: [], learningRate: null })
})

describe('a manifest', () => {
  const least = { format: 'overhear-transcript/1', loss: 'mse', protocol: { share: 'delta' }, clients: [], rounds: [] }
  const protocol = (more: object): object => ({ protocol: { share: 'delta', ...more } })
  const privacy = (more: object): object => protocol({ differentialPrivacy: { mechanism: 'm', ...more } })

  test('has names of a letter at least, sizes from 1 and numbers from 0', () => {
    holds(manifestSchema(), least, [
      [{ clients: { count: 1 } }, { clients: { count: 0 } }],
      [{ clients: [{ id: 'a', samples: 0 }] }, { clients: [{ id: 'a', samples: -1 }] }],
      [{ parameters: [{ name: 'w', shape: [1] }] }, { parameters: [{ name: '', shape: [1] }] }],
      [{ parameters: [{ name: 'w', shape: [] }] }, { parameters: [{ name: 'w', shape: [0] }] }],
      [{ recordedFor: `eavesdropper:${'a'.repeat(128)}` }, { recordedFor: `eavesdropper:${'a'.repeat(129)}` }],
      [{ model: { kind: 'linear', inputs: 1, outputs: 1 } }, { model: { kind: 'linear', inputs: 0, outputs: 1 } }],
      [protocol({ algorithm: 'a' }), protocol({ algorithm: '' })],
      [protocol({ dropout: 0.999 }), protocol({ dropout: 1 })],
      [protocol({ aggregation: 'a' }), protocol({ aggregation: '' })],
      [protocol({ mixup: { alpha: 0.1 } }), protocol({ mixup: { alpha: 0 } })],
      [protocol({ optimizer: { name: 'a' } }), protocol({ optimizer: { name: '' } })],
      [protocol({ schedule: null }), protocol({ schedule: { name: 'step' } })],
    ])
    expect(manifestSchema().safeParse({ ...least, parameters: [] }).success).toBe(false)
  })

  test('says of privacy what is between nothing and all', () => {
    holds(manifestSchema(), least, [
      [privacy({ mechanism: 'x' }), privacy({ mechanism: '' })],
      [privacy({ maxNorm: 0.1 }), privacy({ maxNorm: 0 })],
      [privacy({ noiseMultiplier: 0 }), privacy({ noiseMultiplier: -0.1 })],
      [privacy({ sampleRate: 1 }), privacy({ sampleRate: 1.1 })],
      [privacy({ delta: 1 }), privacy({ delta: 1.1 })],
      [privacy({ accountant: 'x' }), privacy({ accountant: '' })],
      [privacy({ epsilon: 0 }), privacy({ epsilon: -1 })],
    ])
  })

  test('means by silence what others do: a weighted mean, nothing dropped, nothing secret', () => {
    const read = manifestSchema().parse(least)
    expect(read.protocol).toMatchObject({ dropout: 0, aggregation: 'weighted-mean', secureAggregation: false, differentialPrivacy: null, algorithm: 'fedavg', momentum: 0 }) // biome-ignore format: a line
    expect(read).toMatchObject({ source: null, recordedFor: 'server' })
    expect(read.protocol).not.toHaveProperty('optimizer')
  })

  test('its keys are known, those of plain settings and of what stands beside them', () => {
    const known = Object.keys(knownShapes.protocol())
    for (const key of ['share', 'learningRate', 'optimizer', 'dropout', 'mixup']) expect(known).toContain(key)
    expect(known).not.toContain('rounds')
    expect(Object.keys(knownShapes.model('linear'))).toContain('inputs')
    expect(knownShapes.model('nobody')).toEqual({})
    expect(Object.keys(modelShapes())).toContain('opaque')
  })
})

test('knowledge: sizes from 1, places from 0, lists of one at least', () => {
  const sensitive = (more: object): object => ({ sensitive: [{ name: 's', columns: ['c'], kind: 'binary', values: [[0], [1]], ...more }] }) // biome-ignore format: a line
  const counts = (more: object): object => ({ turnCounts: [{ from: 0, to: 0, clients: { a: 0 }, ...more }] })
  holds(knowledgeSchema, { format: 'overhear-knowledge/1' }, [
    [{ round: 0 }, { round: -1 }],
    [{ batchSize: 1 }, { batchSize: 0 }],
    [{ records: { file: 'f' } }, { records: { file: '' } }],
    [{ records: { file: 'f', label: ['y'] } }, { records: { file: 'f', label: [] } }],
    [{ records: { file: 'f', metaclasses: ['m'] } }, { records: { file: 'f', metaclasses: [] } }],
    [sensitive({}), { sensitive: [] }],
    [sensitive({}), sensitive({ name: '' })],
    [sensitive({}), sensitive({ columns: [] })],
    [sensitive({}), sensitive({ values: [[0]] })],
    [sensitive({ values: [0, 1] }), sensitive({ values: [0, 1, 2] })],
    [{ metaclassCounts: [0] }, { metaclassCounts: [-1] }],
    [{ property: { name: 'p', record: 0 } }, { property: { name: 'p', record: -1 } }],
    [{ property: { name: 'p' } }, { property: { name: '' } }],
    [counts({}), { turnCounts: [] }],
    [counts({}), counts({ from: -1 })],
    [counts({}), counts({ to: -1 })],
    [counts({}), counts({ clients: { a: -1 } })],
  ])
})

test('truth: the same, and files have names', () => {
  const batch = (more: object): object => ({ batches: [{ round: 0, client: 'a', rows: [0], ...more }] })
  holds(truthSchema, { format: 'overhear-truth/1' }, [
    [{ clients: { a: { file: 'f', heldBack: 'h' } } }, { clients: { a: { file: 'f', heldBack: '' } } }],
    [batch({}), batch({ round: -1 })],
    [batch({}), batch({ rows: [-1] })],
    [{ optimum: { a: 'f' } }, { optimum: { a: '' } }],
    [{ participation: [{ round: 0, clients: [] }] }, { participation: [{ round: -1, clients: [] }] }],
  ])
})
