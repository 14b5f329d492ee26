/** A compiled graph in an engine's memory: set the inputs, run the list of kernel calls, read the outputs. */
import { internal, OverhearError } from '../../errors.js'
import { type Buffer, bytesPer, type Engine, engine } from './engine.js'
import { type Node, shapeText, sizeOf } from './graph.js'
import type { Instruction, Link } from './instruction.js'
import type { Precision } from './kernels.js'
import { lower, type Update } from './lower-graph.js'
import { type Plan, plan, type Storage } from './memory-plan.js'

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

interface Placed {
  readonly node: Node<'input'>
  readonly buffer: Buffer
}

/** A lowered graph with memory for all its values. */
interface Bound {
  readonly engine: Engine
  readonly precision: Precision
  readonly outputs: readonly Node[]
  readonly instructions: readonly Instruction[]
  readonly inputs: ReadonlyMap<string, Placed>
  readonly arena: Buffer
  readonly link: Link
  /** The buffers it does not share. The list keeps them alive: one lives as long as somebody holds it. */
  readonly own: Buffer[]
}

export function compile(options: ProgramOptions): Program {
  const bound = bind(options)
  const { engine: host, precision, instructions, inputs, own } = bound
  const calls = instructions.map((i) => i.bind(bound.link))
  return {
    inputNames: [...inputs.keys()],
    calls: instructions.map((i) => i.title),
    arenaBytes: bound.arena.bytes,
    set: (name, values) => setInput(bound, name, values),
    run() {
      for (let i = 0; i < calls.length; i++) calls[i]!()
    },
    runChecked(step) {
      for (const [i, instruction] of instructions.entries()) {
        calls[i]!()
        checkFinite(bound, instruction, step)
      }
    },
    read(index) {
      const n = outputOf(bound, index)
      return new Float64Array(host.view(precision, bound.link.at(n), sizeOf(n)))
    },
    readScalar: (index) => host.view(precision, bound.link.at(outputOf(bound, index)), 1)[0]!,
    address: (index) => bound.link.at(outputOf(bound, index)),
    buffer: (name) => inputOf(bound, name).buffer,
    release: () => own.splice(0).forEach(host.release),
  }
}

function bind(options: ProgramOptions): Bound {
  const { precision, shared = {}, engine: host = engine() } = options
  const lowered = lower(options.outputs, options.updates)
  const planned = plan(lowered)
  const { instructions, arenaElements } = planned
  const size = bytesPer(precision)
  const own: Buffer[] = []
  const allocate = (bytes: number): Buffer => {
    const buffer = host.allocate(bytes)
    own.push(buffer)
    return buffer
  }
  const inputs = placeInputs(lowered.inputs, { shared, size, allocate })
  const arena = allocate(arenaElements * size)
  const constants = new Map<Node, Buffer>()
  for (const node of lowered.constants) {
    const buffer = allocate(sizeOf(node) * size)
    host[precision].fill(buffer.address, sizeOf(node), node.attrs.value)
    constants.set(node, buffer)
  }
  const scratch = allocate(Math.max(0, ...instructions.map((i) => i.scratch ?? 0)) * size)
  const link: Link = {
    kernels: host[precision],
    bytesPerElement: size,
    scratch: scratch.address,
    at: addressesIn(planned, { inputs, constants, arena, size }),
    table(values) {
      const buffer = allocate(values.length * 4)
      host.viewInts(buffer.address, values.length).set(values)
      return buffer.address
    },
  }
  return { engine: host, precision, outputs: lowered.outputs, instructions, inputs, arena, link, own }
}

interface Room {
  readonly shared: Readonly<Record<string, Buffer>>
  /** Bytes of a value. */
  readonly size: number
  allocate(bytes: number): Buffer
}

function placeInputs(nodes: readonly Node<'input'>[], { shared, size, allocate }: Room): Map<string, Placed> {
  const inputs = new Map<string, Placed>()
  for (const node of nodes) {
    const { name, sparse, picked } = node.attrs
    if (inputs.has(name)) throw internal(`two inputs are called "${name}"`)
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
  return inputs
}

interface Storages {
  readonly inputs: ReadonlyMap<string, Placed>
  readonly constants: ReadonlyMap<Node, Buffer>
  readonly arena: Buffer
  readonly size: number
}

/** Where each value lies. */
function addressesIn({ place }: Plan, { inputs, constants, arena, size }: Storages): Link['at'] {
  const start = ({ kind, node, offset }: Storage): number => {
    if (kind === 'arena') return arena.address + offset * size
    if (kind === 'constant') return constants.get(node)!.address
    if (node.op !== 'input') throw internal(`${node.op} is not an input`)
    return inputs.get(node.attrs.name)!.buffer.address
  }
  return (n) => {
    const { storage, offset } = place(n)
    return start(storage) + offset * size
  }
}

function inputOf({ inputs }: Bound, name: string): Placed {
  const found = inputs.get(name)
  if (found === undefined) {
    const known = [...inputs.keys()].join(', ')
    throw new OverhearError('E_UNKNOWN_NAME', `the program has no input "${name}"`, `known: ${known}`)
  }
  return found
}

function outputOf({ outputs }: Bound, index: number): Node {
  const n = outputs[index]
  if (n === undefined) throw internal(`output ${index} of ${outputs.length}`)
  return n
}

function setInput(bound: Bound, name: string, values: ArrayLike<number>): void {
  const { node, buffer } = inputOf(bound, name)
  if (node.attrs.sparse || node.attrs.picked)
    throw internal(`input "${name}" is sparse or picked: share its descriptor instead`)
  if (values.length !== sizeOf(node)) {
    const found = `input "${name}" was given ${values.length} values`
    throw new OverhearError('E_SHAPE', found, `it is ${shapeText(node)}, ${sizeOf(node)} values`)
  }
  bound.engine.view(bound.precision, buffer.address, values.length).set(values)
}

/** What an instruction has just written must be finite. */
function checkFinite({ engine: host, precision, link }: Bound, instruction: Instruction, step: number): void {
  const { title, out, update } = instruction
  const target = update === undefined ? out : update.input
  const at = link.kernels.firstNonFinite(link.at(target), sizeOf(target))
  if (at < 0) return
  const value = host.view(precision, link.at(target), sizeOf(target))[at]!
  const where = `row ${Math.floor(at / target.cols)}, column ${at % target.cols}`
  const label = target.label === undefined ? '' : ` "${target.label}"`
  throw new OverhearError(
    'E_NON_FINITE',
    `step ${step}: ${value} in ${title}${label} ${shapeText(target)} at ${where}`,
    'the first such value of the run; a smaller learning rate or scaled inputs usually help',
  )
}
