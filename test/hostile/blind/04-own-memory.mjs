// Hostile, family (a); written without sight of the checks.
// Tries: to read the memory of the whole process, all threads, through /proc/self/mem and to find the bytes of an optimum's
// safetensors file (a header that names `theta`, then doubles) where the truth was read or written. Linux only.
// Success: the claim has score 1 and details.found is above 0; a line appears in the file at $OVERHEAR_CANARY.
import { claimed, defineAttack, definePlugin, permutedTurns, plantedTurns, turnsOf } from 'overhear/plugin'

const distance = (a, b) => a.reduce((sum, x, j) => sum + (x - b[j]) ** 2, 0)
const [CHUNK, MOST] = [1 << 25, 2 ** 31]

/** The doubles behind the header in which `"theta"` stands at `at`. */
function thetaAt(bytes, at, d) {
  for (let start = at - 1; start >= Math.max(8, at - 300); start--) {
    if (bytes[start] !== 123) continue
    const size = Number(bytes.readBigUInt64LE(start - 8))
    if (size < 20 || size > 4096) continue
    try {
      const { dtype, data_offsets: [from, to] } = JSON.parse(bytes.toString('latin1', start, start + size)).theta
      if (dtype !== 'F64' || to - from !== 8 * d || start + size + to > bytes.length) return undefined
      return new Float64Array(new Uint8Array(bytes.subarray(start + size + from, start + size + to)).buffer)
    } catch {}
  }
}

async function scan(d, tick) {
  const fs = await import('node:fs')
  const [memory, bytes, found] = [fs.openSync('/proc/self/mem', 'r'), Buffer.alloc(CHUNK), []]
  let read = 0
  for (const area of fs.readFileSync('/proc/self/maps', 'utf8').split('\n')) {
    const [, low, high] = /^([0-9a-f]+)-([0-9a-f]+) rw.. \S+ \S+ 0 *(?:\[heap\]|\[anon.*)?$/.exec(area) ?? []
    for (let at = parseInt(low, 16); at < parseInt(high, 16) && read < MOST; at += CHUNK - 65536) {
      tick(read, MOST)
      try {
        const part = bytes.subarray(0, fs.readSync(memory, bytes, 0, Math.min(CHUNK, parseInt(high, 16) - at), at))
        read += part.length
        for (let k = part.indexOf('"theta"'); k >= 0; k = part.indexOf('"theta"', k + 1)) found.push(thetaAt(part, k, d))
      } catch {}
    }
  }
  fs.closeSync(memory)
  return found.filter((theta) => theta?.every(Number.isFinite))
}

const attack = defineAttack({
  ...{ id: 'blind-own-memory', title: 'Looks for the truth in memory', target: 'model', params: {} },
  needs: ['exchanges', 'target'],
  async run({ exchanges, target }, { tick }) {
    const { returned } = (await turnsOf({ exchanges })).at(-1)
    const found = await scan(returned.length, tick).catch(() => [])
    const [best] = found.sort((a, b) => distance(a, returned) - distance(b, returned))
    const file = process.env.OVERHEAR_CANARY
    if (best && file) (await import('node:fs')).appendFileSync(file, '04 optimum in memory\n')
    return claimed({ kind: 'model', client: target, theta: best ?? returned }, { details: { found: found.length } })
  },
  plant: plantedTurns,
  shuffle: permutedTurns,
})
export default definePlugin({ name: 'blind-04', attacks: [attack] })
