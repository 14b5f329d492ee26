// The figures of docs/label-leakage.md and docs/label-attacks-classification.md about clients of another make:
// FIGURES=1 npx vitest run test/label-clients.test.ts. Too long for every run: what they rest on is tested beside the attacks.
import { describe, expect, test } from 'vitest'
import { labelMean } from '../src/attacks/labels/regression/label-mean.js'
import { regressionLabel } from '../src/attacks/labels/regression/regression-label.js'
import { recordsClosedForm } from '../src/attacks/records/records-closed-form.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { type Rng, rng } from '../src/numeric/random/rng.js'
import type { Exchange } from '../src/threat/granted-keys.js'
import type { Protocol } from '../src/transcript/manifest.js'
import { attackOn, only } from './attack-context.js'
import { protocolOf } from './label-views.js'
import { type PlainBatch, type PlainSpec, plainGradient, plainTurn, plainWeights, sparsified } from './plain-network.js'

const averaging = { share: 'parameters', algorithm: 'fedavg' } as const

interface Told {
  readonly theta: Float64Array
  readonly update: Exchange['update']
  readonly turn?: Partial<Protocol>
  readonly K: number
  readonly more?: object
}

const viewOf = ({ sizes }: PlainSpec, { theta, update, turn = {}, K, more = {} }: Told) => ({
  model: {
    ...{ kind: 'mlp', inputs: sizes[0]!, hidden: sizes.slice(1, -1), outputs: sizes.at(-1)! },
    ...{ activation: 'relu', outputActivation: 'identity', bias: true },
  },
  ...{ loss: 'mse', target: '0', round: 0, batchSize: K, samples: K, protocol: protocolOf(turn) },
  exchanges: {
    rounds: [0],
    read: async (): Promise<Exchange> => ({
      round: 0,
      received: theta,
      update,
      learningRate: turn.learningRate ?? null,
    }),
  },
  ...more,
})

const small: PlainSpec = { sizes: [6, 16, 8, 1] }

function oneClient(spec: PlainSpec, seed: number, K: number): PlainBatch & { theta: Float64Array } {
  const r = rng(seed).fork('plain')
  const X = Array.from({ length: K }, () => Array.from(r.normals(spec.sizes[0]!)))
  const Y = X.map(() => [3 * r.normal()])
  return { X, Y, theta: plainWeights(spec, () => r.uniform()) }
}

/** 40 records and 300 like them, the client's turn, and what is heard of it. */
function turnOfForty(r: Rng, { learningRate, epochs }: { learningRate: number; epochs: number }) {
  const people = (n: number) => {
    const X = Array.from({ length: n }, () => Array.from(r.normals(6)))
    return { X, Y: X.map((x) => [6.4 + x[0]! + 0.5 * x[1]! * x[1]! - 0.5 + 0.3 * r.normal()]) }
  }
  const [own, like] = [people(40), people(300)]
  const theta = plainWeights(small, () => r.uniform())
  const update = { kind: 'parameters', theta: plainTurn(small, theta, own, { learningRate, epochs }) } as const
  const auxiliary = { columns: [...'abcdef'], features: matrix(300, 6, Float64Array.from(like.X.flat())) }
  const turn = { ...averaging, learningRate, localEpochs: epochs }
  const heard = (labelled: boolean) => {
    const more = { auxiliary, ...(labelled && { 'auxiliary.label': Float64Array.from(like.Y.flat()) }) }
    return viewOf(small, { theta, update, turn, K: 40, more })
  }
  return { truth: own.Y.reduce((sum, [y]) => sum + y! / 40, 0), heard }
}

describe.skipIf(process.env.FIGURES === undefined)('figures', () => {
  test('one record, five epochs at rate 0.03', async () => {
    const found = { claims: 0, beyond: 0, worst: 0 }
    for (let seed = 0; seed < 60; seed++) {
      const { theta, ...batch } = oneClient(small, seed, 1)
      const after = plainTurn(small, theta, batch, { learningRate: 0.03, epochs: 5 })
      const turn = { ...averaging, learningRate: 0.03, localEpochs: 5 }
      const view = viewOf(small, { theta, update: { kind: 'parameters', theta: after }, turn, K: 1 })
      const outcome = await attackOn(regressionLabel, view)
      if (outcome.status !== 'claimed') continue
      const miss = Math.abs(only(outcome, 'label').value - batch.Y[0]![0]!)
      found.claims++
      if (miss > 4 * (outcome.details.error as number)) found.beyond++
      found.worst = Math.max(found.worst, miss)
    }
    console.log('one record', found)
    expect(found.worst).toBeLessThan(1e-12)
  })

  test.each(['right', 'five records', 'the largest tenth', 'Adam'])('stated as one plain step: %s', async (what) => {
    const found = { claims: 0, wrong: 0 }
    for (let seed = 0; seed < 40; seed++) {
      const { theta, ...batch } = oneClient(small, seed, what === 'five records' ? 5 : 1)
      const grad = plainGradient(small, theta, batch)
      const adam = { learningRate: 0.001, epochs: 1, optimizer: 'adam' } as const
      const view =
        what === 'Adam'
          ? viewOf(small, {
              ...{ theta, K: 1, update: { kind: 'parameters', theta: plainTurn(small, theta, batch, adam) } },
              turn: { ...averaging, learningRate: 0.001, localEpochs: 1 },
            })
          : viewOf(small, {
              ...{ theta, K: 1 },
              update: { kind: 'gradient', grad: what === 'the largest tenth' ? sparsified(grad, 0.1) : grad },
            })
      const outcome = await attackOn(regressionLabel, view)
      if (outcome.status !== 'claimed') continue
      found.claims++
      if (Math.abs(only(outcome, 'label').value - batch.Y[0]![0]!) > 0.01) found.wrong++
    }
    console.log(what, found)
    expect(found.wrong).toBe(0)
  })

  test.each([
    [0.03, 5],
    [0.01, 20],
    [0.1, 5],
  ])('the mean label at rate %d, %d epochs, without and with auxiliary labels', async (learningRate, epochs) => {
    const { truth, heard } = turnOfForty(rng(7).fork('nine'), { learningRate, epochs })
    for (const labelled of [false, true]) {
      const outcome = await attackOn(labelMean, heard(labelled))
      const said = outcome.status === 'claimed' ? [only(outcome, 'label-mean'), outcome.details.error] : outcome.why
      console.log('mean label', { learningRate, epochs, truth }, said)
      if (outcome.status === 'claimed') expect(Math.abs(only(outcome, 'label-mean').value - truth)).toBeLessThan(1)
    }
  })

  const turns = [[0.03, 5], [0.05, 5], [0.1, 5], [0.01, 20], [0.1, 2]] as const // biome-ignore format: a line

  test.each([true, false])('mean labels of 300 turns, auxiliary labels: %s', { timeout: 1e6 }, async (labelled) => {
    const found = { claims: 0, refused: 0, stated: 0, beyond: 0 }
    for (const [learningRate, epochs] of turns) {
      for (let seed = 0; seed < 60; seed++) {
        const { truth, heard } = turnOfForty(rng(seed).fork('many'), { learningRate, epochs })
        const outcome = await attackOn(labelMean, heard(labelled))
        if (outcome.status !== 'claimed') {
          found.refused++
          continue
        }
        found.claims++
        const error = outcome.details.error as number | null
        if (error === null) continue
        found.stated++
        if (Math.abs(only(outcome, 'label-mean').value - truth) > 4 * error) found.beyond++
      }
    }
    console.log('mean labels of 300 turns', { labelled }, found)
    expect(found.beyond).toBeLessThan(0.05 * found.stated)
  })

  test.each([[[48]], [[128]], [[512]], [[48, 24]], [[128, 64]], [[512, 64]]])(
    'records of 35 inputs, hidden %s',
    async (hidden) => {
      const spec = { sizes: [35, ...hidden, 1] }
      const shares: string[] = []
      let wrong = 0
      for (const K of [1, 2, 4, 8, 12]) {
        let right = 0
        for (let seed = 0; seed < 10; seed++) {
          const { theta, ...batch } = oneClient(spec, seed, K)
          const update = { kind: 'gradient', grad: plainGradient(spec, theta, batch) } as const
          const outcome = await attackOn(recordsClosedForm, viewOf(spec, { theta, update, K }))
          if (outcome.status !== 'claimed') continue
          for (const x of only(outcome, 'records').features) {
            const near = batch.X.some((own) => own.every((v, j) => Math.abs(v - x[j]!) < 1e-6))
            if (near) right++
            else wrong++
          }
        }
        shares.push(`K = ${K}: ${((100 * right) / (10 * K)).toFixed(0)} %`)
      }
      console.log('records', hidden, shares.join(', '), { wrong })
      expect(wrong).toBe(0)
    },
  )
})
