/** Where every value lies: views share storage, results take the place of dead operands, the rest is packed by lifetime. */
import { internal } from '../../errors.js'
import { type Node, sizeOf } from './graph.js'
import type { Instruction } from './instruction.js'
import { moveInstruction } from './instructions.js'
import { type Lowered, wholeOf } from './lower-graph.js'

/** A piece of storage. Inputs and constants have their own; the others are laid in the arena. */
export interface Storage {
  readonly kind: 'input' | 'constant' | 'arena'
  readonly node: Node
  readonly elements: number
  /** First and last instruction that touch it. */
  first: number
  last: number
  /** Elements from the start of the arena. */
  offset: number
}

export interface Place {
  readonly storage: Storage
  readonly offset: number // elements
}

export interface Plan {
  readonly lowered: Lowered
  readonly instructions: readonly Instruction[]
  readonly arenaElements: number
  place(n: Node): Place
}

export function plan(lowered: Lowered): Plan {
  const parts = placeParts(lowered)
  const instructions = withMoves(lowered, parts)
  const storages = new Map<Node, Storage>()
  const storageOf = (n: Node): Storage => {
    let s = storages.get(n)
    if (s === undefined) {
      const kind = n.op === 'input' ? 'input' : n.op === 'fill' ? 'constant' : 'arena'
      s = { kind, node: n, elements: sizeOf(n), first: Number.POSITIVE_INFINITY, last: -1, offset: 0 }
      storages.set(n, s)
    }
    return s
  }
  const place = (n: Node): Place => {
    if (n.op === 'slice') {
      const { storage, offset } = place(n.inputs[0]!)
      return { storage, offset: offset + n.attrs.offset }
    }
    const within = parts.get(n)
    if (within === undefined) return { storage: storageOf(n), offset: 0 }
    const { storage, offset } = place(within.whole)
    return { storage, offset: offset + within.offset }
  }
  for (const [i, { out, reads, update }] of instructions.entries()) {
    for (const n of [...reads, ...(update === undefined ? [out] : [])]) {
      const { storage } = place(n)
      storage.first = Math.min(storage.first, i)
      storage.last = Math.max(storage.last, i)
    }
  }
  for (const o of lowered.outputs) place(o).storage.last = Number.POSITIVE_INFINITY
  takeOver(instructions, { place, storages, parts })
  const arena = new Set([...storages.values()].filter((s) => s.kind === 'arena' && s.last >= 0))
  return { lowered, instructions, arenaElements: pack([...arena]), place }
}

interface Part {
  readonly whole: Node
  readonly offset: number
}

/** Parts of concatenations that can be computed where they belong: results of instructions, each in one place. */
function placeParts({ concats, instructions, outputs }: Lowered): Map<Node, Part> {
  const results = new Set(instructions.filter((i) => i.update === undefined).map((i) => i.out))
  const parts = new Map<Node, Part>()
  for (const whole of concats) {
    let offset = 0
    for (const part of whole.inputs) {
      const value = wholeOf(part)
      if (results.has(value) && !parts.has(value) && !outputs.includes(value)) parts.set(value, { whole, offset })
      offset += sizeOf(part)
    }
  }
  return parts
}

/** Adds a copy for every part that could not be computed in place, right before its concatenation is first read. */
function withMoves({ concats, instructions, outputs }: Lowered, parts: ReadonlyMap<Node, Part>): Instruction[] {
  const moves = new Map<Node, Instruction[]>()
  for (const whole of concats) {
    let offset = 0
    const own: Instruction[] = []
    for (const part of whole.inputs) {
      const value = wholeOf(part)
      const at = parts.get(value)
      if (at === undefined || at.whole !== whole || at.offset !== offset)
        own.push(moveInstruction(value, whole, offset))
      offset += sizeOf(part)
    }
    moves.set(whole, own)
  }
  const order: Instruction[] = []
  const emit = (n: Node): void => {
    while (n.op === 'slice') n = n.inputs[0]!
    const own = moves.get(n)
    if (own === undefined) return
    moves.delete(n)
    for (const move of own) {
      for (const r of move.reads) emit(r)
      order.push(move)
    }
  }
  for (const i of instructions) {
    for (const r of i.reads) emit(r)
    order.push(i)
  }
  for (const o of outputs) emit(o)
  return order
}

interface Layout {
  place(n: Node): Place
  readonly storages: Map<Node, Storage>
  readonly parts: ReadonlyMap<Node, Part>
}

/** Lets an elementwise result lie where an operand of the same size lay, when that is the operand's last use. */
function takeOver(instructions: readonly Instruction[], { place, storages, parts }: Layout): void {
  for (const [i, { out, reads, inPlace, update }] of instructions.entries()) {
    if (update !== undefined || parts.has(out)) continue
    const own = place(out).storage
    for (const n of inPlace) {
      const { storage, offset } = place(n)
      const others = reads.filter((r) => r !== n && place(r).storage === storage)
      const fits = storage.kind === 'arena' && storage.elements === own.elements && offset === 0
      if (!fits || storage.last !== i || others.length > 0 || storage === own) continue
      storage.last = own.last
      storages.set(out, storage)
      break
    }
  }
}

/** Largest first, each at the lowest place free during its whole life. Returns the arena's size in elements. */
function pack(storages: readonly Storage[]): number {
  const unit = 16 // elements: at least a cache line
  const placed: Storage[] = []
  let end = 0
  for (const s of [...storages].sort((a, b) => b.elements - a.elements || a.first - b.first)) {
    if (!Number.isFinite(s.first)) throw internal(`a value of ${s.node.op} is never made`)
    const busy = placed.filter((p) => p.first <= s.last && s.first <= p.last).sort((a, b) => a.offset - b.offset)
    let offset = 0
    for (const p of busy) {
      if (p.offset - offset >= s.elements) break
      offset = Math.max(offset, Math.ceil((p.offset + p.elements) / unit) * unit)
    }
    s.offset = offset
    placed.push(s)
    end = Math.max(end, offset + s.elements)
  }
  return end
}
