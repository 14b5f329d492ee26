/** Results of an audit as they come: one line each, on the disk before the next job begins. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { AttackResult } from '../audit/results.js'

/** Finished results by their job's hash, one line each; a torn last line is dropped. */
export interface ResultLog {
  readonly finished: ReadonlyMap<string, AttackResult>
  add(hash: string, result: AttackResult): void
  close(): void
}

/** Opens the log; a fresh one forgets what was there. */
export function openResultLog(path: string, { fresh }: { readonly fresh: boolean }): ResultLog {
  const finished = new Map<string, AttackResult>()
  const text = fresh ? '' : readIfThere(path)
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  for (const line of whole.split('\n')) {
    if (line === '') continue
    const { hash, result } = JSON.parse(line) as { hash: string; result: AttackResult }
    finished.set(hash, result)
  }
  const file = openSync(path, fresh || whole !== text ? 'w' : 'a')
  if (whole !== text) writeSync(file, whole)
  return {
    finished,
    add(hash, result) {
      writeSync(file, `${JSON.stringify({ hash, result })}\n`)
      fsyncSync(file)
      finished.set(hash, result)
    },
    close: () => closeSync(file),
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return ''
    throw error
  }
}
