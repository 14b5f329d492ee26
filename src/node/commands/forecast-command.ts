/** `overhear forecast`: after how many rounds sums would give a client away, from the sampling alone. */
import { atRandom, clientAtRandom, type Forecast } from '../../audit/account/planned-exposure.js'
import { OverhearError } from '../../errors.js'
import { print, printJson } from '../print.js'
import { commonFlags, parseNamed, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  clients: { type: 'string' },
  'per-round': { type: 'string' },
  rounds: { type: 'string' },
  signal: { type: 'string' },
  share: { type: 'string' },
  client: { type: 'string' },
} as const

function above0(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && value <= most) return value
  throw new OverhearError('E_VALUE', `--${name} is "${text}"`, `a number above 0 and at most ${most} is needed`)
}

function needed<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value
  throw new OverhearError('E_INPUT', `--${name} is missing`, 'see overhear forecast --help')
}

export async function runForecast(args: readonly string[]): Promise<number> {
  const { values } = parseNamed(args, flags)
  const clients = needed(wholeNumber('clients', values.clients), 'clients')
  const perRound = needed(wholeNumber('per-round', values['per-round']), 'per-round')
  const rounds = needed(wholeNumber('rounds', values.rounds), 'rounds')
  const signal = needed(above0('signal', values.signal, 1e6), 'signal')
  const share = above0('share', values.share, 0.999) ?? 0.1
  if (perRound > clients) {
    throw new OverhearError('E_VALUE', `--per-round is ${perRound} of ${clients} clients`, 'at most all take part')
  }
  const given = { clients, perRound, rounds }
  const found = atRandom(given, { signal, share })
  const seed = wholeNumber('seed', values.seed) ?? 1
  const asked = { ...given, signal, share, seed }
  const one = values.client === undefined ? undefined : clientAtRandom(values.client, asked)
  if (values.json) {
    await printJson({ ...given, signal, share, forecast: found, ...(one !== undefined && { client: one }) })
    return 0
  }
  const lines = [
    `${clients} clients, ${perRound} of them at random in each of ${rounds} rounds, a feature of signal ${signal}:`,
    `  a client with the property is given away ${words(found, rounds)}`,
    ...(one === undefined
      ? []
      : [`  client ${one.id}, in ${one.takesPart} of the rounds: ${words(one.forecast, rounds)}`]),
  ]
  await print(lines.join('\n'))
  return 0
}

function words({ soonest, usual, latest }: Forecast, rounds: number): string {
  if (usual === null)
    return `not within ${rounds} rounds as a rule${soonest === null ? '' : `, with luck after ${soonest}`}`
  return `after ${usual} rounds as a rule (one in ten by ${soonest}, nine in ten by ${latest ?? `more than ${rounds}`})`
}
