/** What torture finds, written down as it is found: a run that is cut off still tells. */
import { appendFileSync } from 'node:fs'

const file = process.env.TORTURE_FINDINGS
const every = 30_000 // ms
let last = 0

const line = (kind: string, told: object): void => {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), kind, ...told })}\n`)
}

/** Adds a finding to a list, and to the file. */
export function note(list: string[], finding: string): void {
  list.push(finding)
  line('finding', { finding })
}

/** How far it is: now and then, and at the end. */
export function soFar(what: string, tally: object, { end = false } = {}): void {
  const now = performance.now()
  if (!end && now - last < every) return
  last = now
  line('tally', { what, ...tally })
}
