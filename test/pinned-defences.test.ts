import { everyPair, regularGraph } from '../src/defences/secure-aggregation/mask-graph.js'
import { addMask, pairMask, selfMask, signOf } from '../src/defences/secure-aggregation/masks.js'
import { type Bytes, webCrypto } from '../src/defences/secure-aggregation/primitives.js'
import { checkRange, dequantiseSum, quantise } from '../src/defences/secure-aggregation/quantise.js'
import { combine, decodeShare, encodeShare, share } from '../src/defences/secure-aggregation/shamir.js'
import * as wire from '../src/defences/secure-aggregation/wire-messages.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

const bytes = (n: number, salt = 1): Bytes => Uint8Array.from({ length: n }, (_, i) => (i * 37 + 101 * salt) % 256)
/** The same bytes whenever it is asked anew. */
const repeated = (at: number) => {
  const draws = rng(`bytes ${at}`)
  return (n: number): Bytes => Uint8Array.from({ length: n }, () => draws.integer(256))
}
const session = bytes(16)
const primitives = webCrypto()
const terms = [1, 2.5, 1e9].map((largest) => ({ threshold: 3, quantisation: { clip: 8, levels: 1024 }, largest }))
const messages = ['invite', 'keys', 'roster', 'shares', 'inbox', 'masked', 'survivors', 'reveal'] as const

pinResults('defences', {
  'secrets shared and combined': [
    [1, [1]],
    [2, [1, 2]],
    [2, [1, 2, 3]],
    [3, [2, 5, 9, 70]],
    [4, [1, 2, 3]],
    [0, [1]],
    [1, [0]],
    [2, [1, 1]],
    [2, [65536, 65537]],
    [2, [65535, 65536]],
  ].flatMap(([threshold, holders]) =>
    [2, 32, 3, 0].map((n) => () => {
      // biome-ignore format: a list
      const shares = share(bytes(n), { threshold: threshold as number, holders: holders as number[], random: repeated(n) })
      const sent = shares.map((one) => decodeShare(encodeShare(one), { at: one.at, secretBytes: n }))
      return [sent, combine(sent, threshold as number), combine(sent.slice(-1), 1), combine([...sent].reverse(), threshold as number)] // biome-ignore format: a line
    }),
  ),
  'wrong shares': [
    ...[0, 1, 33, 34, 35].map((n) => () => decodeShare(bytes(n), { at: 1, secretBytes: 32 })),
    () => combine([], 1),
    () => combine([{ at: 1, values: Uint32Array.of(1) }], 2),
    () => combine([{ at: 1, values: Uint32Array.of(1) }, { at: 1, values: Uint32Array.of(1) }], 2), // biome-ignore format: a line
    () => combine([{ at: 1, values: Uint32Array.of(1) }, { at: 2, values: Uint32Array.of(1, 2) }], 2), // biome-ignore format: a line
    () => encodeShare({ values: Uint32Array.of(0, 1, 65535, 65536, 256) }),
  ],
  graphs: [
    ...[0, 1, 2, 5].map((n) => () => everyPair(n)),
    ...[[3, 2], [5, 2], [6, 4], [9, 4], [20, 6], [4, 8], [5, 3], [5, 0], [1, 2]].map(([n, k]) => () => regularGraph(n!, k!, rng(n!))), // biome-ignore format: a list
  ],
  masks: [
    ...[1, 5, 4097].flatMap((length) => [[1, 2], [2, 1], [300, 7]].flatMap(([u, v]) => [() => pairMask(primitives, bytes(32), { session, u: u!, v: v!, length }), () => signOf(u!, v!)])), // biome-ignore format: a list
    ...[1, 9].map((length) => () => selfMask(primitives, bytes(32), { session, u: 3, length })),
    ...([1, -1] as const).flatMap((sign) =>
      [0, 1, 7, 70].map((n) => () => {
        const to = Uint32Array.from({ length: n }, (_, i) => (i * 0x9e3779b9) >>> 0)
        addMask(
          to,
          Uint32Array.from({ length: n }, (_, i) => (i * 0x85ebca6b) >>> 0),
          sign,
        )
        return to
      }),
    ),
  ],
  quantities: [
    ...[2, 3, 17, 1024, 1 << 22].flatMap((levels) =>
      [0.5, 8].flatMap((clip) =>
        [1, 0.3].map((scale) => () => {
          const { values, ...rest } = quantise(
            Float64Array.from([0, 0.1, -0.1, 7.9, 8, 8.1, -9, 1e300, 0.25]),
            { clip, levels },
            scale,
          ) as never as { values: Uint32Array }
          return [
            values,
            rest,
            [1, 3].map((n) => dequantiseSum(Uint32Array.from([0, 1, levels - 1, 5]), { clip, levels }, n)),
          ]
        }),
      ),
    ),
    ...[[8, 2, 1], [8, 1, 1], [0, 4, 3], [-1, 4, 3], [Number.NaN, 4, 3], [8, 2.5, 3], [8, 1 << 22, 1024], [8, 1 << 22, 1025], [8, 4, 0]].map(([clip, levels, n]) => () => checkRange({ clip: clip!, levels: levels! }, n!)), // biome-ignore format: a list
  ],
  messages: [
    ...messages.flatMap((kind) => [0, 1, 65535, 65536, -1].map((place) => () => { const sent = wire.encodeMessage({ kind, session, place, body: bytes(5, 3) } as never); return [sent, wire.kindOf(sent), wire.bodyOf(sent, { kind, session, place } as never)] })), // biome-ignore format: a list
    ...[0, 1, 18, 19, 20].map((n) => () => [
      wire.kindOf(bytes(n)),
      wire.bodyOf(bytes(n), { kind: 'keys', session, place: 1 } as never),
    ]),
    () => wire.bodyOf(wire.encodeMessage({ kind: 'keys', session, place: 2, body: bytes(1) } as never), { kind: 'keys', session: bytes(16, 9), place: 2 } as never), // biome-ignore format: a line
    ...terms.flatMap((one) => [1, 65535, 65536].map((place) => () => { const sent = wire.encodeInvitation({ session, place, terms: one }); return [sent, wire.decodeInvitation(sent), wire.termsIn(sent)] })), // biome-ignore format: a list
    ...[10, 30, 60].map((n) => () => wire.decodeInvitation(bytes(n))),
    ...[0, 1, 4].flatMap((width) => [[], [1], [1, 2, 9], [2, 1], [1, 1], [0], [65536]].map((places) => () => { const sent = wire.encodeList(places.map((place) => ({ place, bytes: bytes(width, place) })), width); return [sent, wire.decodeList(sent, width), wire.decodeList(sent.slice(0, -1), width)] })), // biome-ignore format: a list
    ...(['seal', 'mask', 'self'] as const).flatMap((what) =>
      [[], [1], [1, 2], [65535, 256]].map((places) => () => wire.purpose(what, ...places)),
    ),
    () => wire.joined(bytes(2), bytes(0), bytes(3)),
    () => [wire.sessionBytes, wire.keyBytes, wire.secretBytes, wire.oneShare, wire.sealedBytes, wire.kinds],
  ],
})
