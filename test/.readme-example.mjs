import { audit, memoryPorts } from 'overhear'

const run = audit(
  {
    data: { name: 'cps-wages', params: { wage: 'log' } },
    partition: { name: 'iid', params: { clients: 10 } },
    models: [{ kind: 'mlp', hidden: [32] }],
    training: { rounds: 30, learningRate: 0.1, batchSize: 16 },
    repeats: 7,
    knowledge: { sensitive: ['union'] },
    observers: ['eavesdropper'],
    attacks: ['aia-linear'],
  },
  { ports: memoryPorts() },
)
for await (const event of run) if (event.kind === 'training') console.log(event.number, 'of', event.total)
const { verdict } = await run.result
export const result = [verdict.level, ...verdict.sentences]
