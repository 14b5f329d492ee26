/** The manifest of a federation's transcript. */
import { OverhearError } from '../errors.js'
import { architectureOf } from '../models/index.js'
import { chosen, tableOf } from '../registry.js'
import { settingsIn } from '../settings/index.js'
import type { Chosen, Setting } from '../settings/setting.js'
import type { ManifestInput } from '../transcript/manifest.js'
import type { Defence } from './hooks.js'
import type { Population } from './population.js'
import { type FederationSpec, settle } from './spec.js'
import { type States, statedProtocol } from './stated-protocol.js'

export type Listener = 'server' | 'secagg-server' | `eavesdropper:${string}`

export interface ManifestOptions {
  /** Whose ears the recording stands for; the server's unless told. */
  readonly recordedFor?: Listener
  readonly defences?: readonly Defence[]
  /** The id of a client that stays away, and is not listed. */
  readonly without?: string
  /** What the recording says of the protocol in the place of the truth. */
  readonly states?: States
  readonly source?: { readonly tool: string; readonly version?: string }
}

/** What a writer takes. */
export type ManifestToWrite = Pick<
  ManifestInput,
  'format' | 'source' | 'recordedFor' | 'model' | 'loss' | 'parameters' | 'protocol' | 'clients'
>

/** Above this many, clients who all hold as many records are written as a crowd. */
const mostListed = 10_000

/** What is public by design: the model, the loss, the protocol, who there is. */
export function manifestFor(
  spec: FederationSpec,
  population: Population,
  { recordedFor = 'server', defences = [], without, states = {}, source = { tool: 'overhear' } }: ManifestOptions = {},
): ManifestToWrite {
  const { model, modelSpec, loss, settings } = settle(spec)
  checkStatedOnce(defences, settings)
  const step = defences.find((defence) => defence.step !== undefined)?.step
  return {
    format: 'overhear-transcript/1',
    source,
    recordedFor,
    model: architectureOf(modelSpec),
    loss,
    parameters: model.parameters.map(({ name, shape }) => ({ name, shape: [...shape] })),
    protocol: statedProtocol(
      {
        ...protocolOf(settings),
        dropout: model.dropout?.rate ?? 0,
        ...(recordedFor === 'secagg-server' && { secureAggregation: true }),
        ...(step !== undefined && { differentialPrivacy: { mechanism: 'dp-sgd', ...step } }),
        ...Object.assign({}, ...defences.map(({ protocol }) => protocol)),
      },
      states,
    ),
    clients: clientsFor(population, { recordedFor, without }),
  }
}

/** What shortens a change is stated once, so that whoever plays a turn over shortens it alike. */
function checkStatedOnce(defences: readonly Defence[], { compression }: Readonly<Record<string, unknown>>): void {
  const set = (compression as Chosen | undefined)?.name ?? 'none'
  const names = defences.flatMap(({ name, protocol }) => (protocol?.compression ? [`defence ${name}`] : []))
  const all = [...(set === 'none' ? [] : [`training.compression ${set}`]), ...names]
  if (all.length < 2) return
  throw new OverhearError('E_VALUE', `${all.join(' and ')} both shorten what clients send`, 'keep one')
}

/** The settings that a recording tells, under the names that it has for them. */
function protocolOf(settings: Readonly<Record<string, unknown>>): ManifestInput['protocol'] {
  const told = Object.entries(settingsIn('training')).flatMap(([key, { value, manifest }]) =>
    manifest === undefined ? [] : [[manifest.key, toldAs(settings[key], { value, manifest })]],
  )
  return Object.fromEntries(told)
}

/** An entry stands in a recording with all its parameters beside its name. */
function toldAs(own: unknown, { value, manifest }: Pick<Setting, 'value' | 'manifest'>): unknown {
  if (value.kind !== 'entry' || manifest?.entry === undefined) return own
  if (own === undefined) return own // a rule that does not obey it has none
  const { name, params } = own as Chosen
  const { named, nothing } = manifest.entry
  if (name === nothing) return null
  return { [named]: name, ...chosen(tableOf(value.table), { name, ...params }).values }
}

/** Who there is, as far as the listener may know: an eavesdropper hears of no other client's number of records. */
function clientsFor(
  population: Population,
  { recordedFor, without }: { readonly recordedFor: Listener; readonly without: string | undefined },
): ManifestInput['clients'] {
  const { count, samplesEach } = population
  const target = recordedFor.startsWith('eavesdropper:') ? recordedFor.slice('eavesdropper:'.length) : undefined
  if (target !== undefined && population.indexOf(target) === undefined) {
    throw new OverhearError('E_VALUE', `recordedFor is "${recordedFor}"`, 'there is no such client')
  }
  if (count > mostListed && samplesEach !== undefined) {
    return { count, samples: target === undefined ? samplesEach : null }
  }
  return Array.from({ length: count }, (_, k) => population.id(k)).flatMap((id, k) => {
    if (id === without) return []
    return { id, samples: target === undefined || id === target ? population.samples(k) : null }
  })
}
