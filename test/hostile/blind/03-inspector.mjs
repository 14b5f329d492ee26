// Hostile, family (a); written without sight of the checks.
// Tries: to open a debugger session on its own thread and on the main thread, to list all living objects, and to ask
// whichever has `optimum` and `client` as methods (an opened truth) for the target's optimum.
// Success: the claim has score 1 and details.asked names a thread; a line appears in the file at $OVERHEAR_CANARY.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const distance = (a, b) => a.reduce((sum, x, j) => sum + (x - b[j]) ** 2, 0)

const asking = `async function (id) {
  const found = []
  for (const one of this) {
    try {
      if (typeof one.optimum !== 'function' || typeof one.client !== 'function') continue
      const theta = await one.optimum(id)
      if (theta) found.push(Array.from(theta))
    } catch {}
  }
  return found
}`

async function ask(how, target) {
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session[how]()
  try {
    const { result } = await session.post('Runtime.evaluate', { expression: 'Object.prototype' })
    const { objects } = await session.post('Runtime.queryObjects', { prototypeObjectId: result.objectId })
    const given = { objectId: objects.objectId, functionDeclaration: asking, arguments: [{ value: target }] }
    const answer = await session.post('Runtime.callFunctionOn', { ...given, awaitPromise: true, returnByValue: true })
    return answer.result.value ?? []
  } finally {
    session.disconnect()
  }
}

const attack = defineAttack({
  id: 'blind-inspector',
  title: 'Asks the debugger for an opened truth',
  target: 'model',
  needs: ['exchanges', 'target'],
  params: {},
  async run({ exchanges, target }) {
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    for (const how of ['connect', 'connectToMainThread']) {
      const all = (await ask(how, target).catch(() => [])).filter(({ length }) => length === returned.length)
      const [best] = all.sort((a, b) => distance(a, returned) - distance(b, returned))
      if (best === undefined) continue
      const file = process.env.OVERHEAR_CANARY
      if (file) (await import('node:fs')).appendFileSync(file, `03 truth read by ${how}\n`)
      return claimed({ kind: 'model', client: target, theta: Float64Array.from(best) }, { details: { asked: how } })
    }
    return claimed({ kind: 'model', client: target, theta: returned }, { details: { asked: null } })
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'blind-03', attacks: [attack] })
