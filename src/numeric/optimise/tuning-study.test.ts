import { describe, expect, expectTypeOf, test } from 'vitest'
import { rng } from '../random/rng.js'
import { medianPruner } from './median-pruner.js'
import { minimise } from './optimiser.js'
import { randomSampler, tpeSampler } from './samplers.js'
import { choice, integerRange, logRange, range } from './search-space.js'
import { sgd } from './sgd.js'
import { type Study, study, type Trial } from './tuning-study.js'
import { type FinishedTrial, loss, ranked } from './tuning-trial.js'

const space = { rate: logRange(1e-3, 1), beta: range(0, 1), layers: integerRange(1, 4), kind: choice(['a', 'b']) }
type Space = typeof space

/** A loss with some trials that fail, some that are pruned and some that are not a number. */
function play(tuned: Study<Space>, trials: number): void {
  for (let i = 0; i < trials; i++) {
    const trial = tuned.ask()
    const { rate, beta, layers, kind } = trial.params
    trial.report(0, beta)
    trial.report(5, rate)
    const value = (rate - 0.1) ** 2 + beta + layers + (kind === 'a' ? 1 : 0) + 0.1 * trial.rng.uniform()
    tuned.tell(
      trial,
      trial.number % 7 === 3 ? 'failed' : trial.number % 7 === 5 ? 'pruned' : trial.number === 8 ? NaN : value,
    )
  }
}
const fresh = (seed: number) => study({ space, rng: rng(seed) })

test('params have the types of the space', () => {
  const trial = fresh(1).ask()
  expectTypeOf(trial.params.rate).toEqualTypeOf<number>()
  expectTypeOf(trial.params.kind).toEqualTypeOf<'a' | 'b'>()
  expect(['a', 'b']).toContain(trial.params.kind)
})

describe('a study', () => {
  test('is decided by its seed', () => {
    const [one, same, other] = [fresh(1), fresh(1), fresh(2)]
    for (const tuned of [one, same, other]) play(tuned, 20)
    expect(one.finished()).toEqual(same.finished())
    expect(one.finished()[0]!.params).not.toEqual(other.finished()[0]!.params)
  })

  test.each([0, 1, 9, 17])('goes on after %i trials as if it had never stopped, through JSON', (stoppedAt) => {
    const whole = fresh(3)
    play(whole, 25)
    const first = fresh(3)
    play(first, stoppedAt)
    const finished = JSON.parse(JSON.stringify(first.finished()))
    const second = study({ space, rng: rng(3), finished })
    play(second, 25 - stoppedAt)
    expect(second.finished()).toEqual(whole.finished())
    expect(second.best()).toEqual(whole.best())
  })

  test('knows its best, the earliest of several, and has none at first', async () => {
    const tuned = study({ space: {}, rng: rng(1), sampler: randomSampler() })
    expect(tuned.best()).toBeUndefined()
    const values = [5, 2, NaN, 2, 3]
    const best = await tuned.optimise(({ number }) => values[number]!, { trials: 5 })
    expect(best).toMatchObject({ number: 1, value: 2 })
    const upwards = study({ space: {}, rng: rng(1), direction: 'maximise', finished: tuned.finished() })
    expect(upwards.best()).toMatchObject({ number: 0, value: 5 })
  })

  test('optimise counts the trials that were there, and waits for promises', async () => {
    const tuned = fresh(4)
    play(tuned, 3)
    await tuned.optimise(async ({ params }) => params.beta, { trials: 5 })
    expect(tuned.finished()).toHaveLength(5)
    await tuned.optimise(() => Number.NaN, { trials: 5 })
    expect(tuned.finished()).toHaveLength(5)
  })

  test('an error is a failed trial with its message, not the end', async () => {
    const tuned = fresh(5)
    const run = ({ number }: Trial<Space>) => {
      if (number === 1) throw new Error('out of range')
      return number
    }
    await tuned.optimise(run, { trials: 3 })
    expect(tuned.finished().map(({ state }) => state)).toEqual(['complete', 'failed', 'complete'])
    expect(tuned.finished()[1]).toMatchObject({ value: null, message: 'out of range' })
  })

  test('numbers trials under way apart, gives lost numbers again, and lists by number', () => {
    const tuned = study({ space, rng: rng(6), sampler: randomSampler() })
    const [a, b, c] = [tuned.ask(), tuned.ask(), tuned.ask()]
    tuned.tell(c, 3)
    tuned.tell(a, 1)
    expect(tuned.finished().map(({ number }) => number)).toEqual([0, 2])
    expect(tuned.ask().number).toBe(3)
    const resumed = study({ space, rng: rng(6), sampler: randomSampler(), finished: tuned.finished() })
    expect(resumed.ask().params).toEqual(b.params)
  })

  test('finished trials cannot be changed', () => {
    const tuned = fresh(7)
    const trial = tuned.ask()
    trial.report(0, 1)
    const record = tuned.tell(trial, 4)
    const loosened = record as unknown as { value: number; params: { beta: number }; reports: { value: number }[] }
    for (const change of [
      () => (loosened.value = 0),
      () => (loosened.params.beta = 0),
      () => (loosened.reports[0]!.value = 0),
      () => loosened.reports.push({ value: 0 }),
      () => (tuned.finished() as unknown[]).push(record),
    ]) {
      expect(change).toThrow(TypeError)
    }
    expect(() => tuned.tell(trial, 5)).toThrow('trial 0 is not under way in this study; a trial is told once')
    expect(() => trial.report(1, 2)).toThrow('trial 0 is not under way')
    expect(() => fresh(7).tell(tuned.ask(), 1)).toThrow('trial 1 is not under way in this study')
  })

  test('given trials are copied', () => {
    const given = { number: 0, params: { rate: 0.1, beta: 0.5, layers: 2, kind: 'a' as const }, reports: [] }
    const trial = { ...given, state: 'complete' as const, value: 3 }
    const tuned = study({ space, rng: rng(1), finished: [trial] })
    trial.value = 0
    expect(tuned.best()!.value).toBe(3)
  })
})

describe('what a trial tells', () => {
  test.each([
    [2.5, { state: 'complete', value: 2.5 }],
    [NaN, { state: 'failed', value: null, message: 'the value was NaN' }],
    [Infinity, { state: 'failed', value: null, message: 'the value was Infinity' }],
    ['failed', { state: 'failed', value: null }],
    ['pruned', { state: 'pruned', value: 7 }],
  ] as const)('%s', (outcome, record) => {
    const tuned = fresh(1)
    const trial = tuned.ask()
    trial.report(0, NaN)
    trial.report(3, 7)
    const { number, params } = trial
    const reports = [
      { step: 0, value: null },
      { step: 3, value: 7 },
    ]
    expect(tuned.tell(trial, outcome)).toEqual({ number, params, reports, ...record })
  })

  test('steps increase', () => {
    const trial = fresh(1).ask()
    trial.report(2, 1)
    expect(() => trial.report(2, 1)).toThrow('step is 2; it is a whole number of at least 3')
    expect(() => trial.report(2.5, 1)).toThrow('step is 2.5')
  })
})

describe('pruning', () => {
  test('nobody prunes without a pruner, or without a history', () => {
    const bare = fresh(1).ask()
    bare.report(0, 1e9)
    expect(bare.shouldPrune()).toBe(false)
    const first = study({ space, rng: rng(1), pruner: medianPruner() }).ask()
    expect(first.shouldPrune()).toBe(false)
    first.report(0, 1e9)
    expect(first.shouldPrune()).toBe(false)
  })

  test('saves the steps of hopeless rates, and the best is found all the same', async () => {
    let steps = 0
    const descend = (trial: Trial<{ rate: Space['rate'] }>) => {
      const bowl = (x: Float64Array) => ({ value: x[0]! * x[0]!, gradient: x.map((a) => 2 * a) })
      const found = minimise(sgd({ learningRate: trial.params.rate }), bowl, Float64Array.of(1), {
        maxIterations: 20,
        aborted({ iteration, value }) {
          steps++
          trial.report(iteration, value)
          return trial.shouldPrune()
        },
      })
      return found.reason === 'aborted' ? 'pruned' : found.value
    }
    const run = async (pruner: ReturnType<typeof medianPruner> | undefined) => {
      steps = 0
      const rate = logRange(1e-4, 0.4)
      const tuned = study({ space: { rate }, rng: rng(1), ...(pruner ? { pruner } : {}) })
      const best = await tuned.optimise(descend, { trials: 30 })
      return { best: best!.value!, steps, states: tuned.finished().map(({ state }) => state) }
    }
    const [pruned, full] = [await run(medianPruner()), await run(undefined)]
    expect(pruned.states).toContain('pruned')
    expect(pruned.steps).toBeLessThan(0.8 * full.steps)
    expect(full.steps).toBe(30 * 21)
    expect(pruned.best).toBeLessThan(1e-8)
  })
})

test('what cannot be meant is refused', async () => {
  const params = { rate: 0.1, beta: 0.5, layers: 2, kind: 'a' as const }
  const record = { number: 0, params, state: 'complete' as const, value: 1, reports: [] }
  const resume = (...finished: object[]) => study({ space, rng: rng(1), finished: finished as never })
  expect(() => resume(record, record)).toThrow('finished trial 0 is given twice')
  expect(() => resume({ ...record, params: { ...params, rate: 2 } })).toThrow(
    'finished trial 0 has rate = 2; trials must come from a study of this very space',
  )
  const { kind, ...fewer } = params
  expect(() => resume({ ...record, params: fewer })).toThrow('finished trial 0 has kind = undefined')
  expect(() => resume({ ...record, params: { ...params, more: 1 } })).toThrow('finished trial 0 has more = 1')
  expect(() => resume({ ...record, value: null })).toThrow('finished trial 0 is complete with value null')
  expect(() => resume({ ...record, number: -1 })).toThrow('number of a finished trial is -1')
  await expect(study({ space, rng: rng(1), sampler: tpeSampler() }).optimise(() => 1, { trials: 1.5 })).rejects.toThrow(
    'trials is 1.5',
  )
})

test('ranks: complete by value, pruned by how far they got, failed; ties by number', () => {
  const trial = (
    number: number,
    state: FinishedTrial['state'],
    value: number | null,
    steps: readonly number[] = [],
  ) => ({
    ...{ number, state, value, params: {} },
    reports: steps.map((step) => ({ step, value: 1 })),
  })
  const trials = [
    ...[trial(0, 'failed', null), trial(1, 'pruned', null), trial(2, 'pruned', 4, [0]), trial(3, 'pruned', 3, [0])],
    ...[trial(4, 'pruned', 9, [0, 5]), trial(5, 'complete', 2, [7]), trial(6, 'complete', 1), trial(7, 'complete', 2)],
    ...[trial(8, 'failed', null, [4]), trial(9, 'pruned', null)],
  ]
  const numbers = (direction: 'minimise' | 'maximise') => ranked(trials, direction).map(({ number }) => number)
  expect(numbers('minimise')).toEqual([6, 5, 7, 4, 3, 2, 1, 9, 0, 8])
  expect(numbers('maximise')).toEqual([5, 7, 6, 4, 2, 3, 1, 9, 0, 8])
  expect(ranked([...trials].reverse(), 'minimise').map(({ number }) => number)).toEqual(numbers('minimise'))
  expect([3, null, undefined].map((value) => loss(value, 'maximise'))).toEqual([-3, Infinity, Infinity])
  expect([3, null, undefined].map((value) => loss(value, 'minimise'))).toEqual([3, Infinity, Infinity])
})
