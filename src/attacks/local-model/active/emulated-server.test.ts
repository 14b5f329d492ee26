import { describe, expect, test } from 'vitest'
import { channelTo, linearFederation, relativeError } from '../../../../test/linear-federation.js'
import { describeWithShared, vector } from '../../../../test/shared.js'
import { OverhearError } from '../../../errors.js'
import { functionsOf } from '../../../models/functions.js'
import { mlp } from '../../../models/mlp.js'
import { matrixOf } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Channel } from '../../../threat/granted-keys.js'
import { emulateAdam, emulateEcho } from './emulated-server.js'
import { activeRounds } from './sending-rounds.js'
import { observableObjective, tuneAdam } from './tune-adam.js'

interface VectorA {
  X: number[][]
  y: number[]
}
interface VectorM {
  theta0: number[]
  order: number[]
  B: number
  lr: number
  theta_after_epoch: number[]
  adam_trajectory: number[][]
}

describeWithShared('vector m: one epoch of a client, and Adam emulated over three', () => {
  test('every iterate', async () => {
    const [{ X, y }, m] = [vector<VectorA>('a'), vector<VectorM>('m')]
    const functions = functionsOf(mlp({ inputs: 5, hidden: [4], outputs: 1 }), { loss: 'mse' })
    const channel: Channel = async (_, sent) => {
      let theta = sent
      for (let s = 0; s < m.order.length; s += m.B) {
        const rows = m.order.slice(s, s + m.B)
        const batch = { features: matrixOf(rows.map((i) => X[i]!)), labels: Float64Array.from(rows, (i) => y[i]!) }
        const { grad } = functions.gradient(theta, batch)
        theta = theta.map((x, j) => x - m.lr * grad[j]!)
      }
      return theta
    }
    const start = Float64Array.from(m.theta0)
    expect(relativeError(await channel('0', start), m.theta_after_epoch)).toBeLessThan(1e-13)
    const line = { channel, client: '0', start, rounds: [0, 1, 2] }
    const { theta, sent } = await emulateAdam(line, { learningRate: 0.05, beta1: 0.8, beta2: 0.95, tiny: 1e-8 })
    expect(sent[0]).toEqual(start)
    for (const [t, iterate] of [...sent.slice(1), theta].entries()) {
      expect(relativeError(iterate, m.adam_trajectory[t]!)).toBeLessThan(1e-12)
    }
  })
})

const world = linearFederation({ d: 5, learningRate: 0.05, rounds: 4 })
const line = (count: number) => ({
  channel: channelTo(world, { learningRate: 0.05 }),
  client: '0',
  start: world.global,
  rounds: activeRounds([count]),
})

test('an echo is the client training alone', async () => {
  const one = line(200)
  const { theta, sent, norms } = await emulateEcho(one)
  expect(sent).toHaveLength(200)
  expect(one.channel.sent).toEqual(sent)
  expect(relativeError(theta, world.optimum)).toBeLessThan(0.05)
  expect(norms.at(-1)).toBeLessThan(0.1 * norms[0]!)
})

test('an emulated Adam gets near the optimum in fewer messages than an echo', async () => {
  const echo = await emulateEcho(line(15))
  const adam = await emulateAdam(line(15), { learningRate: 0.2, beta1: 0.7, beta2: 0.9 })
  expect(relativeError(adam.theta, world.optimum)).toBeLessThan(0.7 * relativeError(echo.theta, world.optimum))
})

test('what comes back must be a model', async () => {
  const short: Channel = async () => new Float64Array(2)
  await expect(emulateEcho({ ...line(1), channel: short })).rejects.toThrow('returned 2 values for 5')
  const nan: Channel = async (_, theta) => theta.map(() => Number.NaN)
  await expect(emulateEcho({ ...line(1), channel: nan })).rejects.toThrow('diverge')
})

test('a client that writes into what it was sent changes nothing for the server', async () => {
  const greedy: Channel = async (_, theta) => theta.fill(7)
  const { sent } = await emulateEcho({ ...line(1), channel: greedy })
  expect(sent[0]).toEqual(world.global)
})

describe('rounds that are not consecutive', () => {
  test('let the others pass', async () => {
    const passed: number[] = []
    const base = line(1)
    const channel = Object.assign((client: string, theta: Float64Array) => base.channel(client, theta), {
      pass: (rounds: number) => passed.push(rounds),
    })
    const { sent } = await emulateEcho({ ...base, channel, rounds: activeRounds([1, 2, 6]) })
    expect(sent).toHaveLength(3)
    expect(passed).toEqual([1, 3])
    await expect(emulateEcho({ ...line(1), rounds: [0, 2] })).rejects.toThrow('cannot let honest rounds pass')
  })

  test.each([[[]], [[0]], [[3, 3]], [[2, 1]]])('%j is no such list', (asked) => {
    expect(() => activeRounds(asked)).toThrow('a number of messages from 1, or several rounds that rise')
  })
})

describe('tuning', () => {
  const ranges = { rates: [0.01, 50], betas: [0.6, 0.999], rng: rng(2) }

  test('each trial has a line of its own, and the best is better than the range in the mean', async () => {
    const lines: number[] = []
    const base = line(10)
    const restart = (): Channel => {
      const fresh = base.channel.restart!()
      const at = lines.push(0) - 1
      return async (client, theta) => {
        lines[at]!++
        return fresh(client, theta)
      }
    }
    const channel = Object.assign((client: string, theta: Float64Array) => base.channel(client, theta), { restart })
    const values: number[] = []
    const observable = observableObjective('0')
    const tuned = await tuneAdam({
      line: { ...base, channel },
      trials: 30,
      ...ranges,
      objective: async (reached, line) => {
        values.push(await observable(reached, line))
        return values.at(-1)!
      },
    })
    expect(lines).toEqual(new Array(30).fill(11)) // ten messages and the probe
    expect(base.channel.sent).toHaveLength(0)
    expect(tuned!.value).toBe(Math.min(...values))
    const { theta } = await emulateAdam(line(10), tuned!.setting)
    expect(relativeError(theta, world.optimum)).toBeLessThan(relativeError(world.global, world.optimum) / 4)
  })

  test('the objective may be anything, such as the distance that only an oracle knows', async () => {
    const objective = ({ theta }: { theta: Float64Array }) => relativeError(theta, world.optimum)
    const tuned = await tuneAdam({ line: line(10), trials: 40, ...ranges, objective })
    expect(tuned!.value).toBeLessThan(0.2)
  })

  test('a diverged client is a failed trial, anything else is not swallowed', async () => {
    const fragile = (): Channel => async (_, theta) => {
      return theta.map((x) => (theta.some((v) => Math.abs(v) > 5) ? Number.POSITIVE_INFINITY : x * 0.9))
    }
    const channel = Object.assign(fragile(), { restart: fragile })
    const options = { trials: 20, ...ranges, objective: ({ norms }: { norms: readonly number[] }) => norms.at(-1)! }
    const tuned = await tuneAdam({ line: { ...line(5), channel }, ...options })
    expect(tuned!.failed).toBeGreaterThan(0)
    expect(tuned!.failed).toBeLessThan(20)
    const stop = () => {
      throw new OverhearError('E_INTERRUPTED', 'stopped')
    }
    await expect(tuneAdam({ line: { ...line(5), tick: stop }, ...options })).rejects.toThrow('stopped')
    const broken = () => Object.assign((async () => new Float64Array(5).fill(Number.NaN)) as Channel, {})
    const hopeless = Object.assign(broken(), { restart: broken })
    expect(await tuneAdam({ line: { ...line(5), channel: hopeless }, ...options })).toBeUndefined()
  })

  test('needs a line that can be started again, and ranges of two numbers', async () => {
    const objective = () => 0
    const once: Channel = async (_, theta) => theta
    await expect(tuneAdam({ line: { ...line(1), channel: once }, trials: 1, ...ranges, objective })).rejects.toThrow(
      'cannot be started again',
    )
    await expect(tuneAdam({ line: line(1), trials: 1, ...ranges, rates: [1], objective })).rejects.toThrow(
      'rates holds 1 numbers',
    )
  })
})
