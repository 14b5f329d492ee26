import { describe, expect, test } from 'vitest'
import { madeBatch, maeOf } from '../../../../test/regression-batch.js'
import { runAttack } from '../../../audit/run-attack.js'
import { parametersOf } from '../../../models/index.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Sources } from '../../../threat/grant.js'
import type { ObserverName } from '../../../threat/observers.js'
import { openKnowledge } from '../../../transcript/knowledge-file.js'
import { openTranscript } from '../../../transcript/read-transcript.js'
import { encode } from '../../../transcript/safetensors.js'
import { memoryStore } from '../../../transcript/store.js'
import { attacks } from '../../index.js'

type Made = Awaited<ReturnType<typeof madeBatch>>

/** The batch's round on disk, in f32, with what the server knows besides. */
async function recorded(made: Made, known: object = {}): Promise<Sources> {
  const { view, aux, batch } = made
  const { received, update } = await view.exchanges.read(0)
  if (update.kind !== 'gradient') throw new Error('a gradient was expected')
  const text = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
  const d = aux.features.cols
  const lines = Array.from(aux.labels, (y, i) => {
    const row = Array.from(aux.features.data.subarray(i * d, (i + 1) * d))
    return [...row, y, view.metaclasses[aux.metaclasses[i]!]].join(',')
  })
  const tensor = (owner: string, data: Float64Array) => {
    return { name: `${owner}/*`, shape: [data.length], data, dtype: 'F32' as const }
  }
  const store = memoryStore(
    new Map([
      [
        'transcript.json',
        text({
          format: 'overhear-transcript/1',
          model: view.model,
          loss: 'mse',
          protocol: { share: 'gradient' },
          clients: [{ id: '0', samples: batch.labels.length }],
          rounds: [{ participants: ['0'] }],
        }),
      ],
      ['rounds/000000.safetensors', encode([tensor('global', received!), tensor('client/0', update.grad)])],
      [
        'knowledge.json',
        text({
          format: 'overhear-knowledge/1',
          target: '0',
          ...known,
          auxiliary: { file: 'aux.csv', label: 'y', metaclass: 'group', metaclasses: view.metaclasses },
        }),
      ],
      ['aux.csv', text([[...view.auxiliary.columns, 'y', 'group'].join(','), ...lines, ''].join('\n'))],
    ]),
  )
  return { transcript: await openTranscript(store, { parametersOf }), knowledge: await openKnowledge(store) }
}

async function claimsOf(id: string, sources: Sources, observer: ObserverName = 'server') {
  const result = await runAttack(attacks[id]!, {}, { sources, observer, rng: rng(1) })
  return result.status === 'claimed' ? result.claims[0]! : result
}

describe('a recorded round', () => {
  test('yields the mean label, the counts, and the means without any knowledge of the client', async () => {
    const made = await madeBatch({ data: { records: 900 } })
    const sources = await recorded(made)
    for (const observer of ['server', 'eavesdropper'] as const) {
      const mean = (await claimsOf('label-mean', sources, observer)) as { value: number }
      const labels = made.batch.labels
      expect(Math.abs(mean.value - labels.reduce((sum, y) => sum + y, 0) / labels.length)).toBeLessThan(0.5)
      const counts = (await claimsOf('metaclass-counts', sources, observer)) as { values: ArrayLike<number> }
      expect(maeOf(counts.values, made.counts)).toBeLessThan(3)
      const means = (await claimsOf('metaclass-means', sources, observer)) as { values: ArrayLike<number> }
      expect(maeOf(means.values, made.means)).toBeLessThan(1)
    }
    expect(await claimsOf('regression-label', sources)).toMatchObject({ missing: ['a single record'] })
  })

  test('of one record yields its label, to single precision', async () => {
    const made = await madeBatch({ K: 1, data: { records: 700 } })
    const label = (await claimsOf('regression-label', await recorded(made))) as { value: number }
    expect(Math.abs(label.value / made.batch.labels[0]! - 1)).toBeLessThan(1e-4)
  })

  test('under secure aggregation yields nothing', async () => {
    const sources = await recorded(await madeBatch({ data: { records: 700 } }))
    for (const id of ['regression-label', 'label-mean', 'metaclass-means', 'metaclass-counts']) {
      expect(await claimsOf(id, sources, 'secagg-server')).toMatchObject({ missing: ['exchanges'] })
    }
  })
})
