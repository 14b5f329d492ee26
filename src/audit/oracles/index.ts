/** The table of oracles, and how one is run. */
import type { AnyView } from '../../attacks/attack.js'
import { table } from '../../registry.js'
import { grant } from '../../threat/grant.js'
import type { Truth } from '../../transcript/truth-file.js'
import { contextOf, type Given, type Result, type Surroundings, settled } from '../run-attack.js'
import { activeAdamOracle } from './active-adam-oracle.js'
import { aiaGradientOracle } from './aia-gradient-oracle.js'
import { modelOracle, modelOracleAdam200 } from './model-oracle.js'
import type { Oracle } from './oracle.js'

export type { Oracle } from './oracle.js'

export const oracles = table<Oracle>('oracle', [modelOracle, modelOracleAdam200, activeAdamOracle, aiaGradientOracle])

/** Like an attack, with the truth in hand; without a truth it is not applicable. */
export async function runOracle(
  oracle: Oracle,
  params: Given,
  { around, truth }: { readonly around: Surroundings; readonly truth?: Truth },
): Promise<Result> {
  return settled(async () => {
    if (truth === undefined) return { status: 'not-applicable', missing: ['truth'] }
    const granted = await grant(around.sources, around.observer, oracle.needs, oracle.uses)
    if (granted.view === undefined) return { status: 'not-applicable', missing: granted.missing }
    return oracle.run(granted.view as AnyView, { ...contextOf(oracle, params, around), truth })
  })
}
