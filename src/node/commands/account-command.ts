/** `overhear account`: (epsilon, delta) spent, from flags, a scenario, a run or a recording; or what keeps to a target. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { noiseFor, rateFor, stepsFor } from '../../accounting/calibrate.js'
import type { Mechanism, Neighbours } from '../../accounting/mechanism.js'
import { oneRunLowerBound } from '../../accounting/one-run.js'
import { measuredEpsilon } from '../../audit/account/measured.js'
import { reachText } from '../../audit/account/privacy-words.js'
import { type ClientSpent, clientsSpent, type Spent, spentBy } from '../../audit/account/spent.js'
import { beside, boundsText, claimText, meaning, relationText, type Unit } from '../../audit/account/spent-words.js'
import { OverhearError } from '../../errors.js'
import { textTable } from '../../report/text-table.js'
import { readAudit } from '../files/audit-file.js'
import { loadSetup } from '../files/setup-file.js'
import { print, printJson } from '../print.js'
import { commonFlags, defined, parseNamed, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  'sample-rate': { type: 'string' },
  'noise-multiplier': { type: 'string' },
  steps: { type: 'string' },
  delta: { type: 'string' },
  epsilon: { type: 'string' },
  batches: { type: 'string' },
  neighbours: { type: 'string' },
  transcript: { type: 'string' },
  canaries: { type: 'string' },
  guesses: { type: 'string' },
  correct: { type: 'string' },
  confidence: { type: 'string' },
  empirical: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parseNamed<typeof flags>>['values']

export function plain(name: keyof Values, values: Values, range: { least: number; most: number }): number | undefined {
  const text = values[name]
  if (text === undefined) return undefined
  const value = Number(text)
  const { least, most } = range
  if (String(text).trim() !== '' && value > least && value <= most) return value
  throw new OverhearError('E_VALUE', `--${name} is "${text}"`, `a number above ${least} and at most ${most} is needed`)
}

function choice<T extends string>(name: keyof Values, values: Values, known: readonly T[]): T {
  const text = (values[name] as string | undefined) ?? known[0]!
  if ((known as readonly string[]).includes(text)) return text as T
  throw new OverhearError('E_INPUT', `--${name} is "${text}"`, `known: ${known.join(', ')}`)
}

const needed = <T>(value: T | undefined, name: string): T => {
  if (value !== undefined) return value
  throw new OverhearError('E_INPUT', `--${name} is missing`, 'give a scenario, a recording, or all flags: see --help')
}

export async function runAccount(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  const path = values.transcript ?? name
  const printed = path === undefined ? fromFlags(values) : await fromFile(path, values)
  await (values.json ? printJson(printed.json) : print(printed.text))
  return 0
}

interface Printed {
  readonly json: object
  readonly text: string
}

const small = { least: 0, most: 1 }
const large = { least: 0, most: 1e9 }

function fromFlags(values: Values): Printed {
  const sampleRate = plain('sample-rate', values, small)
  const noiseMultiplier = plain('noise-multiplier', values, large)
  const steps = wholeNumber('steps', values.steps)
  const delta = needed(plain('delta', values, small), 'delta')
  const target = plain('epsilon', values, large)
  const kind = choice('batches', values, ['poisson', 'fixed'])
  const neighbours = kind === 'fixed' ? 'replace' : choice<Neighbours>('neighbours', values, ['add-remove', 'replace'])
  if (target !== undefined) return calibrated(values, { epsilon: target, delta, neighbours })
  const mechanism: Mechanism = {
    kind: kind === 'fixed' ? 'fixed-size' : 'gaussian',
    sampleRate: needed(sampleRate, 'sample-rate'),
    noiseMultiplier: needed(noiseMultiplier, 'noise-multiplier'),
    steps: needed(steps, 'steps'),
  }
  const spent = spentBy([mechanism], { delta, neighbours })
  const measured = measuredBy(values, delta)
  const against = measured === undefined ? undefined : beside(measured, spent.epsilon)
  const json = {
    mechanism,
    unit: 'record',
    ...documentOf(spent, 'record'),
    ...(against && { measured, ...against }),
  }
  return { json, text: [...(against ? [coloured(against)] : []), textOf(spent, 'record')].join('\n') }
}

/** A broken mechanism is said first, in red where there are colours. */
const coloured = ({ broken, sentence }: ReturnType<typeof beside>): string =>
  broken && process.stdout.isTTY === true ? `\u001b[31m${sentence}\u001b[0m` : sentence

function measuredBy(values: Values, delta: number): number | undefined {
  if (values.canaries === undefined && values.guesses === undefined && values.correct === undefined) return undefined
  const count = (name: 'canaries' | 'guesses' | 'correct'): number => needed(wholeNumber(name, values[name]), name)
  const confidence = plain('confidence', values, { least: 0, most: 0.999999999 }) ?? 0.95
  const [canaries, guesses, correct] = [count('canaries'), count('guesses'), count('correct')]
  return oneRunLowerBound({ canaries, guesses, correct }, { delta, confidence })
}

function calibrated(values: Values, target: { epsilon: number; delta: number; neighbours: Neighbours }): Printed {
  const sampleRate = plain('sample-rate', values, small)
  const noiseMultiplier = plain('noise-multiplier', values, large)
  const steps = wholeNumber('steps', values.steps)
  const given = [sampleRate, noiseMultiplier, steps].filter((one) => one !== undefined).length
  if (given !== 2 || values.batches === 'fixed') {
    const hint = 'of --sample-rate, --noise-multiplier and --steps give two, for Poisson batches: the third is found'
    throw new OverhearError('E_INPUT', `a target --epsilon with ${given} of three flags`, hint)
  }
  const found =
    noiseMultiplier === undefined
      ? { noiseMultiplier: noiseFor(target, { sampleRate: sampleRate!, steps: steps! }) }
      : sampleRate === undefined
        ? { sampleRate: rateFor(target, { noiseMultiplier, steps: steps! }) }
        : { steps: stepsFor(target, { noiseMultiplier, sampleRate }) }
  const mechanism = {
    kind: 'gaussian',
    sampleRate: 1,
    noiseMultiplier: 1,
    steps: 1,
    ...one({ sampleRate, noiseMultiplier, steps }),
    ...found,
  } as const
  const spent = spentBy([mechanism], target)
  const words = Object.entries(found).map(([key, value]) => `${key} ${Number(value.toPrecision(7))}`)
  return {
    json: { target, found, mechanism, unit: 'record', ...documentOf(spent, 'record') },
    text: `${words[0]} keeps to epsilon ${target.epsilon} at delta ${target.delta}\n${textOf(spent, 'record')}`,
  }
}

const one = (values: Readonly<Record<string, number | undefined>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Of the folder of a run: its scenario, and the audit whose attacks the bound is held against. */
const ofRun = (path: string) => {
  const [scenario, audited] = ['scenario.json', 'audit.json'].map((name) => join(path, name)) as [string, string]
  return existsSync(scenario) && existsSync(audited) ? { scenario, audit: readAudit(path) } : undefined
}

async function fromFile(path: string, values: Values): Promise<Printed> {
  const run = ofRun(path)
  const { setup, scenario, files } = await loadSetup(run?.scenario ?? path, {
    plugins: values.plugin ?? [],
    trustPlugins: values['trust-plugins'],
    dataDir: values['data-dir'],
  })
  if (values.empirical && scenario === undefined)
    throw new OverhearError(
      'E_INPUT',
      `--empirical with the recording ${path}`,
      'canaries are put into a training: give a scenario',
    )
  const unit: Unit = setup.privacy?.unit ?? 'record'
  const clients = clientsSpent(setup, plain('delta', values, small))
  const [worst] = clients
  if (worst === undefined) throw new OverhearError('E_INPUT', `${path}: there are no clients`, 'nothing was spent')
  const claimed = setup.privacy?.epsilon ?? null
  const measured =
    values.empirical && scenario !== undefined
      ? await measuredEpsilon(scenario, setup, {
          files: files!,
          canaries: wholeNumber('canaries', values.canaries) ?? 500,
          confidence: plain('confidence', values, { least: 0, most: 0.999999999 }) ?? 0.95,
          seed: wholeNumber('seed', values.seed) ?? scenario.seed,
          ...defined({ delta: plain('delta', values, small) }),
        })
      : undefined
  const against = measured && beside(measured.epsilon, measured.accounted.epsilon)
  const reached = run && reachText(worst.advantage, { unit, questions: run.audit.questions })
  return {
    json: {
      from: setup.from,
      unit,
      claimed,
      ...documentOf(worst, unit),
      clients,
      ...(reached !== undefined && { reached }),
      ...(against && { measured, ...against }),
    },
    text: [
      ...(against ? [coloured(against)] : []),
      ...claimText(claimed, worst.epsilon),
      textOf(worst, unit),
      ...(reached === undefined ? [] : [`${reached}.`]),
      clientTable(setup.from, clients),
    ].join('\n'),
  }
}

export function clientTable(from: 'scenario' | 'transcript', clients: readonly ClientSpent[]): string {
  const shown = clients.slice(0, 20)
  const rows = shown.map(({ client, turns, steps, epsilon, advantage }) => {
    return [client, turns, steps, boundsText(epsilon), advantage.toFixed(3)]
  })
  const turns = from === 'scenario' ? 'turns at most' : 'turns'
  const left = clients.length - shown.length
  const table = textTable(['client', turns, 'steps', 'epsilon', 'advantage'], rows)
  return left > 0 ? `${table}\nand ${left} clients that spend no more` : table
}

const documentOf = (spent: Spent, unit: Unit) => {
  const { neighbours, delta, epsilon, renyi, advantage } = spent
  return { neighbours, delta, accountant: 'privacy-losses', epsilon, renyi, advantage, means: meaning(spent, unit) }
}

function textOf(spent: Spent & { readonly batches?: string }, unit: Unit): string {
  const { epsilon, delta, neighbours, renyi, batches } = spent
  const by = epsilon.lower === 0 && epsilon.upper === renyi?.epsilon ? 'Rényi divergences alone' : 'privacy losses'
  return [
    `epsilon ${boundsText(epsilon)} at delta ${delta}, by ${by}; neighbours: ${relationText(neighbours, unit)}`,
    ...(batches === undefined ? [] : [`batches: ${batches}`]),
    renyi === null
      ? 'by Rényi divergences: no bound for these batches under replacement'
      : `by Rényi divergences: ${renyi.epsilon.toFixed(4)} at order ${renyi.order} (${renyi.conversion} conversion)`,
    meaning(spent, unit),
  ].join('\n')
}
