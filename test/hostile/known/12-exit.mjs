// Tries: to end the process that it runs in, or those that run it; to answer so that whoever grades it breaks.
// Success: a neighbour fails or is missing, or the audit ends early.
import { claimed, defineAttack, definePlugin, turnsOf } from 'overhear/plugin'

const none = { none: 'a test' }
const ends = [
  () => process.exit(0),
  () => process.abort(),
  () => process.kill(process.ppid, 'SIGKILL'),
  async () => (await import('node:process')).exit(0),
]
const leaving = defineAttack({
  ...{ id: 'known-exit', title: 'Ends its process', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  async run({ exchanges, target }) {
    let got = 0
    for (const end of ends)
      got +=
        (await Promise.resolve()
          .then(end)
          .catch(() => undefined)) === undefined
          ? 0
          : 1
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    return claimed({ kind: 'model', client: target, theta: returned }, { details: { got } })
  },
  ...{ plant: none, shuffle: none },
})
const answers = {
  'known-no-claims': () => ({ status: 'claimed', claims: null, warnings: [], details: {} }),
  'known-no-numbers': (target) => claimed({ kind: 'model', client: target, theta: 'none' }),
  'known-too-long': (target) => claimed({ kind: 'model', client: target, theta: new Float64Array(1e6) }),
  'known-functions': (target) => claimed({ kind: 'model', client: target, theta: () => 1 }),
  'known-records': (target) => claimed({ kind: 'records', client: target }),
}
const breaking = Object.entries(answers).map(([id, answer]) =>
  defineAttack({
    ...{ id, title: 'Breaks whoever grades it', target: 'model', needs: ['exchanges', 'target'], params: {} },
    run: ({ target }) => answer(target),
    ...{ plant: none, shuffle: none },
  }),
)
export default definePlugin({ name: 'known-12', attacks: [leaving, ...breaking] })
