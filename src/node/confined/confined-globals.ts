/** What confined code finds around it: the language, and little besides. No machine, no network, no clock that fires. */

/** Names of the language are found in a list; these are what attacks may need beside them. */
const kept = new Set([
  ...['globalThis', 'Infinity', 'NaN', 'undefined', 'isFinite', 'isNaN', 'parseFloat', 'parseInt'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'unescape', 'eval'],
  ...['Object', 'Function', 'Array', 'Number', 'String', 'Boolean', 'Symbol', 'BigInt', 'Date', 'RegExp', 'Promise'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Proxy', 'Iterator', 'Float16Array'],
  ...['Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array'],
  ...['Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'],
  ...['Math', 'JSON', 'Reflect', 'Atomics', 'Intl', 'WebAssembly', 'SuppressedError', 'DisposableStack'],
  ...['AsyncDisposableStack', 'TextEncoder', 'TextDecoder', 'structuredClone', 'queueMicrotask', 'crypto'],
])

const silent = (): void => {}

/** Takes away every other name, and gives a console that says nothing. */
export function scrubGlobals(): void {
  for (const key of Reflect.ownKeys(globalThis)) {
    if (typeof key === 'string' && kept.has(key)) continue
    if (!Reflect.deleteProperty(globalThis, key)) throw new Error(`${String(key)} cannot be taken away`)
  }
  const names = ['log', 'info', 'warn', 'error', 'debug', 'table', 'time', 'timeEnd', 'trace', 'assert']
  const mute = Object.freeze(Object.fromEntries(names.map((name) => [name, silent])))
  Reflect.defineProperty(globalThis, 'console', { value: mute, configurable: false, writable: false })
  // Package code measures nothing here, but may ask.
  Reflect.defineProperty(globalThis, 'performance', {
    value: Object.freeze({ now: () => 0 }),
    configurable: false,
    writable: false,
  })
}
