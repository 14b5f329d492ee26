/** A client whose classes can be separated: it has no optimum, and models of it are graded by what they do for its records. */
import { expect, test } from 'vitest'
import { runJob } from '../src/audit/job.js'
import { simulatedSources } from './simulated-sources.js'

test.each([
  ['logistic', 2, 120, 'can be separated', 0.05, ['last-returned']],
  ['softmax', 3, 24, 'a shift of all classes alike changes no prediction', 0.5, ['last-returned', 'lmra-mapping']],
  ['mlp', 3, 24, 'a model of the kind mlp has many optima', 0.5, ['last-returned', 'lmra-mapping']],
] as const)(
  '%s: what comes near it is graded above chance, without a distance',
  async (kind, classes, records, why, least, attacks) => {
    const { sources, truth } = await simulatedSources({
      heldBack: 0.3,
      // Labels are the largest of linear scores: those of two classes lie on either side of a plane.
      data: { name: 'leaf-synthetic', params: { classes, sizes: [records] } },
      partition: { name: 'iid', params: { clients: 4 } },
      models: [{ kind, ...(kind === 'mlp' && { hidden: [8] }) }],
      training: { rounds: 6, learningRate: 0.2, localEpochs: 20 },
    })
    for (const attack of attacks) {
      const job = { attack, params: {}, observer: 'eavesdropper', target: '0', seed: 1, controls: false } as const
      const { findings } = await runJob(job, { sources, truth }, {})
      const { score } = findings[0]!
      if (process.env.FIGURES !== undefined) process.stdout.write(`${kind}, ${attack}: lift ${score!.lift}\n`)
      expect(score).toMatchObject({ metric: 'loss', accuracy: 1, also: { accuracyOnTest: expect.any(Number) } })
      expect(score!.lift).toBeGreaterThan(least)
      expect(score!.notes.join()).toContain(why)
      expect(score!.also.relativeError).toBeUndefined()
    }
  },
)
