import { expect, test } from 'vitest'
import type { Manifest } from './manifest.js'
import type { RoundEntry } from './round-list.js'
import { readContents, readMessages } from './round-messages.js'
import { encode } from './safetensors.js'
import { memoryStore } from './store.js'

const parameters = [{ name: 'w', shape: [2, 1] }, { name: 'b', shape: [1] }] // biome-ignore format: a line
const manifestOf = (change: object = {}, protocol: object = {}) =>
  ({ model: { kind: 'linear' }, parameters, recordedFor: { kind: 'server' }, protocol: { share: 'parameters', secureAggregation: false, ...protocol }, ...change }) as unknown as Manifest // biome-ignore format: a line
const entryOf = (change: object = {}) => ({ round: 3, file: 'r.safetensors', participants: ['a', 'b'], dropped: [], ...change }) as unknown as RoundEntry // biome-ignore format: a line
type Values = readonly [shape: number[], values: number[]]
const message = (owner: string, [x, y, z]: readonly number[] = [1, 2, 3]): Record<string, Values> => ({ [`${owner}/w`]: [[2, 1], [x!, y!]], [`${owner}/b`]: [[1], [z!]] }) // biome-ignore format: a line
const plain = { ...message('global', [7, 8, 9]), ...message('client/a'), ...message('client/b', [4, 5, 6]) }

async function opened(tensors: Readonly<Record<string, Values>>) {
  const list = Object.entries(tensors).map(([name, [shape, values]]) => ({ name, shape, data: Float64Array.from(values) })) // biome-ignore format: a line
  return memoryStore(new Map([['r', encode(list)]])).open('r')
}
const read = async (tensors: Readonly<Record<string, Values>>, manifest = manifestOf(), entry = entryOf(), clients?: readonly string[]) =>
  readMessages(await opened(tensors), { manifest, entry, ...(clients && { clients }) }) // biome-ignore format: a line
const lists = (messages: ReadonlyMap<string, Float64Array>) => [...messages].map(([id, values]) => [id, [...values]])

test('a round holds what was broadcast, returned, sent and summed', async () => {
  const found = await read({ ...plain, ...message('sent/a', [0, 1, 0]), ...message('aggregate', [5, 5, 5]), 'global/extra': [[1], [1]], stray: [[1], [1]] }) // biome-ignore format: a line
  expect([...found.global!]).toEqual([7, 8, 9])
  expect([...found.clients]).toEqual([['a', { kind: 'parameters', theta: Float64Array.of(1, 2, 3) }], ['b', { kind: 'parameters', theta: Float64Array.of(4, 5, 6) }]]) // biome-ignore format: a line
  expect(lists(found.sent)).toEqual([['a', [0, 1, 0]]])
  expect([...found.aggregate!]).toEqual([5, 5, 5])
  expect(found.participants).toEqual(['a', 'b'])
  expect(found.warnings).toEqual(['round 3 (r.safetensors): tensor "stray" has no owner: ignored', "round 3 (r.safetensors), global: 1 tensors are not in the manifest's parameters: ignored"]) // biome-ignore format: a line
  const contents = await readContents(await opened({ ...message('global'), ...message('sent/b') }), { manifest: manifestOf(), entry: entryOf() }) // biome-ignore format: a line
  expect(contents).toEqual({ global: true, aggregate: false, clients: new Set(), sent: new Set(['b']) })
  const sum = await readContents(await opened(message('aggregate')), { manifest: manifestOf(), entry: entryOf() })
  expect(sum).toMatchObject({ global: false, aggregate: true })
})

test('what is not there is left out, and who took part follows from who returned something', async () => {
  const found = await read(message('client/b'), manifestOf(), entryOf({ participants: null }))
  expect(found).not.toHaveProperty('global')
  expect(found).not.toHaveProperty('aggregate')
  expect(found.participants).toEqual(['b'])
  expect(found.warnings).toEqual([])
  expect((await read(message('global'), manifestOf(), entryOf({ participants: null }))).participants).toBeNull()
})

test('only those who are asked for are read', async () => {
  const found = await read({ ...plain, ...message('sent/a'), ...message('sent/b') }, manifestOf(), entryOf(), ['b'])
  expect([...found.clients.keys()]).toEqual(['b'])
  expect([...found.sent.keys()]).toEqual(['b'])
})

test.each([['delta', 'dTheta'], ['gradient', 'grad']] as const)('%s is what a client returned', async (share, key) => {
  const { clients } = await read(plain, manifestOf({}, { share }))
  expect(clients.get('a')).toEqual({ kind: share, [key]: Float64Array.of(1, 2, 3) })
}) // biome-ignore format: a table

test('a flat vector, names of its own, a parameter called *', async () => {
  const flat = await read({
    'client/a/*': [[3], [1, 2, 3]],
    'client/b/x': [[1], [9]],
    'client/b/y': [
      [2, 1],
      [4, 5],
    ],
  })
  expect([...flat.clients].map(([, update]) => [...(update as { theta: Float64Array }).theta])).toEqual([[1, 2, 3], [4, 5, 9]]) // biome-ignore format: a line
  const star = manifestOf({ parameters: [{ name: '*', shape: [1, 2] }] })
  expect([
    ...(
      await read(
        {
          'global/*': [
            [1, 2],
            [1, 2],
          ],
        },
        star,
      )
    ).global!,
  ]).toEqual([1, 2])
})

test('participants that are silent are told to a server that could hear them, and to nobody else', async () => {
  const lacks = 'round 3 (r.safetensors) lacks what 1 of 2 participants returned, first "b"'
  expect((await read(message('client/a'))).warnings).toEqual([lacks])
  const listener = manifestOf({ recordedFor: { kind: 'eavesdropper', client: 'a' } })
  expect((await read(message('client/a'), listener)).warnings).toEqual([])
  expect((await read(message('aggregate'), manifestOf({}, { secureAggregation: true }))).warnings).toEqual([])
  expect((await read({ ...message('client/a'), ...message('client/b') }, manifestOf(), entryOf({ participants: ['a'], dropped: ['b'] }))).warnings).toEqual([]) // biome-ignore format: a line
})

test('at most twenty tensors without an owner are told', async () => {
  const strays = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i): [string, Values] => [`s${i}`, [[1], [1]]])) // biome-ignore format: a line
  expect((await read({ ...plain, ...strays(20) })).warnings).toHaveLength(20)
  expect((await read({ ...plain, ...strays(23) })).warnings).toHaveLength(20)
})

const eavesdropper = manifestOf({ recordedFor: { kind: 'eavesdropper', client: 'a' } })
const opaque = manifestOf({ model: { kind: 'opaque' } })
test.each([
  ['a client without an id', { ...plain, 'client//w': [[1], [1]] }, manifestOf(), 'tensor "client//w" names no client'],
  ['what another returned', plain, eavesdropper, 'holds a message of client "b"'],
  ['what another was sent', { ...message('client/a'), ...message('sent/b') }, eavesdropper, 'holds a message of client "b"'],
  ['single updates of a secure sum', plain, manifestOf({}, { secureAggregation: true }), 'holds what client "a" returned'],
  ['single updates for who hears sums', plain, manifestOf({ recordedFor: { kind: 'secagg-server' } }), 'holds what client "a" returned'],
  ['somebody who did not take part', message('client/z'), manifestOf(), 'client "z" returned, who is not in its participants'],
  ['two forms at once', { 'global/*': [[3], [1, 2, 3]], 'global/w': [[2, 1], [1, 2]] }, manifestOf(), 'has "*" and 1 more'],
  ['a flat vector that is too long', { 'global/*': [[4], [1, 2, 3, 4]] }, manifestOf(), '"*" has the shape [4]'],
  ['a flat vector of two dimensions', { 'global/*': [[3, 1], [1, 2, 3]] }, manifestOf(), '"*" has the shape [3, 1]'],
  ['a parameter that is missing', { 'global/w': [[2, 1], [1, 2]] }, manifestOf(), 'parameter "b" is missing'],
  ['one that is called almost so', { 'global/w': [[2, 1], [1, 2]], 'global/bb': [[1], [1]] }, manifestOf(), 'parameter "b" is missing (there is "w")'],
  ['other names of an unknown model', { 'global/x': [[2, 1], [1, 2]], 'global/y': [[1], [1]] }, opaque, 'parameter "w" is missing'],
  ['another shape', { 'global/w': [[1, 2], [1, 2]], 'global/b': [[1], [1]] }, manifestOf(), 'parameter "w" has the shape [1, 2]'],
  ['fewer dimensions', { 'global/w': [[2], [1, 2]], 'global/b': [[1], [1]] }, manifestOf(), 'parameter "w" has the shape [2]'],
  ['a gap in a flat vector', { 'global/*': [[3], [1, Number.NaN, 3]] }, manifestOf(), 'parameter "w" holds NaN at 1'],
  ['a gap in the last parameter', message('global', [1, 2, Number.POSITIVE_INFINITY]), manifestOf(), 'parameter "b" holds Infinity at 0'],
  ['a gap in the first place', message('global', [Number.NaN, 2, 3]), manifestOf(), 'parameter "w" holds NaN at 0'],
] as const)('%s is refused', async (_, tensors, manifest, words) => {
  await expect(read(tensors as never, manifest)).rejects.toThrow(words)
}) // biome-ignore format: a table
