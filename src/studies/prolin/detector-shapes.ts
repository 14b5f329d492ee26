/** What [prolin] Figs. 2, 6 and 7 show of the detectors of some rounds: how their features lie apart, and their weights. */

import { featureSums } from '../../attacks/properties/detector/feature-sums.js'
import { featureOptions, propertyNeeds, propertyUses } from '../../attacks/properties/property-attack.js'
import { sumsOf } from '../../attacks/properties/usable-sums.js'
import { OverhearError } from '../../errors.js'
import { norm } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import { grant } from '../../threat/grant.js'
import { recordedRun } from '../recorded-run.js'
import type { StudyPorts } from '../study.js'
import { guilty, type ProlinWorld, prolinScenario } from './prolin-world.js'

export interface RoundShape {
  readonly round: number
  /** |a| of g_r. */
  readonly weights: number
  readonly plusMean: number
  readonly plusStd: number
  readonly minusMean: number
  readonly minusStd: number
  /** The area that both densities have in common. */
  readonly overlap: number
}

/** Trains a federation, and the detectors of the rounds asked for. */
export async function detectorShapes(
  world: ProlinWorld,
  { rounds, pairs }: { readonly rounds: readonly number[]; readonly pairs: number },
  ports: StudyPorts,
): Promise<RoundShape[]> {
  const run = await recordedRun(prolinScenario(world), ports)
  const sources = await run.sources(guilty[0]!)
  const { transcript } = sources
  const chosen = transcript.rounds().filter(({ round }) => rounds.includes(round))
  const some = { ...sources, transcript: { ...transcript, rounds: () => chosen } }
  const { view, missing } = await grant(some, 'secagg-server', [...propertyNeeds, 'participation'], propertyUses)
  if (view === undefined) throw new OverhearError('E_INTERNAL', `internal: the sums lack ${missing.join(', ')}`)
  const own = { pairs, features: 1, records: 0, floor: 0.1, maxNorm: 2, rounds: 0, curve: 0, property: 'given' }
  const found: RoundShape[] = []
  await featureSums(view, sumsOf(view), featureOptions(view, own, {}), {
    rng: rng(world.seed).fork('studies', 'detectors'),
    tick() {},
    onDetector({ a, shape }, { index }) {
      const { plusMean, plusStd, minusMean, minusStd, v } = shape
      found[index] = {
        round: chosen[index]!.round,
        weights: norm(a),
        plusMean,
        plusStd,
        minusMean,
        minusStd,
        overlap: 1 - v,
      }
    },
  })
  return found
}
