/** Two small audits as folders on disk, made in memory: one of single updates and one of sums, in which no time passes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { audit } from '../src/audit/audit.js'
import { memoryPorts } from '../src/audit/memory-ports.js'
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'

export const tiny: ScenarioInput = {
  name: 'tiny',
  repeats: 2,
  data: { name: 'cps-wages', params: { wage: 'log' }, rows: 120, auxiliary: 0.2 },
  partition: { name: 'iid', params: { clients: 3 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 3, localEpochs: 5, batchSize: null, learningRate: 0.05 },
  knowledge: { sensitive: ['union'] },
  observers: ['eavesdropper'],
  attacks: ['last-returned', 'aia-model', 'protocol'],
  controls: false,
  secondsPerAttack: null,
}
export const sums: ScenarioInput = {
  ...tiny,
  name: 'sums',
  repeats: 1,
  seed: 4,
  partition: { name: 'iid', params: { clients: 5 } },
  models: [{ kind: 'linear' }, { kind: 'mlp', hidden: [4] }],
  training: { rounds: 4, batchSize: 16, learningRate: 0.02, sampling: { name: 'fraction', params: { fraction: 0.6 } } },
  observers: ['secagg-server'],
  attacks: ['disaggregation'],
}

/** Writes `tiny` and `sums` below a folder, each as `overhear audit` would leave it. */
export async function storeAudits(root: string): Promise<void> {
  for (const scenario of [tiny, sums]) {
    const files = new Map<string, Uint8Array>()
    const document = await audit(scenario, { ports: memoryPorts({ files }) }).result
    const told = JSON.stringify({ ...document, versions: { overhear: '', kernels: '' } })
    const folder = [...files.keys()][0]!.split('/')[0]!
    for (const [path, bytes] of [...files, [`${folder}/audit.json`, new TextEncoder().encode(told)] as const]) {
      const place = join(root, path.replace(folder, scenario.name!))
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, bytes)
    }
  }
}
