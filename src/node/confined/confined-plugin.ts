/** Attacks of a plug-in as the tables hold them, whose code never runs here: every run has a process of its own. */
import { type AnyView, type Attack, type ControlWorld, Inapplicable, type Outcome } from '../../attacks/attack.js'
import type { Plugin } from '../../audit/plugins.js'
import { type ErrorCode, OverhearError } from '../../errors.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Truth } from '../../transcript/truth-file.js'
import type { DescribedAttack, DescribedPlugin } from './confined-messages.js'
import { type Confined, openConfined, Refused } from './confined-process.js'
import { carryTruth, carryView } from './confined-view.js'

/** A plug-in that brings attacks alone, as it was described by a process that loaded it. */
export interface ConfinedPlugin extends DescribedPlugin {
  readonly file: string
}

const inWords = (file: string, error: unknown): OverhearError => {
  if (!(error instanceof Refused)) return error as OverhearError
  const { code, message } = error.error
  if (code !== '') return new OverhearError(code as ErrorCode, message)
  const found = `plug-in ${file} could not be loaded where it is confined: ${error.message.split('\n')[0]}`
  return new OverhearError('E_INPUT', found, 'mend it, or give --trust-plugins if its code may read whatever you may')
}

/** Loads a plug-in where it can do nothing, and says what it brings. */
export async function describePlugin(file: string): Promise<DescribedPlugin> {
  try {
    const { confined, loaded } = await openConfined([file])
    confined.end()
    return loaded as DescribedPlugin
  } catch (error) {
    throw inWords(file, error)
  }
}

const made = new Map<string, Plugin>()

/**
 * The plug-in with attacks that run elsewhere, the same one for a file every time; `beside` are the files of others, whose models
 * and the like it may name.
 */
export function confinedPlugin(described: ConfinedPlugin, beside: ReadonlySet<string>): Plugin {
  const { name, file } = described
  // Others may be loaded after it.
  const files = () => [...beside, file]
  const attacks = () => described.attacks.map((one) => confinedAttack(one, { name, files }))
  const plugin = made.get(file) ?? { name, attacks: attacks() }
  made.set(file, plugin)
  return plugin
}

interface Of {
  readonly name: string
  files(): readonly string[]
}

/** Whose world a planted view is. */
const worlds = new WeakMap<object, Confined>()

function confinedAttack(described: DescribedAttack, { name, files }: Of): Attack {
  const { plant, shuffle, ...about } = described
  const who = `plug-in ${name}, attack ${about.id}`
  const open = async (): Promise<Confined> => (await openConfined(files())).confined
  const control = (way: 'plant' | 'shuffle', none: string | null) => {
    if (none !== null) return { none }
    return async (input: ControlInput): Promise<ControlWorld<AnyView>> =>
      saying(who, async () => {
        const confined = await open()
        const view = carryView(input.view)
        const truth = input.truth === undefined ? undefined : carryTruth(input.truth)
        const task = { do: way, attack: about.id, params: input.params, rng: input.rng.address() }
        const more = truth === undefined ? {} : { truth: truth.carried }
        try {
          const answers = { ...view.answers, ...truth?.answers }
          const made = await confined.act({ ...task, view: view.carried, ...more }, answers)
          const { claims, params } = made as Omit<ControlWorld<AnyView>, 'view'>
          const world: AnyView = Object.freeze({})
          worlds.set(world, confined)
          answering.set(confined, answers)
          return { view: world, ...(claims !== undefined && { claims }), ...(params !== undefined && { params }) }
        } catch (error) {
          confined.end()
          throw error
        }
      })
  }
  return {
    ...(about as unknown as Omit<Attack, 'run' | 'plant' | 'shuffle'>),
    plant: control('plant', plant),
    shuffle: control('shuffle', shuffle),
    run: (given, context) =>
      saying(who, async () => {
        const planted = worlds.get(given)
        const confined = planted ?? (await open())
        try {
          const { carried, answers } = planted === undefined ? carryView(given) : { answers: answering.get(planted)! }
          const task = { attack: about.id, params: context.params, rng: context.rng.address() }
          const said = await confined.act(
            { ...task, do: 'run', ...(carried !== undefined && { view: carried }) },
            { ...answers, claimOf: context.claimOf as never },
            context.tick,
          )
          return outcomeOf(said as Said, context.tick)
        } finally {
          confined.end()
        }
      }),
  }
}

interface ControlInput {
  readonly view: AnyView
  readonly params: Readonly<Record<string, unknown>>
  readonly rng: Rng
  readonly truth?: Truth
}
/** What a planted world goes on to read. */
const answering = new WeakMap<Confined, ReturnType<typeof carryView>['answers']>()

interface Said {
  readonly outcome: Outcome
  readonly ticked?: { readonly done: number; readonly total: number }
  readonly changed?: string
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string')
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isClaim = (one: unknown): boolean =>
  isRecord(one) && typeof one.kind === 'string' && (one.kind !== 'model' || one.theta instanceof Float64Array)

/** What it claims, if it is a claim at all. */
function outcomeOf({ outcome, ticked, changed }: Said, tick: (done: number, total: number) => void): Outcome {
  if (ticked !== undefined) tick(ticked.done, ticked.total)
  if (changed !== undefined) {
    throw new OverhearError('E_VALUE', `the attack changed what all share (${changed}): nothing that it says counts`)
  }
  const { status, claims, warnings, details, missing } = (outcome ?? {}) as unknown as Record<string, unknown>
  if (status === 'not-applicable' && isTexts(missing)) return outcome
  const whole = Array.isArray(claims) && claims.every(isClaim)
  if (status === 'claimed' && whole && isTexts(warnings) && isRecord(details)) return outcome
  throw new OverhearError('E_VALUE', 'what it returned is no claim', 'claimed() makes one')
}

/** An error of the audit's kinds, whatever the process said: an interruption, say, is not the attack's to declare. */
async function saying<T>(who: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { code, message, missing } = error.error
    if (missing !== undefined) throw new Inapplicable([...missing], message)
    const own = /^E_[A-Z_]+$/.test(code) && code !== 'E_INTERRUPTED' && code !== 'E_INTERNAL'
    throw new OverhearError(own ? (code as ErrorCode) : 'E_INPUT', own ? message : `${who} threw ${message}`)
  }
}
