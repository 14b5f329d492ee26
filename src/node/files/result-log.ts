/** Results of an audit as they come: one line each, on the disk before the next job begins. */
import { closeSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import type { AttackResult } from '../../audit/attack-result.js'
import { OverhearError } from '../../errors.js'

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
  for (const [i, line] of whole.split('\n').entries()) {
    if (line === '') continue
    const { hash, result } = parsed(line, `${path}, line ${i + 1}`)
    finished.set(hash, result)
  }
  // Cut, not written anew: a crash right here must not cost what was finished.
  if (whole !== text) truncateSync(path, Buffer.byteLength(whole))
  const file = openSync(path, fresh ? 'w' : 'a')
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

function parsed(line: string, where: string): { readonly hash: string; readonly result: AttackResult } {
  try {
    return JSON.parse(line) as { hash: string; result: AttackResult }
  } catch {
    throw new OverhearError('E_INPUT', `${where} is not JSON`, 'delete the line, or begin again without --resume')
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
