/** A compiled graph in an engine's memory: set the inputs, run the list of kernel calls, read the outputs. */
import { internal, OverhearError } from '../../errors.js'
import { type Buffer, bytesPer, type Engine, engine } from './engine.js'
import { type Node, shapeText, sizeOf } from './graph.js'
import type { Link } from './instruction.js'
import type { Precision } from './kernels.js'
import { lower, type Update } from './lower.js'
import { plan } from './memory-plan.js'

export interface ProgramOptions {
  readonly outputs: readonly Node[]
  readonly updates?: readonly Update[]
  readonly precision: Precision
  /** Buffers that inputs share with other programs, by input name. */
  readonly shared?: Readonly<Record<string, Buffer>>
  readonly engine?: Engine
}

export interface Program {
  readonly inputNames: readonly string[]
  /** Sizes are checked here; values are taken as they are. */
  set(name: string, values: ArrayLike<number>): void
  run(): void
  /** As `run`, but stops at the first value that is not finite and names the operation. `step` is for the message. */
  runChecked(step: number): void
  read(output: number): Float64Array
  /** An output of one value. */
  readScalar(output: number): number
  /** Where an output lies. */
  address(output: number): number
  /** Where an input lies, to be shared with another program. */
  buffer(name: string): Buffer
  readonly calls: readonly string[]
  readonly arenaBytes: number
  /** Gives its memory back at once, except for what it shares; it may not be used any more. */
  release(): void
}

export function compile(options: ProgramOptions): Program {
  const { precision, shared = {}, engine: host = engine() } = options
  const lowered = lower(options.outputs, options.updates)
  const { instructions, arenaElements, place } = plan(lowered)
  const size = bytesPer(precision)
  const kernels = host[precision]

  const own: Buffer[] = []
  const allocate = (bytes: number): Buffer => {
    const buffer = host.allocate(bytes)
    own.push(buffer)
    return buffer
  }
  const inputs = new Map<string, { node: Node; buffer: Buffer }>()
  for (const node of lowered.inputs) {
    const { name } = node.attrs
    if (inputs.has(name)) throw internal(`two inputs are called "${name}"`)
    const { sparse, picked } = node.attrs
    const bytes = sparse ? 16 : picked ? 8 : sizeOf(node) * size // a descriptor, or the values
    const buffer = shared[name] ?? allocate(bytes)
    if (buffer.bytes < bytes) {
      throw new OverhearError(
        'E_SHAPE',
        `input "${name}" ${shapeText(node)} was given a buffer of ${buffer.bytes} bytes`,
      )
    }
    inputs.set(name, { node, buffer })
  }
  const arena = allocate(arenaElements * size)
  const constants = new Map<Node, Buffer>()
  for (const node of lowered.constants) {
    const buffer = allocate(sizeOf(node) * size)
    kernels.fill(buffer.address, sizeOf(node), node.attrs.value)
    constants.set(node, buffer)
  }
  const scratch = allocate(Math.max(0, ...instructions.map((i) => i.scratch ?? 0)) * size)
  const link: Link = {
    kernels,
    bytesPerElement: size,
    scratch: scratch.address,
    at(n) {
      const { storage, offset } = place(n)
      if (storage.kind === 'input') return inputOf(storage.node) + offset * size
      if (storage.kind === 'constant') return constants.get(storage.node)!.address + offset * size
      return arena.address + (storage.offset + offset) * size
    },
    table(values) {
      const buffer = allocate(values.length * 4)
      host.viewInts(buffer.address, values.length).set(values)
      return buffer.address
    },
  }
  const inputOf = (n: Node): number => {
    if (n.op !== 'input') throw internal(`${n.op} is not an input`)
    return inputs.get(n.attrs.name)!.buffer.address
  }
  const calls = instructions.map((i) => i.bind(link))
  const find = (name: string) => {
    const found = inputs.get(name)
    if (found === undefined) {
      const known = [...inputs.keys()].join(', ')
      throw new OverhearError('E_UNKNOWN_NAME', `the program has no input "${name}"`, `known: ${known}`)
    }
    return found
  }
  const outputAt = (index: number) => {
    const n = lowered.outputs[index]
    if (n === undefined) throw internal(`output ${index} of ${lowered.outputs.length}`)
    return { n, address: link.at(n) }
  }
  return {
    inputNames: [...inputs.keys()],
    calls: instructions.map((i) => i.title),
    arenaBytes: arena.bytes,
    set(name, values) {
      const { node, buffer } = find(name)
      if (node.op === 'input' && (node.attrs.sparse || node.attrs.picked))
        throw internal(`input "${name}" is sparse or picked: share its descriptor instead`)
      if (values.length !== sizeOf(node)) {
        const found = `input "${name}" was given ${values.length} values`
        throw new OverhearError('E_SHAPE', found, `it is ${shapeText(node)}, ${sizeOf(node)} values`)
      }
      host.view(precision, buffer.address, values.length).set(values)
    },
    run() {
      for (let i = 0; i < calls.length; i++) calls[i]!()
    },
    runChecked(step) {
      for (const [i, { title, out, update }] of instructions.entries()) {
        calls[i]!()
        const target = update === undefined ? out : update.input
        const at = kernels.firstNonFinite(link.at(target), sizeOf(target))
        if (at < 0) continue
        const value = host.view(precision, link.at(target), sizeOf(target))[at]!
        const where = `row ${Math.floor(at / target.cols)}, column ${at % target.cols}`
        const label = target.label === undefined ? '' : ` "${target.label}"`
        throw new OverhearError(
          'E_NON_FINITE',
          `step ${step}: ${value} in ${title}${label} ${shapeText(target)} at ${where}`,
          'the first such value of the run; a smaller learning rate or scaled inputs usually help',
        )
      }
    },
    read(index) {
      const { n, address } = outputAt(index)
      return Float64Array.from(host.view(precision, address, sizeOf(n)))
    },
    readScalar(index) {
      return host.view(precision, outputAt(index).address, 1)[0]!
    },
    address: (index) => outputAt(index).address,
    buffer: (name) => find(name).buffer,
    // The list also keeps the buffers alive until then: one lives as long as somebody holds it.
    release: () => own.splice(0).forEach(host.release),
  }
}
