/** A claim under the stated protocol; where that is refused, under the one that is heard, less sure of itself. */

import type { View } from '../../threat/granted-keys.js'
import { type Claimed, type Context, type Detail, Inapplicable } from '../attack.js'
import { asHeard, type Believed, believedProtocol, picked, undoubted } from './believed-protocol.js'
import { wordsOf } from './heard-protocol.js'

/**
 * What is missing where it is the protocol that does not explain a message, or does not say enough. A claim that merely doubts
 * itself states no error, and auxiliary records that are unlike the client's make it doubt as well: that is not worth a search.
 */
const protocolGaps = ['a protocol that explains the update', 'learningRate', 'plain steps'] as const

/** Stated errors are so many times as large under a protocol that is heard: its numbers are estimates too. Those of counts are not stated. */
const wider = 3

/** What is looked at to hear a protocol: auxiliary records stand for the client's, whose labels are sought. */
const heardBy = ['exchanges', 'protocol', 'model', 'loss', 'samples', 'auxiliary', 'auxiliary.label'] as const
type Hearing = View<'exchanges' | 'protocol' | 'model' | 'loss'> &
  Partial<View<'samples' | 'auxiliary' | 'auxiliary.label'>>

/** What is heard is believed only where the attempt is at one with it, as `details.explained` says. */
export async function believing<V extends Hearing>(
  view: V,
  { rng, derive }: Pick<Context, 'rng' | 'derive'>,
  attempt: (view: V) => Promise<Claimed>,
): Promise<Claimed> {
  const first = await attempted(view, attempt)
  if (!(first instanceof Inapplicable)) return { ...first, fit: undoubted(view, pOf(first)) }
  const believed = await believedProtocol(picked<Hearing, (typeof heardBy)[number]>(view, heardBy), {
    rng: rng.fork('protocol'),
    derive,
  })
  const heard = believed.differs && believed.explained
  const again = heard ? await attempted(asHeard(view, believed), attempt) : undefined
  if (again instanceof Inapplicable)
    throw new Inapplicable(again.outcome.missing, `${again.message} (${believed.words})`)
  if (again !== undefined && again.details.explained !== false) return told(again, believed)
  throw first
}

async function attempted<V>(view: V, attempt: (view: V) => Promise<Claimed>): Promise<Claimed | Inapplicable> {
  try {
    return await attempt(view)
  } catch (error) {
    const gap =
      error instanceof Inapplicable && error.outcome.missing.some((one) => protocolGaps.includes(one as never))
    if (!gap) throw error
    return error
  }
}

function pOf({ claims }: Claimed): number | null {
  const fits = claims.flatMap((one) => ('fit' in one && one.fit !== undefined ? [one.fit.p] : []))
  return fits.length === 0 ? null : Math.min(...fits)
}

function told({ details, warnings, ...claim }: Claimed, { fit, words, stated, heard }: Believed): Claimed {
  const { error, errors } = details
  const widened = (one: Detail): Detail => (typeof one === 'number' ? wider * one : one)
  const counted = claim.claims.some(({ kind }) => kind === 'metaclass-counts')
  return {
    ...claim,
    fit,
    warnings: [...warnings, `the update does not fit what is stated; ${words}`],
    details: {
      ...details,
      stated: wordsOf(stated),
      heard: wordsOf(heard),
      ...(typeof error === 'number' && { error: wider * error }),
      ...(Array.isArray(errors) && { errors: counted ? null : errors.map(widened) }),
    },
  }
}
