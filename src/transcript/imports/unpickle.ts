/**
 * A pickle read without running anything: numbers, texts, lists, dictionaries, and the few names that PyTorch needs to
 * describe tensors. A pickle is a program; whatever else it asks for is refused by name, before anything happens.
 */
import { quoted, wrongFile } from './arrays.js'

/** A name that a pickle asks for, `module.name`; it stands for itself and is never looked up. */
export interface Asked {
  readonly asked: string
}
export interface StorageRef {
  readonly storage: string
  readonly key: string
  readonly count: number
}
export interface TensorRef {
  readonly of: StorageRef
  readonly offset: number
  readonly shape: readonly number[]
  readonly stride: readonly number[]
}
export type Pickled =
  | number
  | bigint
  | string
  | boolean
  | null
  | Asked
  | StorageRef
  | TensorRef
  | Pickled[]
  | Map<Pickled, Pickled>

const allowed = new Set([
  'collections.OrderedDict',
  'torch._utils._rebuild_tensor_v2',
  'torch._utils._rebuild_parameter',
])
const storages = /^torch\.(\w+Storage)$|^torch\.storage\.(\w+Storage)$/
const mostSteps = 10_000_000
const mark = Symbol('mark')
type Cell = Pickled | typeof mark

/** One pickle from `begin` on: its value, and where it ends. */
export function unpickle(
  bytes: Uint8Array,
  begin: number,
  where: string,
): { readonly value: Pickled; readonly end: number } {
  const machine: Machine = {
    bytes,
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    at: begin,
    stack: [],
    memo: new Map(),
    where,
  }
  for (let step = 0; step < mostSteps; step++) {
    const code = machine.bytes[need(machine, 1)]!
    if (code === 0x2e) return { value: popped(machine), end: machine.at }
    const act = acts[code]
    if (act === undefined)
      throw wrongFile(where, `the pickle asks for operation ${code} at byte ${machine.at - 1}`, refusal)
    act(machine)
  }
  throw wrongFile(where, `a pickle of more than ${mostSteps} operations`)
}

const refusal = 'only tensors in dictionaries and lists are read, and nothing is run; save state_dict() alone'

interface Machine {
  readonly bytes: Uint8Array
  readonly view: DataView
  at: number
  readonly stack: Cell[]
  readonly memo: Map<number, Pickled>
  readonly where: string
}

/** Where the next bytes begin, once they are known to be there. */
function need(m: Machine, count: number): number {
  const at = m.at
  if (!(count >= 0) || at + count > m.bytes.length) throw wrongFile(m.where, 'the pickle is cut short')
  m.at += count
  return at
}

function popped(m: Machine): Pickled {
  const value = m.stack.pop()
  if (value === undefined || value === mark) throw wrongFile(m.where, 'the pickle is damaged: its stack is empty')
  return value
}

function sinceMark(m: Machine): Pickled[] {
  const at = m.stack.lastIndexOf(mark)
  if (at < 0) throw wrongFile(m.where, 'the pickle is damaged: a mark is missing')
  return m.stack.splice(at).slice(1) as Pickled[]
}

const top = (m: Machine): Pickled => {
  const value = popped(m)
  m.stack.push(value)
  return value
}

const text = (m: Machine, length: number): string => {
  const at = need(m, length)
  return new TextDecoder().decode(m.bytes.subarray(at, at + length))
}

function line(m: Machine): string {
  const end = m.bytes.indexOf(10, m.at)
  if (end < 0) throw wrongFile(m.where, 'the pickle is cut short')
  const found = text(m, end - m.at)
  m.at = end + 1
  return found
}

function whole(m: Machine, length: number): number | bigint {
  const at = need(m, length)
  let value = 0n
  for (let i = length - 1; i >= 0; i--) value = value * 256n + BigInt(m.bytes[at + i]!)
  if (length > 0 && m.bytes[at + length - 1]! >= 128) value -= 1n << BigInt(8 * length)
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
}

function ask(m: Machine, module: string, name: string): void {
  const asked = `${module}.${name}`
  if (!allowed.has(asked) && !storages.test(asked)) {
    throw wrongFile(m.where, `the pickle asks for ${quoted(asked)}`, refusal)
  }
  m.stack.push({ asked })
}

function put(map: Pickled, pairs: readonly Pickled[], where: string): void {
  if (!(map instanceof Map) || pairs.length % 2 !== 0)
    throw wrongFile(where, 'the pickle is damaged: items of no dictionary')
  for (let i = 0; i < pairs.length; i += 2) map.set(pairs[i]!, pairs[i + 1]!)
}

function add(list: Pickled, items: readonly Pickled[], where: string): void {
  if (!Array.isArray(list)) throw wrongFile(where, 'the pickle is damaged: items of no list')
  for (const one of items) list.push(one)
}

function recall(m: Machine, key: number): void {
  const value = m.memo.get(key)
  if (value === undefined) throw wrongFile(m.where, `the pickle is damaged: nothing was kept as ${key}`)
  m.stack.push(value)
}

/** What the three allowed functions make of their arguments. */
function call(m: Machine): void {
  const [args, target] = [popped(m), popped(m)]
  const name = isAsked(target) ? target.asked : undefined
  if (name === 'collections.OrderedDict') m.stack.push(new Map())
  else if (name === 'torch._utils._rebuild_parameter' && Array.isArray(args)) m.stack.push(args[0] ?? null)
  else if (name === 'torch._utils._rebuild_tensor_v2' && Array.isArray(args)) m.stack.push(tensorOf(args, m.where))
  else throw wrongFile(m.where, 'the pickle calls what is no function of tensors', refusal)
}

const isAsked = (value: Pickled | undefined): value is Asked =>
  typeof value === 'object' && value !== null && 'asked' in value

const counts = (value: Pickled | undefined): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number' && Number.isSafeInteger(one) && one >= 0)

function tensorOf([of, offset, shape, stride]: readonly Pickled[], where: string): TensorRef {
  const known = typeof of === 'object' && of !== null && 'storage' in of
  if (!known || !counts([offset!]) || !counts(shape) || !counts(stride) || shape.length !== stride.length) {
    throw wrongFile(where, 'a tensor of the pickle is damaged')
  }
  return { of, offset: offset as number, shape, stride }
}

/** ('storage', type, key, place, numbers): where a tensor's numbers lie. */
function persistent(m: Machine): void {
  const id = popped(m)
  const [word, type, key, , count] = Array.isArray(id) ? id : []
  const kind = isAsked(type) ? storages.exec(type.asked) : null
  if (word !== 'storage' || kind === null || typeof key !== 'string' || !counts([count!])) {
    throw wrongFile(m.where, 'the pickle refers to what is no storage of a tensor', refusal)
  }
  m.stack.push({ storage: (kind[1] ?? kind[2])!, key, count: count as number })
}

/** The operations by their codes; the names are those of Python's pickletools. */
const acts: Readonly<Record<number, (m: Machine) => void>> = {
  128: (m) => void need(m, 1), // PROTO
  149: (m) => void need(m, 8), // FRAME
  40: (m) => void m.stack.push(mark), // MARK
  48: (m) => void popped(m), // POP
  78: (m) => void m.stack.push(null), // NONE
  136: (m) => void m.stack.push(true), // NEWTRUE
  137: (m) => void m.stack.push(false), // NEWFALSE
  74: (m) => void m.stack.push(m.view.getInt32(need(m, 4), true)), // BININT
  75: (m) => void m.stack.push(m.bytes[need(m, 1)]!), // BININT1
  77: (m) => void m.stack.push(m.view.getUint16(need(m, 2), true)), // BININT2
  138: (m) => void m.stack.push(whole(m, m.bytes[need(m, 1)]!)), // LONG1
  71: (m) => void m.stack.push(m.view.getFloat64(need(m, 8), false)), // BINFLOAT
  88: (m) => void m.stack.push(text(m, m.view.getUint32(need(m, 4), true))), // BINUNICODE
  140: (m) => void m.stack.push(text(m, m.bytes[need(m, 1)]!)), // SHORT_BINUNICODE
  141: (m) => void m.stack.push(text(m, Number(m.view.getBigUint64(need(m, 8), true)))), // BINUNICODE8
  84: (m) => void m.stack.push(text(m, m.view.getUint32(need(m, 4), true))), // BINSTRING
  85: (m) => void m.stack.push(text(m, m.bytes[need(m, 1)]!)), // SHORT_BINSTRING
  125: (m) => void m.stack.push(new Map()), // EMPTY_DICT
  93: (m) => void m.stack.push([]), // EMPTY_LIST
  41: (m) => void m.stack.push([]), // EMPTY_TUPLE
  116: (m) => void m.stack.push(sinceMark(m)), // TUPLE
  133: (m) => void m.stack.push([popped(m)]), // TUPLE1
  134: (m) => void m.stack.push([popped(m), popped(m)].reverse()), // TUPLE2
  135: (m) => void m.stack.push([popped(m), popped(m), popped(m)].reverse()), // TUPLE3
  97: (m) => {
    const one = popped(m)
    add(top(m), [one], m.where)
  }, // APPEND
  101: (m) => {
    const items = sinceMark(m)
    add(top(m), items, m.where)
  }, // APPENDS
  115: (m) => {
    const [value, key] = [popped(m), popped(m)]
    put(top(m), [key, value], m.where)
  }, // SETITEM
  117: (m) => {
    const pairs = sinceMark(m)
    put(top(m), pairs, m.where)
  }, // SETITEMS
  113: (m) => void m.memo.set(m.bytes[need(m, 1)]!, top(m)), // BINPUT
  114: (m) => void m.memo.set(m.view.getUint32(need(m, 4), true), top(m)), // LONG_BINPUT
  148: (m) => void m.memo.set(m.memo.size, top(m)), // MEMOIZE
  104: (m) => recall(m, m.bytes[need(m, 1)]!), // BINGET
  106: (m) => recall(m, m.view.getUint32(need(m, 4), true)), // LONG_BINGET
  99: (m) => ask(m, line(m), line(m)), // GLOBAL
  147: (m) => {
    const [name, module] = [popped(m), popped(m)]
    ask(m, String(module), String(name))
  }, // STACK_GLOBAL
  82: call, // REDUCE
  98: (m) => void popped(m), // BUILD: what else an OrderedDict carries is not needed
  81: persistent, // BINPERSID
}
