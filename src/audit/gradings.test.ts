import { expect, test } from 'vitest'
import { inlinePool } from '../federation/pool.js'
import { scoreClaim } from '../metrics/index.js'
import { type SimulatePorts, simulate } from '../scenario/simulate.js'
import { memoryFolder } from '../transcript/memory-folder.js'
import { gradingOf } from './gradings.js'
import { memoryPorts } from './memory-ports.js'
import { openRecording } from './open-recording.js'
import { readScenario } from './read-scenario.js'

/** A federation in which somebody's labels are wrong, trained without each of its clients too. */
async function recorded() {
  const files = new Map<string, Uint8Array>()
  const scenario = readScenario({
    data: { name: 'toy-least-squares', params: { recordsPerClient: 60, numericColumns: 3, clients: 5 } },
    partition: { name: 'by-column' },
    models: [{ kind: 'linear' }],
    training: { rounds: 40, learningRate: 0.2, misbehaving: { 3: { name: 'mislabelled' } } },
    knowledge: { property: 'mislabelled' },
    contribution: true,
  })
  const ports: SimulatePorts = {
    folder: (path) => memoryFolder(files, path),
    clients: (spec, population) => inlinePool(spec, { population }),
  }
  await simulate(scenario, { ports }).result
  return openRecording(
    { transcript: 'transcript', knowledge: 'knowledge.json', truth: 'truth' },
    memoryPorts({ files }).files,
  )
}

test('what clients add, and whose labels are wrong, can be graded', async () => {
  const { sources, truth } = await recorded()
  const added = truth!.contribution!
  const ids = [...added.keys()]
  // Wrong labels do harm: the model is better without them.
  expect([...added.entries()].sort((a, b) => a[1] - b[1])[0]![0]).toBe('3')
  const claimed = (score: (id: string) => number) =>
    ({ kind: 'contribution', clients: ids.map((id) => ({ id, score: score(id) })) }) as const
  for (const [claim, value] of [
    [claimed((id) => added.get(id)!), 1],
    [claimed((id) => -added.get(id)!), -1],
  ] as const) {
    const score = await scoreClaim(claim, await gradingOf(claim, { sources, truth: truth! }))
    expect(score).toMatchObject({ metric: 'rank correlation', value })
  }
  expect(truth!.property('mislabelled')).toEqual(['3'])
})
