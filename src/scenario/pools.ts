/** Who owns which rows: the part of a world that is the same in all its repeats, loaded and encoded once. */
import { encodeSource, type FittedSource, fitSource, type Source } from '../data/dataset.js'
import type { LoadContext } from '../data/dataset-entry.js'
import type { Rule } from '../data/encoder.js'
import { loadDataset } from '../data/index.js'
import type { Records } from '../data/records.js'
import { columnOf, levelsOf } from '../data/table.js'
import { rng } from '../numeric/random/rng.js'
import { holdOut } from '../partition/hold-out.js'
import { dealRows } from '../partition/index.js'
import type { Scenario } from './scenario-schema.js'

/** Plain data, which can travel to another thread. */
export interface PoolRows {
  readonly source: Source
  /** All rows of each client, whether it will train on them or not. */
  readonly clients: readonly { readonly id: string; readonly rows: Int32Array }[]
  readonly validation: Int32Array
  /** What the adversary holds; no client has these. */
  readonly auxiliary: Int32Array
  /** What encoders learn from the clients' rows, and from nothing else. */
  readonly fitted: FittedSource
}

export interface Pools extends PoolRows {
  /** The clients' rows encoded, in their order, and where each row of the source stands among them. */
  encoded(): { readonly records: Records; readonly placeOf: ReadonlyMap<number, number> }
}

/** A pure function of the scenario: the same rows go to the same clients whoever asks. */
export async function loadPools(scenario: Scenario, files?: LoadContext['files']): Promise<Pools> {
  const { data, partition, seed } = scenario
  const root = rng(seed).fork('scenario')
  const context = { rng: root.fork('data'), ...(files !== undefined && { files }) }
  const source = withCodeBook(await loadDataset(data.name, context, data.params))
  const n = source.table.rows
  const used = data.rows === null || data.rows >= n ? all(n) : root.fork('rows').sample(n, data.rows)
  const { held: auxiliary, train: others } = holdOut(used, { share: data.auxiliary, rng: root.fork('auxiliary') })
  const { held: validation, train } = holdOut(others, { share: data.validation, rng: root.fork('validation') })
  const deal = dealRows(partition.name, { source, rng: root.fork('partition'), rows: train }, partition.params)
  const clients = deal.ids.map((id, k) => ({ id, rows: deal.clients[k]! }))
  const fitted = fitSource(source, dealtIn(clients))
  return poolsFrom({ source, clients, validation, auxiliary, fitted })
}

const dealtIn = (clients: PoolRows['clients']): number[] => clients.flatMap(({ rows }) => Array.from(rows))

export function poolsFrom({ source, clients, validation, auxiliary, fitted }: PoolRows): Pools {
  let encoded: ReturnType<Pools['encoded']> | undefined
  return {
    source,
    clients,
    validation,
    auxiliary,
    fitted,
    encoded() {
      if (encoded !== undefined) return encoded
      const dealt = dealtIn(clients)
      encoded = {
        records: encodeSource(source, { rows: dealt, fit: fitted }).records,
        placeOf: new Map(dealt.map((row, place) => [row, place])),
      }
      return encoded
    },
  }
}

/** Without what is made of them. */
export const rowsOf = ({ source, clients, validation, auxiliary, fitted }: Pools): PoolRows => ({
  ...{ source, clients, validation, auxiliary, fitted },
})

/** Which words a column may hold is the questionnaire's and known to all; how often they occur is the clients'. */
function withCodeBook(source: Source): Source {
  const known = (rule: Rule): Rule => {
    if ((rule.encode !== 'one-hot' && rule.encode !== 'codes') || rule.levels !== undefined) return rule
    return { ...rule, levels: levelsOf(columnOf(source.table, rule.column)) }
  }
  return { ...source, label: known(source.label), rules: source.rules.map(known) }
}

const all = (n: number): Int32Array => Int32Array.from({ length: n }, (_, i) => i)
