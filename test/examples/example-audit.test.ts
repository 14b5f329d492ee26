import { expect, test } from 'vitest'
import { attacks } from '../../src/attacks/index.js'
import { runJob } from '../../src/audit/job.js'
import { readScenario } from '../../src/audit/read-scenario.js'
import { inlinePool } from '../../src/federation/pool.js'
import { parametersOf } from '../../src/models/index.js'
import { simulateModel } from '../../src/scenario/simulate-model.js'
import { openKnowledge } from '../../src/transcript/knowledge-file.js'
import { openTranscript } from '../../src/transcript/read-transcript.js'
import { openTruth } from '../../src/transcript/truth-file.js'
import { disk, folderOf } from '../simulated-disk.js'
import { meanReturned } from './mean-returned.js'

test('the attack of docs/adding/attack.md is run, graded and passes its controls in an audit', async () => {
  const scenario = readScenario({
    heldBack: 0,
    data: { name: 'toy-least-squares', params: { recordsPerClient: 60, numericColumns: 3, heterogeneity: 1 } },
    partition: { name: 'by-column' },
    models: [{ kind: 'linear' }],
    training: { rounds: 12, learningRate: 0.1, batchSize: 8 },
  })
  const { store } = disk()
  await simulateModel(scenario, 0, {
    folder: (path) => (path === '' ? store : folderOf(store, path)),
    poolFor: (spec, population) => inlinePool(spec, { population }),
  })
  const sources = {
    transcript: await openTranscript(folderOf(store, 'transcript'), { parametersOf }),
    knowledge: await openKnowledge(store),
  }
  const evidence = { sources, truth: await openTruth(folderOf(store, 'truth')) }
  const job = { attack: 'mean-returned', params: {}, observer: 'eavesdropper', target: '0', seed: 1, controls: true }
  const table = { ...attacks, 'mean-returned': meanReturned }
  expect(await runJob(job as Parameters<typeof runJob>[0], evidence, { table })).toMatchObject({
    status: 'claimed',
    details: { turns: 10 },
    findings: [{ score: { metric: 'loss', chance: expect.any(Number) } }],
    controls: { planted: { status: 'passed' } },
  })
})
