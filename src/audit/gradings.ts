/** What claims are graded with: the truth, and what a guesser who never listened has in hand. */
import type { Claim } from '../attacks/claim.js'
import type { Grading, Known } from '../metrics/grading.js'
import { functionsOf } from '../models/functions.js'
import { recordedModel } from '../models/index.js'
import type { Sources } from '../threat/grant.js'
import type { Transcript } from '../transcript/read-transcript.js'
import type { Truth, TruthFile } from '../transcript/truth-file.js'

const kept = new WeakMap<Sources, Promise<Known>>()

export async function gradingOf(
  claim: Claim,
  { sources, truth }: { readonly sources: Sources; readonly truth: Truth & Partial<TruthFile> },
): Promise<Grading> {
  const known = await knownOf(sources)
  const round = 'round' in claim ? claim.round : undefined
  const roundGlobal = round === undefined ? undefined : await globalAt(sources.transcript, round)
  const { contribution, heldBack } = truth
  const { metaclass, metaclasses } = known
  return {
    truth,
    known: { ...known, roundGlobal },
    ...(contribution !== undefined && { contribution }),
    ...(heldBack !== undefined && { testRecords: (client: string) => heldBack(client, { metaclass, metaclasses }) }),
  }
}

/** Everything that chance levels are made from; nothing of the target's messages is in it. */
export function knownOf(sources: Sources): Promise<Known> {
  const known = kept.get(sources) ?? readKnown(sources)
  kept.set(sources, known)
  return known
}

async function readKnown({ transcript, knowledge }: Sources): Promise<Known> {
  const { model, loss, protocol } = transcript.manifest
  const functions =
    model.kind === 'opaque' ? undefined : functionsOf(recordedModel(model), { loss, lossScale: protocol.lossScale })
  const outputs = functions?.model.outputs
  return {
    auxiliary: await knowledge?.auxiliary(),
    records: await knowledge?.records(),
    candidates: await knowledge?.candidates(),
    sensitive: knowledge?.sensitive,
    metaclass: knowledge?.metaclass,
    metaclasses: knowledge?.metaclasses,
    batchSize: knowledge?.batchSize,
    lastGlobal: await lastGlobal(transcript),
    classes: loss === 'mse' ? undefined : loss === 'binary-cross-entropy' ? 2 : outputs,
    functions,
    protocol,
  }
}

async function lastGlobal(transcript: Transcript): Promise<Float64Array | undefined> {
  for (const { round } of [...transcript.rounds()].reverse()) {
    const global = await globalAt(transcript, round)
    if (global !== undefined) return global
  }
  return undefined
}

async function globalAt(transcript: Transcript, round: number): Promise<Float64Array | undefined> {
  const has = transcript.rounds().some((entry) => entry.round === round)
  if (!has || !(await transcript.contents(round)).global) return undefined
  return (await transcript.readRound(round, { clients: [] })).global
}
