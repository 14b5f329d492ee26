/** Whether what all code shares is as it was before an attack ran: a patched method would change others, and the grades. */

const typedArray = Object.getPrototypeOf(Float64Array) as { readonly prototype: object }

/** What a patch of would reach the sums of others. */
const watched: Readonly<Record<string, object>> = {
  ...Object.fromEntries(['Math', 'JSON'].map((name) => [name, Reflect.get(globalThis, name) as object])),
  Object,
  Array,
  Number,
  Float64Array,
  'Array.prototype': Array.prototype,
  'the prototype of typed arrays': typedArray.prototype,
  'Float64Array.prototype': Float64Array.prototype,
  'the iterator of lists': Object.getPrototypeOf([][Symbol.iterator]()) as object,
  'Map.prototype': Map.prototype,
  'Set.prototype': Set.prototype,
  'Promise.prototype': Promise.prototype,
  'Object.prototype': Object.prototype,
  'Function.prototype': Function.prototype,
  'String.prototype': String.prototype,
  'Number.prototype': Number.prototype,
}

/** Kept out of reach, as it was when this file was loaded: before any code of others. */
const { ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty } = Reflect
const { is, isFrozen } = Object

const before = Object.entries(watched).map(([name, object]) => ({
  name,
  object,
  keys: ownKeys(object),
  properties: ownKeys(object).map((key) => ({ key, as: getOwnPropertyDescriptor(object, key)! })),
}))

/** Puts back what was changed, and names the first of it; undefined where all is as it was. */
export function mendShared(): string | undefined {
  let first: string | undefined
  for (let i = 0; i < before.length; i++) {
    const { name, object, keys, properties } = before[i]!
    // In worker threads most of them are (src/node/threads/lock-intrinsics.ts).
    if (isFrozen(object)) continue
    for (let j = 0; j < properties.length; j++) {
      const { key, as } = properties[j]!
      const now = getOwnPropertyDescriptor(object, key)
      if (now !== undefined && is(now.value, as.value) && now.get === as.get && now.set === as.set) continue
      first ??= `${name}, ${String(key)}`
      defineProperty(object, key, as)
    }
    const there = ownKeys(object)
    if (there.length === keys.length) continue
    for (let j = 0; j < there.length; j++) {
      if (getOwnPropertyDescriptor(object, there[j]!) === undefined || includes(keys, there[j]!)) continue
      first ??= `${name}, ${String(there[j])}`
      deleteProperty(object, there[j]!)
    }
  }
  return first
}

/** Without the method of lists, which may be what was changed. */
function includes(keys: readonly PropertyKey[], key: PropertyKey): boolean {
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) return true
  return false
}
