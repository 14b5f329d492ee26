/** Views and truths on their way into a confined process: what is plain is sent, what is read is asked for. */
import type { AnyView, Context } from '../../attacks/attack.js'
import type { Channel, Series } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import type { CarriedTruth, CarriedView } from './confined-messages.js'

/** What a process may ask for, by name. */
export type Answers = Record<string, (...given: never[]) => unknown>

const isSeries = (value: unknown): value is Series<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as Series<unknown>).read === 'function'

/** A view as data, and the answers to what it is asked. */
export function carryView(view: AnyView): { readonly carried: CarriedView; readonly answers: Answers } {
  const plain: Record<string, unknown> = {}
  const series: Record<string, readonly number[]> = {}
  const answers: Answers = {}
  for (const [key, value] of Object.entries(view)) {
    if (isSeries(value)) {
      series[key] = [...value.rounds]
      answers[`view.${key}`] = (round: number) => value.read(round)
    } else if (typeof value !== 'function') plain[key] = value
  }
  const { channel } = view
  if (channel === undefined) return { carried: { plain, series }, answers }
  const lines = new Map<number, Channel>([[0, channel]])
  answers['channel.send'] = (line: number, client: string, theta: Float64Array) => lines.get(line)!(client, theta)
  answers['channel.restart'] = (line: number, as: number) => void lines.set(as, lines.get(line)!.restart!())
  answers['channel.pass'] = (line: number, rounds: number) => lines.get(line)!.pass!(rounds)
  const able = { restart: channel.restart !== undefined, pass: channel.pass !== undefined }
  return { carried: { plain, series, channel: able }, answers }
}

export function carryTruth(truth: Truth): { readonly carried: CarriedTruth; readonly answers: Answers } {
  const { warnings, protocol } = truth
  const { batches, properties } = truth.listed?.() ?? { batches: [], properties: {} }
  return {
    carried: { warnings, batches, properties, ...(protocol !== undefined && { protocol }) },
    answers: {
      'truth.client': (id: string, names?: never) => truth.client(id, names),
      'truth.optimum': (id: string) => truth.optimum(id),
    },
  }
}

/** Asks the other side. */
export type AskFor = (to: string, ...given: readonly unknown[]) => Promise<never>

/** The view again, inside. */
export function unpackView({ plain, series, channel }: CarriedView, ask: AskFor): AnyView {
  const view: Record<string, unknown> = { ...plain }
  for (const [key, rounds] of Object.entries(series)) {
    view[key] = Object.freeze({
      rounds: Object.freeze([...rounds]),
      read: (round: number) => ask(`view.${key}`, round),
    })
  }
  if (channel !== undefined) view.channel = unpackChannel(channel, ask)
  return Object.freeze(view) as AnyView
}

function unpackChannel(able: NonNullable<CarriedView['channel']>, ask: AskFor): Channel {
  let lines = 0
  const line = (number: number): Channel => {
    const send: Channel = (client, theta) => ask('channel.send', number, client, theta)
    if (able.restart) {
      send.restart = () => {
        const as = ++lines
        void ask('channel.restart', number, as)
        return line(as)
      }
    }
    if (able.pass) send.pass = (rounds) => void ask('channel.pass', number, rounds)
    return Object.freeze(send)
  }
  return line(0)
}

export function unpackTruth({ warnings, batches, properties, protocol }: CarriedTruth, ask: AskFor): Truth {
  const rows = new Map(batches.map((one) => [`${one.round}/${one.client}`, one.rows]))
  return {
    warnings,
    client: (id, names) => ask('truth.client', id, names),
    optimum: (id) => ask('truth.optimum', id),
    batch: ({ round, client }) => rows.get(`${round}/${client}`),
    property: (name) => (Object.hasOwn(properties, name) ? properties[name] : undefined),
    ...(protocol !== undefined && { protocol }),
  }
}

/** A context inside, of what was sent. */
export const unpackContext = (given: Pick<Context, 'params' | 'rng' | 'tick'>, ask: AskFor): Context => ({
  ...given,
  claimOf: (id, params) => ask('claimOf', id, params),
})
