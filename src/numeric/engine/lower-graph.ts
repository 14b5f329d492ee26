/** From a graph to a flat list of kernel calls: fusion of the obvious pairs, nothing materialised that can be read in place. */
import { OverhearError } from '../../errors.js'
import { type Node, schedule, shapeText, sizeOf, unify } from './graph.js'
import type { Instruction } from './instruction.js'
import { instructionFor, matmulInstruction, updateInstruction } from './instructions.js'
import { fuseImage } from './instructions-image.js'
import { gemmAddLimit, gemmMode } from './kernels.js'

/** After everything else, in place: input += times * addend. */
export interface Update {
  readonly input: Node
  readonly addend: Node
  readonly times: Node // [1, 1]
}

export interface Lowered {
  readonly outputs: readonly Node[]
  readonly inputs: readonly Node<'input'>[]
  readonly instructions: readonly Instruction[]
  /** Concatenations whose parts must stand side by side. */
  readonly concats: readonly Node[]
  readonly constants: readonly Node<'fill'>[]
}

export function lower(wanted: readonly Node[], changes: readonly Update[] = []): Lowered {
  for (const { input, addend, times } of changes) {
    if (input.op !== 'input' || sizeOf(input) !== sizeOf(addend) || sizeOf(times) !== 1) {
      const found = `${input.op} ${shapeText(input)} += ${shapeText(times)} * ${shapeText(addend)}`
      throw new OverhearError('E_SHAPE', `update: ${found}`, 'an input, an addend of its size and a scalar are needed')
    }
  }
  const roots = unify([...wanted, ...changes.flatMap((u) => [u.input, u.addend, u.times])])
  const outputs = roots.slice(0, wanted.length)
  const updates = changes.map((_, i): Update => {
    const [input, addend, times] = roots.slice(wanted.length + 3 * i)
    return { input: input!, addend: addend!, times: times! }
  })
  const order = schedule(roots)
  const uses = countUses(order, roots)
  const absorbed = new Set<Node>()

  const tail = updates.flatMap((u) => lowerUpdate(u, { uses, absorbed }))
  const made = new Map<Node, Instruction>()
  for (const n of [...order].reverse()) {
    if (absorbed.has(n)) continue
    const instruction = fuse(n, uses, absorbed) ?? instructionFor(n)
    if (instruction !== undefined) made.set(n, instruction)
  }
  // From the end: what nobody reads as it stands (stretched, placed or constant values, mostly) is not computed.
  const needed = new Set<Node>([...outputs, ...tail.flatMap((i) => i.reads)])
  for (const n of [...order].reverse()) {
    const instruction = made.get(n)
    if (!needed.has(n)) made.delete(n)
    else if (n.op === 'slice') needed.add(n.inputs[0]!)
    else if (n.op === 'concat') for (const part of n.inputs) if (wholeOf(part).op !== 'fill') needed.add(wholeOf(part))
    if (needed.has(n)) for (const r of instruction?.reads ?? []) needed.add(r)
  }
  return {
    outputs,
    inputs: order.filter((n): n is Node<'input'> => n.op === 'input'),
    instructions: [...order.flatMap((n) => made.get(n) ?? []), ...tail],
    concats: order.filter((n) => n.op === 'concat' && needed.has(n)),
    constants: [...needed].filter((n): n is Node<'fill'> => n.op === 'fill'),
  }
}

function countUses(order: readonly Node[], roots: readonly Node[]): Map<Node, number> {
  const uses = new Map<Node, number>()
  const count = (n: Node): void => void uses.set(n, (uses.get(n) ?? 0) + 1)
  for (const n of order) n.inputs.forEach(count)
  roots.forEach(count)
  return uses
}

/** The value of which a node is merely another shape. */
export function wholeOf(n: Node): Node {
  while (n.op === 'slice' && n.attrs.offset === 0 && sizeOf(n) === sizeOf(n.inputs[0]!)) n = n.inputs[0]!
  return n
}

/** matmul + bias (+ relu), matmul + gate: the product's only user finishes each sum while it is still in registers. */
function fuse(n: Node, uses: ReadonlyMap<Node, number>, absorbed: Set<Node>): Instruction | undefined {
  const alone = (m: Node): boolean => uses.get(m) === 1
  const image = fuseImage(n, alone)
  if (image !== undefined) {
    for (const inner of image.absorbs) absorbed.add(inner)
    return image.instruction
  }
  if (n.op === 'relu' || n.op === 'add') {
    const sum = n.op === 'relu' ? n.inputs[0]! : n
    if (sum.op !== 'add' || (n !== sum && !alone(sum))) return undefined
    const [product, bias] = sum.inputs[0]!.op === 'matmul' ? sum.inputs : [sum.inputs[1]!, sum.inputs[0]!]
    if (product!.op !== 'matmul' || !alone(product!)) return undefined
    const row = bias!.op === 'broadcast' ? bias!.inputs[0]! : undefined
    if (row === undefined || row.rows !== 1 || row.cols !== n.cols) return undefined
    const mode = n.op === 'relu' ? gemmMode.biasRelu : gemmMode.bias
    const instruction = matmulInstruction(product as Node<'matmul'>, { mode, extra: row, out: n })
    if (instruction !== undefined) {
      absorbed.add(product!)
      if (n !== sum) absorbed.add(sum)
    }
    return instruction
  }
  if (n.op === 'gate') {
    const [product, by] = n.inputs
    if (product!.op !== 'matmul' || !alone(product!) || by!.op === 'broadcast' || by!.op === 'fill') return undefined
    const instruction = matmulInstruction(product as Node<'matmul'>, { mode: gemmMode.gate, extra: by!, out: n })
    if (instruction !== undefined) absorbed.add(product!)
    return instruction
  }
  return undefined
}

interface Context {
  readonly uses: ReadonlyMap<Node, number>
  readonly absorbed: Set<Node>
}

/** One instruction per part of the addend; a product nobody else reads is added to the input as it is formed. */
function lowerUpdate({ input, addend, times }: Update, { uses, absorbed }: Context): Instruction[] {
  const split = wholeOf(addend)
  const chain = (n: Node): boolean => uses.get(n) === 1
  const alone = chain(addend) && chain(split)
  let parts: readonly Node[] = [addend]
  if (split.op === 'concat' && alone) {
    parts = split.inputs
    absorbed.add(split)
  }
  const instructions: Instruction[] = []
  let offset = 0
  for (const part of parts) {
    const value = wholeOf(part)
    const at = { input, offset }
    offset += sizeOf(part)
    if (value.op === 'fill' && value.attrs.value === 0) continue
    const single = (alone || parts.length === 1) && chain(part) && chain(value)
    const summands = value.op === 'matmul' ? innerSize(value) : 0
    if (value.op === 'matmul' && single && summands <= gemmAddLimit && !readsFrom(value, input)) {
      const fused = matmulInstruction(value, { mode: gemmMode.add, extra: times, out: value, update: at })
      if (fused !== undefined) {
        absorbed.add(value)
        instructions.push(fused)
        continue
      }
    }
    instructions.push(updateInstruction(value, times, at))
  }
  return instructions
}

const innerSize = (n: Node<'matmul'>): number => (n.attrs.form === 'tn' ? n.inputs[0]!.rows : n.inputs[0]!.cols)

/** Whether an operand is a view of the input itself, which earlier updates may have changed. */
function readsFrom(n: Node, input: Node): boolean {
  return n.inputs.some((i) => {
    while (i.op === 'slice') i = i.inputs[0]!
    return i === input
  })
}
