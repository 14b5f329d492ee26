import { describe, expect, test } from 'vitest'
import { disk } from '../../test/simulated-disk.js'
import { smallPopulation, smallRecords, smallSpec } from '../../test/small-federation.js'
import { encode } from '../transcript/safetensors.js'
import { type Checkpoint, checkMark, decodeCheckpoint, encodeCheckpoint, markOf } from './checkpoint.js'
import { checkpointStore } from './checkpoint-store.js'
import type { Plain } from './hooks.js'
import { heldPopulation } from './population.js'

const of = (...values: number[]) => Float64Array.from(values)
const at = (nextRound: number, change: Partial<Checkpoint> = {}): Checkpoint => ({
  run: markOf(smallSpec, smallPopulation),
  nextRound,
  theta: of(1, -0, 5e-324),
  memory: { a: of(2) },
  adversary: null,
  defences: {},
  ...change,
})

describe('a checkpoint as bytes', () => {
  test('comes back to the bit, whatever plain data are kept', async () => {
    const adversary: Plain = { last: of(1, 2), list: [1, -0, 'x', true, null, of()], deep: { on: false, gone: undefined } } as never // biome-ignore format: one line
    const { checkpoint, extra } = await decodeCheckpoint(
      encodeCheckpoint(at(7, { adversary }), { recorded: 3, of: of(4) }),
    )
    const { deep, ...rest } = checkpoint.adversary as Record<string, Plain>
    expect(rest).toEqual({ last: of(1, 2), list: [1, -0, 'x', true, null, of()] })
    expect(deep).toStrictEqual({ on: false })
    expect(checkpoint).toMatchObject({ nextRound: 7, theta: of(1, -0, 5e-324), memory: { a: of(2) }, defences: {} })
    expect(extra).toEqual({ recorded: 3, of: of(4) })
    expect((await decodeCheckpoint(encodeCheckpoint(at(7)))).extra).toEqual({})
  })

  test('keeps no number that JSON would lose', () => {
    for (const lost of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(() => encodeCheckpoint(at(1, { adversary: [lost] }))).toThrow(`a checkpoint cannot hold ${lost}`)
    }
  })

  test('of another format, or of none, is refused', async () => {
    const of = (metadata: Record<string, string>) => decodeCheckpoint(encode([], metadata), 'x.safetensors')
    const found = 'x.safetensors is no checkpoint of this version; its format should be "overhear-checkpoint/1"'
    await expect(of({ format: 'overhear-checkpoint/2', content: '{}' })).rejects.toThrow(found)
    await expect(of({ format: 'overhear-checkpoint/1' })).rejects.toThrow(found)
    await expect(of({ content: '{}' })).rejects.toThrow(found)
  })
})

describe('the mark of a run', () => {
  const check =
    (spec: object, population = smallPopulation) =>
    () =>
      checkMark(at(3), markOf({ ...smallSpec, ...spec }, population))

  test('is the same with another number of rounds, and with the keys in another order', () => {
    expect(check({ rounds: 99 })).not.toThrow()
    expect(markOf(smallSpec, smallPopulation).spec).not.toHaveProperty('rounds')
    const { seed, ...rest } = smallSpec
    expect(() => checkMark(at(3), markOf({ seed, ...rest }, smallPopulation))).not.toThrow()
  })

  test('differs where a setting does, which is named', () => {
    expect(check({ seed: 4 })).toThrow('the checkpoint before round 3 is of another run: its seed differ; resume with')
    expect(check({ seed: 4, dropouts: 0.5 })).toThrow('its seed, dropouts differ')
  })

  test('differs where other clients are there, or other numbers of the first or the last of them', () => {
    const changed = (client: number, part: 'features' | 'labels') =>
      heldPopulation(
        smallRecords.map(({ features, labels }, k) => {
          if (k !== client) return { features, labels }
          const [X, y] = [{ ...features, data: features.data.slice() }, labels.slice()]
          const values = part === 'features' ? X.data : y
          values[values.length - 1]! += 1e-12
          return { features: X, labels: y }
        }),
      )
    for (const client of [0, 2])
      for (const part of ['features', 'labels'] as const)
        expect(check({}, changed(client, part))).toThrow('its clients differ')
    expect(check({}, changed(1, 'labels'))).not.toThrow()
    expect(check({}, heldPopulation(smallRecords.slice(0, 2)))).toThrow('its clients differ')
  })

  test('is 32 bits of FNV-1a over the words of the numbers', () => {
    const one = heldPopulation([{ features: { rows: 1, cols: 1, data: of(2) }, labels: of(-0) }])
    // 2 is 0x40000000 00000000, -0 is 0x80000000 00000000, the low word first.
    let hash = 0x811c9dc5n
    for (const word of [0n, 0x40000000n, 0n, 0x80000000n]) hash = ((hash ^ word) * 0x01000193n) & 0xffffffffn
    expect(markOf(smallSpec, one).clients).toEqual({ count: 1, fingerprint: Number(hash) })
  })
})

describe('checkpoints in a folder', () => {
  const names = ['checkpoint-0.safetensors', 'checkpoint-1.safetensors']
  const roundsIn = async (files: Map<string, Uint8Array>) =>
    (await checkpointStore(disk(undefined, files).store)).found.map(({ checkpoint, recorded }) => [
      checkpoint.nextRound,
      recorded,
    ])

  test('are the last two; each takes the place of the older one', async () => {
    const { store, files } = disk()
    const kept = await checkpointStore(store)
    expect(kept.found).toEqual([])
    await kept.save(at(1), null)
    expect([...files.keys()]).toEqual([names[0]])
    await kept.save(at(2), 2)
    expect([...files.keys()].sort()).toEqual(names)
    await kept.save(at(3), 3)
    // In the order of their files.
    expect(await roundsIn(files)).toEqual([[3, 3], [2, 2]]) // biome-ignore format: one line
    for (const next of [4, 5, 6]) await (await checkpointStore(store)).save(at(next), 0)
    expect(await roundsIn(files)).toEqual([[5, 0], [6, 0]]) // biome-ignore format: one line
  })

  test('are written beside, put in place, and made to last', async () => {
    const { store } = disk()
    const done: string[] = []
    const noting =
      <A extends readonly string[]>(what: string, work: (...given: A) => Promise<void>) =>
      (...given: A) => {
        done.push(`${what} ${given.filter((one) => typeof one === 'string').join(' ')}`)
        return work(...given)
      }
    const noted = {
      ...store,
      makeFolder: noting('make', store.makeFolder),
      write: noting('write', store.write as never),
      rename: noting('rename', store.rename),
      syncFolder: noting('sync', store.syncFolder),
    }
    await (await checkpointStore(noted as unknown as typeof store)).save(at(1), null)
    expect(done).toEqual(['make ', `write ${names[0]}.tmp`, `rename ${names[0]}.tmp ${names[0]}`, 'sync '])
  })

  test('that are cut off or changed are left out, and replaced first', async () => {
    const { store, files } = disk()
    const kept = await checkpointStore(store)
    for (const next of [1, 2]) await kept.save(at(next), next)
    const whole = files.get(names[1]!)!
    for (const k of [20, whole.length - 1]) {
      files.set(names[1]!, whole.map((byte, j) => (j === k ? byte ^ 1 : byte))) // biome-ignore format: one line
      expect(await roundsIn(files)).toEqual([[1, 1]])
    }
    files.set(names[1]!, whole.slice(0, whole.length - 8))
    const again = await checkpointStore(store)
    await again.save(at(9), null)
    expect(await roundsIn(files)).toEqual([[1, 1], [9, null]]) // biome-ignore format: one line
  })

  test('without a sum, of an earlier version, count; those without a round or a model do not', async () => {
    const { files } = disk()
    files.set(names[0]!, encodeCheckpoint(at(4)))
    expect(await roundsIn(files)).toEqual([[4, null]])
    files.set(names[0]!, encodeCheckpoint(at(4, { nextRound: 0.5 })))
    files.set(names[1]!, encodeCheckpoint(at(4, { theta: [1] as never })))
    expect(await roundsIn(files)).toEqual([])
  })

  test('that cannot be read for another reason are an error', async () => {
    const { store, files } = disk()
    files.set(names[0]!, encodeCheckpoint(at(4)))
    const broken = { ...store, read: async () => Promise.reject(new RangeError('no such disk')) }
    await expect(checkpointStore(broken)).rejects.toThrow('no such disk')
  })
})
