import { classEmbeddings, roundedTo, solveCounts, splitEmbeddings } from '../src/attacks/labels/classification/class-counts.js' // biome-ignore format: a line
import { messagesOf } from '../src/attacks/local-model/turn-matrices.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

const m = 3
const drawn = (name: string, rows: number, cols = m, std = 1) => matrix(rows, cols, rng(name).fork(rows).normals(rows * cols, { std })) // biome-ignore format: a line
const layerOf = (n: number, std = 1) => ({ W: drawn('W', n, m, std), b: rng('b').fork(n).normals(n) })
const gradientOf = (n: number, K: number, shift = 0) => {
  const gradB = rng('gradB').fork(n).normals(n, { std: 0.2 })
  const mean = gradB.reduce((sum, g) => sum + g, 0) / n
  return { gradW: drawn('gradW', n), gradB: gradB.map((g) => g - mean + shift), recordCount: K }
}
const sizes = [2, 3, 5, 9, 17]
/** Messages of a client whose numbers lie on a grid, or do not. */
const heard =
  (step: number | null, kind: 'parameters' | 'delta' | 'gradient', count = 24) =>
  () => {
    const values = (round: number) => rng('sent').fork(round).normals(count).map((x) => (step === null ? x : step * Math.round(x / step))) // biome-ignore format: a line
    const read = async (round: number) => {
      const update = { parameters: { kind, theta: values(round) }, delta: { kind, dTheta: values(round) }, gradient: { kind, grad: values(round) } }[kind] // biome-ignore format: a line
      return { round, received: rng('received').fork(round).normals(count), update, learningRate: 0.1 + round / 100 }
    }
    return messagesOf({ exchanges: { rounds: [1, 2, 4], read }, target: 'a' } as never)
  }

pinResults('class-counts', {
  'embeddings of classes': sizes.flatMap((n) => [
    () => classEmbeddings(gradientOf(n, 4)),
    () => splitEmbeddings(gradientOf(n, 4), layerOf(n)),
    () => splitEmbeddings(gradientOf(n, 100, 0.1), layerOf(n)),
  ]),
  'counts of classes': sizes.flatMap((n) => [
    ...[1, 4, 30].map((K) => () => solveCounts(drawn('E', n), layerOf(n), gradientOf(n, K))),
    () => solveCounts(drawn('E', n), layerOf(n, 6), gradientOf(n, 7, 0.3)),
    () => solveCounts(matrix(n, m), layerOf(n), gradientOf(n, 7)),
    () => solveCounts(drawn('E', n), layerOf(n, 40), gradientOf(n, 7)),
  ]),
  'whole counts': [[3, [1.2, 1.4, 0.4]], [3, [0.5, 0.5, 2]], [4, [1, 1, 1]], [2, [1, 1, 1]], [5, [-1, 3.5, 2.5]], [0, [0.4, 0.3]], [1, [0.5, 0.5]], [6, [10, 0, 0]]].map(([total, real]) => () => roundedTo(total as number, Float64Array.from(real as number[]))), // biome-ignore format: a line
  'precision of messages': (['parameters', 'delta', 'gradient'] as const).flatMap((kind) => [
    ...[0.01, 0.125, 0.3, null].map((step) => heard(step, kind)),
    heard(0.01, kind, 8),
  ]),
})
