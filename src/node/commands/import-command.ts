/** `overhear import`: other people's recordings into a transcript; a first call proposes which file is what. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { lookup, OverhearError } from '../../errors.js'
import { type ImportKind, importKinds, importRecording, proposeMap } from '../../transcript/imports/import-recording.js'
import { parseJson } from '../../transcript/json.js'
import { fileStore } from '../files/file-store.js'
import { filesIn, importPorts } from '../files/import-source.js'
import { shownPath } from '../node-ports.js'
import { print, printJson } from '../print.js'
import { commonFlags, parsePlaced } from './arguments.js'

const flags = { ...commonFlags, map: { type: 'string' } } as const

export async function runImport(args: readonly string[]): Promise<number> {
  const { values, places } = parsePlaced(args, flags, ['npz, safetensors or torch', 'the folder or file to import'])
  const [kind, from] = [places[0]!, resolve(places[1]!)]
  lookup(importKinds, kind, 'kind of import')
  if (values.out === undefined) throw new OverhearError('E_INPUT', 'there is no folder to write to', 'give --out DIR')
  if (!existsSync(from))
    throw new OverhearError(
      'E_INPUT',
      `${JSON.stringify(places[1])} is not there`,
      'give a folder of files, or one file',
    )
  const folder = statSync(from).isDirectory() ? from : dirname(from)
  const ports = importPorts(kind as ImportKind, folder)
  if (values.map === undefined) return propose(values.out, { from, folder, ports, json: values.json ?? false })
  const out = resolve(values.out)
  if (existsSync(out) && readdirSync(out).length > 0) {
    throw new OverhearError('E_INPUT', `${values.out} is not empty`, 'give another folder')
  }
  const target = fileStore(out)
  await target.makeFolder('')
  const map = parseJson(readMap(values.map), values.map)
  const { rounds, warnings } = await importRecording(map, { ...ports, target, where: values.map })
  for (const one of warnings) console.error(`warning: ${one}`)
  if (values.json) await printJson({ transcript: out, rounds, warnings })
  else await print(`${rounds} rounds in ${shownPath(out)}\nnext: overhear audit --transcript ${shownPath(out)}`)
  return 0
}

function readMap(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new OverhearError(
      'E_INPUT',
      `the map ${JSON.stringify(path)} cannot be read`,
      'a call without --map proposes one',
    )
  }
}

interface Proposing {
  readonly from: string
  readonly folder: string
  readonly ports: Parameters<typeof proposeMap>[1]
  readonly json: boolean
}

/** Writes the proposal beside the folder that is to be made, and says what to look at. */
async function propose(out: string, { from, folder, ports, json }: Proposing): Promise<number> {
  const files = folder === from ? filesIn(folder) : [relative(folder, from)]
  const { map, asks } = await proposeMap(files, ports)
  const path = `${out.replace(/[\\/]+$/, '')}.import.json`
  if (existsSync(path)) {
    throw new OverhearError('E_INPUT', `${path} is there already`, `give it by --map ${path}, or move it away`)
  }
  writeFileSync(path, `${JSON.stringify(map, null, 1)}\n`)
  if (json) {
    await printJson({ map: resolve(path), asks, proposal: map })
    return 0
  }
  const { rounds, clients, model, parameters } = map
  await print(
    [
      `proposed: ${rounds.length} rounds, ${clients.length} clients, model ${model.kind}, ${parameters.length} arrays`,
      ...asks.map((one) => `  look at ${one}`),
      `change ${path} where it is wrong; then`,
      `  overhear import ${ports.kind} ${shownPath(from)} --out ${out} --map ${path}`,
    ].join('\n'),
  )
  return 0
}
