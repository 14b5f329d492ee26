/** [prolin] Section 7: clients who misbehave in some of their rounds only, and what is then found of them. */
import { together } from '../claims.js'
import { recordedRun } from '../recorded-run.js'
import { defineStudy, type Measure } from '../study.js'
import { type Method, methodNotes, methodParams, methods, prolinScenario } from './prolin-world.js'

const panel = 'Fashion-MNIST, 25 records a client, inversion, 100 rounds'
const shares = [1, 0.5, 0.25]
const some: readonly Method[] = ['BASELINE', 'REG', 'PROLIN', 'posterior (beyond the paper)']
const knowing = 'posterior that knows the share (beyond the paper)'

export const prolinEvasion = defineStudy({
  id: 'prolin-evasion',
  title: 'Clients who evade by acting in some rounds only (Fashion-MNIST)',
  paper: 'prolin',
  where: 'Section 7',
  data: ['fashion-mnist'],
  unit: 'F1 of the clients called guilty, by the published threshold',
  axis: 'share of rounds',
  seconds: { quick: 65, full: 1000 },
  seeds: { quick: 1, full: 3 },
  points: () => shares.map((prob) => ({ at: { prob }, effort: 1 })),
  async measure({ prob }: { readonly prob: number }, { seed, quick, ports }) {
    const rounds = 100
    const world = { dataset: 'fashion-mnist', property: 'inversion', size: 25, rounds, seed, prob } as const
    const run = await recordedRun(prolinScenario(world), ports)
    const pairs = quick ? 16 : 30
    const found: Measure[] = []
    for (const series of some) {
      const params = methodParams(series, { pairs, rounds })
      const { value } = await run.score(methods[series], { target: null, params })
      found.push({ panel, series, x: prob, value })
    }
    const params = { ...methodParams('posterior (beyond the paper)', { pairs, rounds }), acting: prob }
    const { value } = await run.score('property-posterior', { target: null, params })
    return [...found, { panel, series: knowing, x: prob, value }]
  },
  published: [],
  notes: methodNotes,
  departs: [
    'The paper measures none of it: its sentence is the claim below.',
    'Detectors of 30 pairs a round (--quick: 16, one seed in place of 3).',
  ],
  claims: [
    {
      text: 'selective poisoning makes the reconstruction less accurate (PROLIN, a quarter of the rounds beside all)',
      holds: together(
        [
          [panel, 'PROLIN', 1],
          [panel, 'PROLIN', 0.25],
        ],
        ([all, few]) => few! < all!,
      ),
    },
  ],
})
