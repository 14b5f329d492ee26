// Hostile, family (a); written without sight of the checks.
// Tries: to see more of what it is handed than it was granted: bytes of an ArrayBuffer beside the array that is a window on
// it (other clients' messages, sensitive columns, held-back rows), keys on the prototypes of the view and of what its
// series return, keys that are hidden or symbols, rounds that were not granted.
// Success: details.bytes, details.keys or details.rounds is not empty; a line appears in the file at $OVERHEAR_CANARY.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const needs = ['exchanges', 'target']
const uses = ['globals', 'records', 'sensitive', 'auxiliary', 'candidates', 'samples']

/** Every object that can be reached, with the way there; prototypes too, but for those of the language. */
function* reached(value, way, seen = new Set()) {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return
  seen.add(value)
  yield [value, way]
  if (ArrayBuffer.isView(value)) return
  if (value instanceof Map) for (const [key, one] of value) yield* reached(one, `${way}(${key})`, seen)
  const parent = Object.getPrototypeOf(value)
  if (!/\[native code\]/.test(String(parent?.constructor))) yield* reached(parent, `${way}.__proto__`, seen)
  for (const key of Reflect.ownKeys(value)) {
    try {
      yield* reached(value[key], `${way}.${String(key)}`, seen)
    } catch {}
  }
}

const attack = defineAttack({
  ...{ id: 'blind-behind-the-arrays', title: 'Looks behind what it is handed', target: 'model', needs, uses, params: {} },
  async run(view, context) {
    const { exchanges, target } = view
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    const heard = await Promise.all(exchanges.rounds.map((round) => exchanges.read(round)))
    const models = view.globals ? await Promise.all(view.globals.rounds.map((round) => view.globals.read(round))) : []
    const [bytes, keys, rounds] = [[], [], []]
    for (const [one, way] of reached({ view, heard, models, context }, 'given')) {
      const more = ArrayBuffer.isView(one) ? one.buffer.byteLength - one.byteLength : 0
      if (more > 0) bytes.push(`${way}: ${more}`)
      if (/truth|heldBack|optimum|grading/i.test(way.split('.').at(-1))) keys.push(way)
    }
    for (let own = view; own && own !== Object.prototype; own = Object.getPrototypeOf(own)) {
      keys.push(...Reflect.ownKeys(own).map(String).filter((key) => ![...needs, ...uses].includes(key)))
    }
    for (const round of [-1, 1e6, '__proto__', '../../truth/truth.json', ...Array(200).keys()]) {
      if (exchanges.rounds.includes(round)) continue
      if (await Promise.resolve().then(() => exchanges.read(round)).catch(() => null)) rounds.push(String(round))
    }
    const file = process.env.OVERHEAR_CANARY
    const some = bytes.length + keys.length + rounds.length > 0
    if (file && some) (await import('node:fs')).appendFileSync(file, `05 ${bytes} ${keys} ${rounds}\n`)
    return claimed({ kind: 'model', client: target, theta: returned }, { details: { bytes, keys, rounds } })
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'blind-05', attacks: [attack] })
