/**
 * What answers in the place of trainings and attacks when studies are asked what they would do: every call is noted, and
 * every answer is drawn by what was asked. With seed 1 more things are as a study seldom meets them: no list of clients,
 * no view, a training that fails.
 */
import { createHash, type Hash } from 'node:crypto'
import type { Records } from '../src/data/records.js'
import { OverhearError } from '../src/errors.js'
import type { Score } from '../src/metrics/score.js'
import type { Rng } from '../src/numeric/random/rng.js'
import type { Scenario, ScenarioInput } from '../src/scenario/scenario-schema.js'
import type { Asked, RecordedRun, Recorder } from '../src/studies/recorded-run.js'
import { madeStage, pooled } from './study-worlds.js'

/** Everything that was asked since `forget`, as a digest. */
let notes: Hash = createHash('sha256')
export function forget(): void {
  notes = createHash('sha256')
}
export const noted = (): string => notes.digest('hex').slice(0, 12)
export function note(...values: readonly unknown[]): void {
  notes.update(`${textOf(values)}\n`)
}

/** A value in words: what JSON leaves out is in them, and long lists of numbers are told by their digest. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'number') return Number.isFinite(one) && !Object.is(one, -0) ? one : `number ${one}`
    if (typeof one === 'function') return 'a function'
    if (one instanceof Map) return [...one]
    if (ArrayBuffer.isView(one))
      return `${one.constructor.name} ${sha(new Uint8Array(one.buffer, one.byteOffset, one.byteLength))}`
    return one
  }) ?? 'nothing'
const sha = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex').slice(0, 12)

/** A number in 0..1 that follows from what is given. */
export function drawnOf(...values: readonly unknown[]): number {
  let state = 7
  for (const char of textOf(values)) state = (state * 48_271 + char.charCodeAt(0)) % 2_147_483_647
  return ((state * 48_271) % 2_147_483_647) / 2_147_483_647
}

/** Whatever is asked for by name, drawn; of some there is nothing now and then. */
const figuresBy = (key: unknown): Record<string, number> =>
  new Proxy<Record<string, number>>(
    {},
    {
      get(_, name) {
        const value = drawnOf(key, name)
        if (name === 'truth') return 20 * value - 10
        return value < 0.15 && /^(iAcc|cAcc|chanceCAcc|accuracyOnTest)$/.test(String(name)) ? undefined : value
      },
    },
  )

/** Errors from none at all to large ones, the limit of a found record among them. */
const errors = [0, 0.01, 0.01 * Math.sqrt(35), 0.06, 1]
function drawnScore(key: unknown, attack: string) {
  const value = drawnOf(key)
  return {
    metric: value < 0.3 ? 'accuracy' : value < 0.6 ? 'cAcc' : 'iAcc',
    value: attack === 'regression-label' ? [0, 1e-4, 1e-2, 1][Math.floor(4 * value)]! * drawnOf(key, 'error') : value,
    accuracy: drawnOf(key, 'accuracy'),
    also: figuresBy(key),
    chance: attack === 'llg' && drawnOf(key, 'guess') < 0.2 ? null : value / 2,
    perRecord: errors.map((_, i) => errors[Math.floor(errors.length * drawnOf(key, 'record', i))]!),
    pairedWith: errors.map((_, i) => Math.floor(4 * drawnOf(key, 'pair', i)) - 1),
  }
}

/** A transcript of 320 rounds of fifteen clients, as far as studies read one. */
function drawnSources(scenario: ScenarioInput, target: string) {
  const ids = Array.from({ length: 15 }, (_, i) => `${i}`)
  const samples = (id: string): number | null => (id === '4' ? null : Math.floor(50 * drawnOf(scenario.name, id)))
  const clients = scenario.seed === 1 ? { count: 15 } : ids.map((id) => ({ id, samples: samples(id) }))
  const rounds = Array.from({ length: 320 }, (_, round) => {
    return { round, participants: ids.filter((id) => drawnOf(scenario.seed, target, round, id) < 0.5) }
  })
  return { scenario, transcript: { manifest: { clients }, rounds: () => rounds }, knowledge: { target } }
}

/** As the real one reads it; loaded late, as what it needs is stood in for here. */
async function readInput(input: ScenarioInput): Promise<Scenario> {
  const { readScenario } = await import('../src/audit/read-scenario.js')
  return readScenario(input)
}

export async function recordedRun(input: ScenarioInput, _: unknown, record?: Recorder): Promise<RecordedRun> {
  note('scenario', input, record)
  const folder = (path: string): never => ({ path }) as never
  const scenario = await readInput(input)
  const { targets } = (await record?.(scenario, folder)) ?? { targets: Array.from({ length: 12 }, (_, i) => `${i}`) }
  note('targets', targets)
  const world = textOf(input)
  const score = async (attack: string, how: Asked) => {
    note(attack, how)
    return drawnScore([world, attack, how], attack) as unknown as Score
  }
  return {
    targets,
    score,
    async scoreIfAny(attack, how) {
      const nothing = input.seed === 1 && attack === 'lmra-exact'
      return nothing || drawnOf('any', world, attack, how) < 0.1 ? undefined : score(attack, how)
    },
    async attack(attack, how) {
      const one = await score(attack, how)
      const drawn = drawnOf('findings', world, attack, how)
      const findings =
        drawn < 0.1 ? [] : [{ score: drawn < 0.2 ? null : drawn < 0.3 ? { ...one, accuracy: undefined } : one }]
      const measured = drawn > 0.9 ? {} : { mappingMiss: 2 * drawn, condition: 1 / drawn }
      const details = { ...measured, ...(drawn < 0.8 && { labelOnly: [{ agreement: drawn }, { agreement: 0 }] }) }
      return { attack, status: 'claimed', findings, details } as never
    },
    async sources(target) {
      note('sources', target)
      return drawnSources(input, target) as never
    },
  }
}

/** An audit with answers of its own on each rung, some of which are missing. */
export function audit(input: ScenarioInput, options: object) {
  note('audit', input, Object.keys(options))
  const key = textOf(input)
  const rung = (name: string): number | null => (drawnOf(key, name) < 0.1 ? null : drawnOf(key, name, 'value'))
  const questions = ['one', 'other', undefined].map((name, i) => {
    const at = (cell: string) => rung(`${cell} ${i}`)
    const ladder = { guess: at('guess'), federation: at('federation'), client: at('client'), record: at('record') }
    return { kind: `kind ${i}`, ...(name && { name }), ladder: { metric: 'AUC', ...ladder } }
  })
  const utility = drawnOf(key, 'utility') < 0.3 ? {} : { first: { value: rung('use') }, second: { value: 1 } }
  return { result: readInput(input).then(() => ({ questions, utility })) }
}

/** What a study hands to a training, noted. */
const noting =
  <T>(name: string, answer: (...asked: never[]) => T) =>
  (...asked: never[]): T => {
    note(name, asked)
    return answer(...asked)
  }

export const accounting = { noiseFor: noting('noise', (...asked) => 1 + drawnOf(asked)) }
export const stages = {
  stageOf: noting('stage', async (scenario: Scenario) => madeStage(scenario)),
  defencesOf: noting('defences', ({ defences }: Scenario) => defences),
}
export const pools = { poolsOf: noting('pools', async ({ name }: Scenario) => ({ name })) }
export const manifests = { manifestFor: noting('manifest', (...asked) => ({ manifest: textOf(asked) })) }
export const writers = {
  openWriter: noting('writer', async (folder: object) => ({
    append: async (round: unknown) => note('append', folder, round),
  })),
}
type Writing = { encode(rows: ArrayLike<number>): { records: Records }; auxiliary: Int32Array; validation: Int32Array }
export const worlds = {
  async writeKnowledges(folder: object, { name }: Scenario, { encode, auxiliary, validation }: Writing) {
    note('knowledge', folder, name, encode(auxiliary), encode(validation))
  },
  writeTruths: noting('truth', async () => undefined),
}
export const utilities = {
  pooledRecords: noting('pooled', () => pooled),
  utilityOf: noting('utility', (...asked) => (theta: Float64Array) => {
    const [loss, r2] = [drawnOf(asked, theta), drawnOf('r2', asked, theta)]
    return { heldOut: { loss: Math.floor(4 * loss), ...(r2 > 0.3 && { r2 }) } }
  }),
}
export const federations = {
  async *federate(spec: { rounds: number; seed: number }, options: object) {
    note('federate', spec, options)
    const fate = spec.seed === 1 ? drawnOf('fate', spec, options) : 0.5
    if (fate > 0.95) throw new OverhearError('E_VALUE', 'it fails')
    if (fate < 0.05) throw new Error('it breaks')
    const participants = ['0', '1', '4']
    for (let round = 0; round < spec.rounds; round++) {
      const updates = new Map(Array.from({ length: 12 }, (_, id) => [`${id}`, drawnOf(spec, round, id)]))
      yield { round, participants, global: Float64Array.of(drawnOf(spec, options, round)), updates }
    }
  },
  async runToEnd(all: AsyncIterable<{ global: Float64Array }>) {
    let theta: Float64Array = new Float64Array(1)
    for await (const { global } of all) theta = global
    const drawn = theta[0]!
    if (drawn < 0.15) throw new OverhearError('E_NON_FINITE', 'it diverges')
    return { theta }
  },
}

/** Trains on nothing: its model follows from the steps. */
export function trainer(...asked: readonly unknown[]) {
  note('trainer', asked)
  let theta: Float64Array = new Float64Array(4)
  return {
    load(values: Float64Array) {
      theta = values.slice()
      note('load', values)
    },
    step(rows: ArrayLike<number>, rate: number) {
      note('step', Int32Array.from(rows), rate)
      theta = theta.map((x) => (x * 7 + rate) % 3)
    },
    theta: () => theta.slice(),
    release: () => note('released'),
  }
}

/** Detectors of the rounds that a view has. */
type View = { readonly rounds: readonly { round: number }[] }
export const detectors = {
  async grant(sources: ReturnType<typeof drawnSources>, ...asked: readonly unknown[]) {
    const rounds = sources.transcript.rounds()
    note('grant', sources.knowledge, rounds, asked)
    return sources.scenario.seed === 1 ? { missing: ['sums', 'protocol'] } : { view: { rounds } }
  },
  sumsOf: ({ rounds }: View) => ({ rounds }),
  featureOptions: noting('features', (_view, own: object) => own),
  async featureSums(
    { rounds }: View,
    _: unknown,
    options: object,
    { rng, tick, onDetector }: { rng: Rng; tick(): void; onDetector(detector: object, at: object): void },
  ) {
    tick()
    note('detectors', options, rng.normals(2))
    for (const [index, { round }] of rounds.entries()) {
      const { plusMean, plusStd, minusMean, minusStd, v } = figuresBy(['detector', options, round])
      const a = Float64Array.of(3 * drawnOf(round), 4)
      onDetector({ a, c: 0, shape: { plusMean, plusStd, minusMean, minusStd, v } }, { index, feature: 0 })
    }
  },
}

/** Who has a property, by nobody's method. */
const estimate =
  (name: string) =>
  (features: unknown, options: unknown, tools: { rng?: Rng; tick?(): void } = {}) => {
    tools.tick?.()
    const key = textOf([name, features, options, tools.rng?.normals(2)])
    note(key)
    const score = Float64Array.from({ length: 50 }, (_, i) => drawnOf(key, i))
    return { score, probability: null, positive: Array.from(score, (x) => x > 0.8) }
  }
const names = ['byOls', 'byReg', 'byProlin', 'byBlup', 'byPosterior']
export const estimators = Object.fromEntries(names.map((name) => [name, estimate(name)]))
