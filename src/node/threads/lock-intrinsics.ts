/** What all code of a thread shares, made fast: an attack that patches it would change other attacks, and what grades them. */

const typedArray = Object.getPrototypeOf(Uint8Array) as { readonly prototype: object }
const functionKinds = [() => {}, async () => {}, function* () {}, async function* () {}].map(
  (one) => Object.getPrototypeOf(one) as { constructor: unknown },
)

/** Names that objects of one's own are given again and again: where these are fast in a prototype, nobody could give them. */
const oftenGiven = new Set(['constructor', 'toString', 'toLocaleString', 'valueOf', 'name', 'message', 'toJSON'])

/** Prototypes that everything inherits from: the rest of them is made fast, and nothing is added. */
const inherited: readonly object[] = [
  Object.prototype,
  Function.prototype,
  ...[Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError].map(
    (one) => one.prototype,
  ),
]

/** Namespaces and constructors, with their prototypes. */
const shared: readonly object[] = [
  ...[Reflect.get(globalThis, 'Math') as object, JSON, Reflect, Atomics, Intl],
  ...[
    Object,
    Function,
    Array,
    Number,
    String,
    Boolean,
    Symbol,
    BigInt,
    Date,
    RegExp,
    Map,
    Set,
    WeakMap,
    WeakSet,
    Promise,
  ],
  ...[ArrayBuffer, SharedArrayBuffer, DataView, Error, TypeError, RangeError, Proxy, WeakRef, FinalizationRegistry],
  ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
  ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array, typedArray],
  ...[TextEncoder, TextDecoder],
]

function makeFast(object: object): void {
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === 'string' && oftenGiven.has(key)) continue
    const known = Reflect.getOwnPropertyDescriptor(object, key)!
    if (!known.configurable) continue
    const fast = 'value' in known ? { configurable: false, writable: false } : { configurable: false }
    Reflect.defineProperty(object, key, fast)
  }
  Object.preventExtensions(object)
}

let locked = false

/**
 * Makes them fast, and lets no text become code: not by `eval`'s kin that every function has as its constructor. To be called
 * before any code of others is loaded. Nothing that was computed before is computed otherwise.
 */
export function lockIntrinsics(): void {
  if (locked) return
  locked = true
  for (const kind of functionKinds) {
    const refuse = (): never => {
      throw new TypeError('text does not become code in this thread')
    }
    Reflect.defineProperty(kind, 'constructor', { value: refuse, configurable: false, writable: false })
  }
  for (const object of inherited) makeFast(object)
  for (const one of shared) {
    Object.freeze(one)
    const { prototype } = one as { prototype?: object }
    if (prototype !== undefined && !inherited.includes(prototype) && !watched(one)) Object.freeze(prototype)
  }
}

/**
 * Lists of numbers, whose methods are called more often than all others: with those made fast an audit took two thirds more
 * processor time. That they are as they were is looked at after every attack instead (`src/audit/shared-intact.ts`).
 */
const watched = (one: object): boolean =>
  one === Array || one === typedArray || Object.getPrototypeOf(one) === typedArray
