import { drawPlaces } from '../src/defences/checked-aggregation/draw-places.js'
import { checkBounds, graphSize, mostColluders, quorum } from '../src/defences/checked-aggregation/graph-bounds.js'
import { checkTerms, encodeTerms, type Policy, sizeFor, type Terms, termsReader, toHex } from '../src/defences/checked-aggregation/terms.js' // biome-ignore format: a line
import { findLists } from '../src/defences/openings/find-lists.js'
import { nameEnough } from '../src/defences/openings/list-flow.js'
import { secretsTold, smallestOpened } from '../src/defences/openings/opened-sums.js'
import { checkedRules, curiousRules, rulesFor } from '../src/defences/openings/sum-rules.js'
import { everyPair, regularGraph } from '../src/defences/secure-aggregation/mask-graph.js'
import { OverhearError } from '../src/errors.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

const places = (...list: number[]) => new Set(list)
const policy = (change: Partial<Policy> = {}): Policy => ({ variant: 'pairs', directory: 'given', corrupt: 0.1, dropouts: 0.1, secureBits: 10, correctBits: 5, least: 2, ...change }) // biome-ignore format: a line
const graph = (change: Partial<Policy> = {}) => policy({ variant: 'graph', ...change })

/** Sets in place of what JSON leaves out. */
const shown = (value: unknown): unknown =>
  value instanceof Set ? [...value] : value instanceof Map ? [...value].map(([key, one]) => [key, shown(one)]) : Array.isArray(value) ? value.map(shown) : typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one)])) : value // biome-ignore format: a line
const told = (run: () => unknown) => () => {
  try {
    return shown(run()) ?? 'none'
  } catch (error) {
    if (error instanceof OverhearError) return error.message.replaceAll(' ', '-')
    throw error
  }
}
const naming = (due: number[], candidates: number[][], most: number[]) =>
  told(() => nameEnough({ due: new Map(due.map((count, i) => [i + 1, count])), candidates: new Map(candidates.map((list, i) => [i + 1, list])), most: new Map(most.map((count, i) => [i + 101, count])) })) // biome-ignore format: a line
/** Who may name whom, at random. */
const drawnNaming = (seed: number) => {
  const draws = rng(seed).fork('naming')
  const candidates = Array.from({ length: 6 }, (_, i) => [...draws.fork('of', i).sample(5, 3)].map((c) => c + 101))
  return naming(Array.from({ length: 6 }, (_, i) => draws.fork('due', i).integer(3)), candidates, Array.from({ length: 5 }, (_, i) => draws.fork('most', i).integer(4))) // biome-ignore format: a line
}
const ring = (n: number) =>
  Array.from({ length: n }, (_, i) => [((i + n - 1) % n) + 1, ((i + 1) % n) + 1].sort((a, b) => a - b))
const secrets = (masks: number[][], seeds: number[], keys: number[], colluders: number[] = []) =>
  told(() => smallestOpened({ masks, seeds: places(...seeds), keys: places(...keys), colluders: places(...colluders) }))
const held = (lists: [number, number[]][], threshold: number, colluders: number[] = []) =>
  told(() => secretsTold({ masks: everyPair(4), holders: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2], [3, 4]], threshold, colluders: places(...colluders), lists: new Map(lists.map(([c, list]) => [c, places(...list)])) })) // biome-ignore format: a line
const searches = [4, 5, 6, 9].flatMap((n) => [0, 1, 2].flatMap((c) => [2, 3, n].map((below) => ({ n, c, below }))))
const colluding = (c: number, n: number) => places(...Array.from({ length: c }, (_, i) => n - i))
const terms = (change: Partial<Terms> = {}): Terms => ({ session: '0a'.repeat(16), run: '0b'.repeat(16), round: 0, threshold: 4, degree: null, shares: 4, roster: 4, challenge: '0c'.repeat(32), largest: 10, length: 3, cohort: ['a', 'b', 'c', 'd', 'e'], clip: 1, levels: 16, ...change }) // biome-ignore format: a line
const checking = (change: Partial<Terms>, own: object = {}, of: Policy = policy()) => told(() => checkTerms({ terms: terms(change), place: 2, bytes: new Uint8Array(), session: new Uint8Array() } as never, of, { id: 'b', weight: 3, ...own }) ?? 'fits') // biome-ignore format: a line
/** Bytes that are drawn, from a list. */
const from = (...numbers: number[]) => {
  let at = 0
  return (count: number) => { const bytes = new Uint8Array(count); new DataView(bytes.buffer).setUint32(0, numbers[at++ % numbers.length]!); return bytes } // biome-ignore format: a line
}

pinResults('openings', {
  'lists that name enough': [
    naming([1, 1], [[101], [101]], [1]),
    naming([1, 1], [[101], [101]], [2]),
    naming([1, 1], [[101, 102], [101]], [1, 1]),
    naming([2, 1, 1], [[101, 102, 103], [101], [102]], [1, 1, 1]),
    naming([2, 1, 1], [[101, 102, 103], [101], [102]], [1, 1, 2]),
    naming([1, 1, 1], [[101, 102], [101, 103], [101]], [1, 1, 1]),
    naming([1, 1, 1, 1], [[101, 102], [101, 103], [101, 104], [101]], [1, 1, 1, 1]),
    naming([0, 0], [[], []], []),
    naming([2], [[101]], [2]),
    naming([3], [[101, 102]], [2, 2]),
    naming([1], [], [1]), // biome-ignore format: a line
    ...Array.from({ length: 24 }, (_, seed) => drawnNaming(seed)),
  ],
  'sums that open': [
    secrets(ring(5), [1, 2, 3, 4, 5], []),
    secrets(ring(5), [1, 2], [5, 3]),
    secrets(ring(5), [1, 2], [5]),
    secrets(ring(5), [1], [1]),
    secrets(ring(5), [3, 1, 2], [5, 4], [4]),
    secrets(ring(5), [1, 2, 3, 4], [], [5, 3]),
    secrets(ring(6), [1, 2, 3, 4, 5, 6], [1, 4]),
    secrets(ring(6), [2, 3, 5, 6], [1, 4]),
    secrets(ring(4), [], []),
    secrets([], [], []),
    secrets([[], []], [2], []), // biome-ignore format: a line
    held(
      [
        [1, [1, 2]],
        [2, [3]],
      ],
      1,
    ),
    held(
      [
        [1, [1, 2]],
        [2, [1, 3]],
      ],
      2,
    ),
    held(
      [
        [1, [1, 2]],
        [2, [3]],
        [3, []],
      ],
      2,
      [4],
    ),
    held([], 1, [1, 2]),
    held([], 3, [1, 2]), // biome-ignore format: a line
  ],
  'lists that a server finds': [
    ...searches.flatMap(({ n, c, below }) => [
      told(() => findLists({ rules: curiousRules(everyPair(n)), colluders: colluding(c, n), below })),
      told(() => findLists({ rules: curiousRules(ring(n)), colluders: colluding(c, n), below })),
      told(() => findLists({ rules: checkedRules(n, policy(), rng(1)), colluders: colluding(c, n), below })),
      told(() => findLists({ rules: { ...checkedRules(n, policy(), rng(1)), signers: 2, leastListed: 2, threshold: 2 }, colluders: colluding(c, n), below })), // biome-ignore format: a line
    ]),
    ...[8, 12, 15].flatMap((n) => [0, 2, 4].flatMap((c) => [3, 6, 13, 14].map((below) => told(() => findLists({ rules: curiousRules(regularGraph(n, 4, rng('graph'))), colluders: colluding(c, n), below }))))), // biome-ignore format: a line
    ...[14, 20].flatMap((n) => [0, 3].map((c) => told(() => findLists({ rules: checkedRules(n, graph({ secureBits: 3, correctBits: 2 }), rng(2)), colluders: colluding(c, n), below: 5 })))), // biome-ignore format: a line
  ],
  'rules of clients': [
    ...[[], everyPair(4), everyPair(5), ring(6)].map((masks) => () => curiousRules(masks)),
    ...[3, 8, 20].flatMap((n) => [policy(), policy({ least: 7 }), graph({ secureBits: 3, correctBits: 2 })].map((of) => () => checkedRules(n, of, rng(2)))), // biome-ignore format: a line
    ...['malicious', 'honest-but-curious'].flatMap((server) => [policy(), graph()].map((of) => () => rulesFor(8, { server, neighbours: 4, policy: of }, rng(3)))), // biome-ignore format: a line
  ],
  'neighbours that are needed': [
    ...[3, 10, 30, 50, 100, 300].flatMap((n) => [{}, { corrupt: 0 }, { dropouts: 0 }, { corrupt: 0.3, dropouts: 0.3 }, { secureBits: 40 }, { correctBits: 30 }, { least: 0 }, { least: 6 }].map((change) => () => graphSize(n, policy(change)))), // biome-ignore format: a line
    ...[1, 2, 3, 4, 5, 6, 100].map((n) => () => [
      quorum(n),
      mostColluders(n),
      mostColluders(n, n),
      mostColluders(n, 1),
    ]),
    ...[[0.5, 0.5], [0.5, 0.49], [1, 0], [0, 0]].map(([corrupt, dropouts]) => told(() => checkBounds({ corrupt: corrupt!, dropouts: dropouts! }) ?? 'fits')), // biome-ignore format: a line
    ...[5, 40].flatMap((n) => [policy(), graph()].map((of) => () => [sizeFor(n, of), sizeFor(n, of), sizeFor(n, { ...of, least: 5 })])), // biome-ignore format: a line
    ...[0, 1, 3, 5, 9].map((count) => () => drawPlaces([2, 4, 6, 8, 10], count, from(7, 1, 4, 2, 9))),
    () => drawPlaces([2, 4, 6], 3, from(4294967295, 5, 4294967295, 4294967294, 1, 2)),
    () => drawPlaces([2, 4, 6], 2, from(4294967294, 4294967295, 3)),
  ],
  'terms of an invitation': [
    checking({}),
    checking({}, { id: 'c' }),
    checking({ cohort: ['a', 'b', 'c', 'd', 'a'] }),
    checking({}, {}, policy({ least: 5 })),
    checking({}, {}, policy({ least: 6 })), // biome-ignore format: a line
    ...[3, 4, 5, 6].map((threshold) => checking({ threshold, shares: threshold })),
    checking({ shares: 3 }),
    checking({ degree: 3 }),
    checking({ largest: 3 }),
    checking({ largest: 2 }),
    checking({}, { weight: Number.NaN }),
    checking({}, {}, graph()), // biome-ignore format: a line
    () => toHex(Uint8Array.of(0, 1, 15, 16, 255)),
    told(() => { const { terms: read, place } = termsReader()(encodeTerms(terms()).get(5)!); return [read, place] }), // biome-ignore format: a line
    told(() =>
      termsReader()(
        encodeTerms(terms())
          .get(2)!
          .map((byte, i) => (i === 3 ? byte + 1 : byte)),
      ),
    ),
    told(() => termsReader()(encodeTerms(terms()).get(2)!.subarray(0, 40))),
    told(() => termsReader()(encodeTerms(terms()).get(2)!.subarray(0, 20))),
    told(() =>
      termsReader()(
        encodeTerms(terms())
          .get(2)!
          .map((byte, i) => (i === 0 ? byte + 1 : byte)),
      ),
    ),
  ],
})
