/** A scenario or a recording on disk as a setup, with the text that it was read from. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withNoise } from '../../audit/account/calibrated-noise.js'
import { recordedSetup } from '../../audit/account/recorded-setup.js'
import { scenarioSetup } from '../../audit/account/scenario-setup.js'
import type { Setup } from '../../audit/account/setup.js'
import { openRecording } from '../../audit/open-recording.js'
import type { AuditFiles } from '../../audit/ports.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { nodePorts } from '../node-ports.js'
import { recordingPorts } from '../recording-ports.js'
import { enterPlugins } from './plugin-file.js'
import { loadScenario, parseYaml } from './scenario-file.js'

export interface LoadedSetup {
  readonly setup: Setup
  /** The scenario itself, and what reads its data; absent for a recording. */
  readonly scenario?: Scenario
  readonly files?: AuditFiles
  /** The file that says it all: the scenario, or the manifest. */
  readonly file: string
  readonly text: string
}

export interface SetupOptions {
  readonly plugins: readonly string[]
  /** Whether their code may run unconfined. */
  readonly trustPlugins?: boolean | undefined
  readonly dataDir?: string | undefined
}

/** The manifest of a recording that the path names, or undefined where it is none. */
function manifestAt(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  if (!statSync(path).isDirectory()) return /(?<!(?:^|\/)scenario)\.json$/.test(path) ? path : undefined
  return (
    [join(path, 'transcript.json'), join(path, 'transcript', 'transcript.json')].find(existsSync) ??
    join(path, 'transcript.json')
  )
}

/** The rounds as they were written; a last line that was cut off is left out. */
function roundLines(path: string): unknown[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as unknown)
}

export async function loadSetup(path: string, { plugins, trustPlugins, dataDir }: SetupOptions): Promise<LoadedSetup> {
  const manifest = manifestAt(path)
  if (manifest !== undefined) {
    await enterPlugins(plugins, trustPlugins)
    const { sources } = await openRecording({ transcript: manifest }, recordingPorts)
    const text = readFileSync(manifest, 'utf8')
    const raw = JSON.parse(text) as Record<string, unknown>
    const rounds = raw.rounds === 'rounds.jsonl' ? roundLines(join(dirname(manifest), 'rounds.jsonl')) : raw.rounds
    return { setup: recordedSetup(sources.transcript, { ...raw, rounds }), file: manifest, text }
  }
  const ports = nodePorts({ ...(dataDir !== undefined && { dataDir }), ...(trustPlugins && { trustPlugins }) })
  const scenario = await withNoise(await loadScenario(path, { ports, plugins }), ports.files)
  const text = readFileSync(path, 'utf8')
  const raw = parseYaml(text, path) as Record<string, unknown>
  const setup = await scenarioSetup(scenario, { files: ports.files, raw })
  return { setup, scenario, files: ports.files, file: path, text }
}
