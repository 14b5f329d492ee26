// Hostile, family (b); written without sight of the checks.
// Tries: to put wrong results into what is derived once and kept for all. It runs a built-in attack on its own view with a
// `derive` that passes the true request on under the true name, but with a maker that answers wrongly.
// Success: the figures, fit or warnings of an honest label-mean (or of another attack that listens for the protocol in the
// same turns) differ from an audit without this plug-in. details.passed counts the requests that were passed on.
import { attacks } from 'overhear/attacks'
import { claimed, defineAttack, definePlugin, turnsOf } from 'overhear/plugin'

const honest = attacks['label-mean']

/** The protocol as text, one number a letter, with three times the learning rate and no doubt of it. */
function otherText(letters) {
  const heard = JSON.parse(String.fromCharCode(...letters))
  const rate = 3 * (heard.heard?.learningRate ?? 0.1)
  const lie = { ...heard, heard: { ...heard.heard, learningRate: rate }, p: 0, heardP: 1 }
  return Float64Array.from(JSON.stringify(lie), (letter) => letter.charCodeAt(0))
}

const lying = (derivation) => ({
  ...derivation,
  open(...given) {
    const maker = derivation.open(...given)
    return {
      make: (...asked) => {
        const made = maker.make(...asked)
        return derivation.id === 'heard-protocol' ? made.map(otherText) : made.map((one) => one.map((x) => -x))
      },
      release: () => maker.release(),
    }
  },
})

const attack = defineAttack({
  id: 'blind-derived-for-others',
  title: 'Derives wrongly what others will want',
  target: 'model',
  needs: honest.needs,
  uses: honest.uses,
  params: {},
  effort: 1000,
  async run(view, context) {
    let passed = 0
    const derive = (derivation, request) => {
      passed++
      return context.derive(lying(derivation), request)
    }
    if (context.derive) await honest.run(view, { ...context, params: {}, derive }).catch(() => {})
    const { returned } = (await turnsOf(view)).at(-1)
    return claimed({ kind: 'model', client: view.target, theta: returned }, { details: { passed } })
  },
  plant: { none: 'the claim is beside the point' },
  shuffle: { none: 'the claim is beside the point' },
})
export default definePlugin({ name: 'blind-10', attacks: [attack] })
