/** The folder of shared material (vectors, papers, data) that lies beside the project, for the tests that need it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const expected = () => resolve(root, process.env.OVERHEAR_SHARED ?? '../shared')

/** Its path, from OVERHEAR_SHARED or else ../shared as seen from the project; undefined when there is none. */
export function sharedFolder(): string | undefined {
  return existsSync(expected()) ? expected() : undefined
}

/** The content of vectors/<letter>_*.json. An absent file is an error: the folder is there, so the file should be. */
export function vector<T = unknown>(letter: string): T {
  const folder = `${expected()}/vectors`
  const known = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  const fitting = known.filter((name) => name.startsWith(`${letter}_`))
  if (fitting.length !== 1) {
    const found = fitting.length === 0 ? 'no file' : fitting.join(' and ')
    throw new Error(`vector "${letter}": found ${found} in ${folder}; known: ${known.join(', ') || 'none'}`)
  }
  return JSON.parse(readFileSync(`${folder}/${fitting[0]}`, 'utf8')) as T
}

let told = false

/** A suite that reads the shared folder; without the folder it is skipped, and the reason printed once. */
export function describeWithShared(title: string, body: () => void): void {
  if (sharedFolder() !== undefined) {
    describe(title, body)
    return
  }
  const reason = `no folder ${expected()}; OVERHEAR_SHARED may name it`
  if (!told) console.warn(`skipped: tests that read the shared material: ${reason}`)
  told = true
  // The body does not run, as it may read files while it lists its tests.
  describe.skip(title, () => test(reason, () => {}))
}
