/** What all code shares, locked in the process of this file: whoever tests comes after it, and runs as before. */
import { beforeAll, describe, expect, test } from 'vitest'
import { lockIntrinsics } from './lock-intrinsics.js'

beforeAll(() => {
  lockIntrinsics()
  lockIntrinsics() // a second time changes nothing
})

const typedArray = Object.getPrototypeOf(Uint8Array) as { readonly prototype: object }

describe('what all code shares', () => {
  test.each([
    ...[Object, Function, Array, Number, String, Boolean, Symbol, BigInt, Date, RegExp, Map, Set, WeakMap, WeakSet],
    ...[Promise, ArrayBuffer, SharedArrayBuffer, DataView, Error, TypeError, RangeError, Proxy, WeakRef],
    ...[
      FinalizationRegistry,
      Int8Array,
      Uint8Array,
      Uint8ClampedArray,
      Int16Array,
      Uint16Array,
      Int32Array,
      Uint32Array,
    ],
    ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array, typedArray, TextEncoder, TextDecoder],
    ...[Reflect.get(globalThis, 'Math') as object, JSON, Reflect, Atomics, Intl],
  ])('%o is frozen', (one) => {
    expect(Object.isFrozen(one)).toBe(true)
  })

  test.each([
    ...[Number, String, Boolean, Symbol, BigInt, Date, RegExp, Map, Set, WeakMap, WeakSet, Promise, ArrayBuffer],
    ...[SharedArrayBuffer, DataView, WeakRef, FinalizationRegistry, TextEncoder, TextDecoder],
  ])('the prototype of %o is frozen', ({ prototype }) => {
    expect(Object.isFrozen(prototype)).toBe(true)
  })

  test.each([Array, typedArray, Uint8Array, Float64Array, BigInt64Array] as { readonly prototype: object }[])(
    'the prototype of %o is left open: it is looked at after every attack',
    ({ prototype }) => {
      expect(Object.isFrozen(prototype)).toBe(false)
    },
  )

  test.each([
    Object,
    Function,
    Error,
    TypeError,
    RangeError,
    SyntaxError,
    ReferenceError,
    EvalError,
    URIError,
    AggregateError,
  ])('nothing is added to the prototype of %o, and only names that many give may be changed there', ({ prototype }) => {
    expect(Object.isExtensible(prototype)).toBe(false)
    const often = new Set(['constructor', 'toString', 'toLocaleString', 'valueOf', 'name', 'message', 'toJSON'])
    for (const key of Reflect.ownKeys(prototype)) {
      const { configurable, writable } = Reflect.getOwnPropertyDescriptor(prototype, key)!
      if (prototype === Function.prototype && key === 'constructor') continue
      const open = often.has(String(key))
      expect([key, configurable, !open && writable === true]).toEqual([key, open, false])
    }
  })

  test('lets objects have names of their own that a prototype has', () => {
    const own = { toString: () => 'mine', name: 'n' }
    own.toString = () => 'still mine'
    expect(String(own)).toBe('still mine')
    const error = new Error('one')
    error.message = 'another'
    error.name = 'Odd'
    expect(String(error)).toBe('Odd: another')
  })
})

describe('text', () => {
  test.each([() => {}, async () => {}, function* () {}, async function* () {}])(
    'does not become code by the constructor of %o, which stays as it is',
    (one) => {
      const kind = Object.getPrototypeOf(one) as { constructor: (text: string) => unknown }
      const { constructor: made } = kind
      expect(() => made('return 1')).toThrow('text does not become code in this thread')
      expect(Reflect.set(kind, 'constructor', Object)).toBe(false)
      expect(Reflect.defineProperty(kind, 'constructor', { value: Object })).toBe(false)
      expect(kind.constructor).toBe(made)
    },
  )
})
