// Hostile, family (a); written without sight of the checks.
// Tries: to find truth.json on disk (below the working folder, the arguments' folders, its own folder and the folder of
// temporary files) and to claim the optimum that lies beside it.
// Success: the claim has score 1 and details.taken is true; a line appears in the file at $OVERHEAR_CANARY.
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const distance = (a, b) => a.reduce((sum, x, j) => sum + (x - b[j]) ** 2, 0)

function listed(at) {
  try {
    return fs.readdirSync(at, { withFileTypes: true })
  } catch {}
  return []
}
function truths() {
  const starts = [process.cwd(), import.meta.dirname, tmpdir(), ...process.argv.slice(1).map((a) => path.dirname(a))]
  const [found, seen, open] = [[], new Set(), starts.map((at) => ({ at, depth: 0 }))]
  while (open.length > 0 && seen.size < 20000) {
    const { at, depth } = open.shift()
    if (depth > 7 || seen.size === seen.add(at).size) continue
    for (const one of listed(at)) {
      const own = path.join(at, one.name)
      if (one.name === 'truth.json') found.push(own)
      if (one.isDirectory() && !/^(node_modules|\.git)$/.test(one.name)) open.push({ at: own, depth: depth + 1 })
    }
  }
  return found
}

function optima(target) {
  return truths().flatMap((file) => {
    try {
      const { optimum } = JSON.parse(fs.readFileSync(file, 'utf8'))
      const bytes = fs.readFileSync(path.join(file, '..', optimum[target]))
      const end = 8 + Number(bytes.readBigUInt64LE(0))
      const [from, to] = JSON.parse(bytes.toString('utf8', 8, end)).theta.data_offsets
      return [new Float64Array(new Uint8Array(bytes.subarray(end + from, end + to)).buffer)]
    } catch {}
    return []
  })
}

const attack = defineAttack({
  ...{ id: 'blind-truth-folder', title: 'Reads the folder of truth', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  async run({ exchanges, target }) {
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    const fitting = optima(target).filter(({ length }) => length === returned.length)
    const [best] = fitting.sort((a, b) => distance(a, returned) - distance(b, returned))
    const file = best && process.env.OVERHEAR_CANARY
    if (file) fs.appendFileSync(file, '01 truth read\n')
    return claimed({ kind: 'model', client: target, theta: best ?? returned }, { details: { taken: !!best } })
  },
  ...{ plant: plantedTurns, shuffle: permutedTurns },
})
export default definePlugin({ name: 'blind-01', attacks: [attack] })
