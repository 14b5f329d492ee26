/** A small federation simulated in memory, opened again as a recording with its truth. */
import { memoryPorts } from '../src/audit/memory-ports.js'
import { openRecording } from '../src/audit/open-recording.js'
import { readScenario } from '../src/audit/read-scenario.js'
import { inlinePool } from '../src/federation/pool.js'
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'
import { simulateModel } from '../src/scenario/simulate-model.js'
import { memoryFolder } from '../src/transcript/memory-folder.js'

export async function simulatedSources(input: ScenarioInput) {
  const files = new Map<string, Uint8Array>()
  await simulateModel(readScenario(input), 0, {
    folder: (path) => memoryFolder(files, path === '' ? 'run' : `run/${path}`),
    poolFor: (spec, population) => inlinePool(spec, { population }),
  })
  const paths = { transcript: 'run/transcript', knowledge: 'run/knowledge.json', truth: 'run/truth' }
  const { sources, truth } = await openRecording(paths, memoryPorts({ files }).files)
  return { sources, truth: truth! }
}
