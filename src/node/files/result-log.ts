/** Results of an audit as they come: one line each, on the disk before the next job begins. */
import { closeSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import type { AttackResult } from '../../audit/attack-result.js'
import { OverhearError } from '../../errors.js'

/** How a line holds a result: one in another format is left where it is, and its job is run again. */
export const resultFormat = 'overhear-result/2'

interface Line {
  readonly format: typeof resultFormat
  readonly hash: string
  readonly result: AttackResult
}

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
    const known = parsed(line, `${path}, line ${i + 1}`)
    if (known !== undefined) finished.set(known.hash, known.result)
  }
  // Cut, not written anew: a crash right here must not cost what was finished.
  if (whole !== text) truncateSync(path, Buffer.byteLength(whole))
  const file = openSync(path, fresh ? 'w' : 'a')
  return {
    finished,
    add(hash, result) {
      const line: Line = { format: resultFormat, hash, result }
      writeSync(file, `${JSON.stringify(line)}\n`)
      fsyncSync(file)
      finished.set(hash, result)
    },
    close: () => closeSync(file),
  }
}

function parsed(line: string, where: string): Line | undefined {
  try {
    const value = JSON.parse(line) as Partial<Line> | null
    return value?.format === resultFormat ? (value as Line) : undefined
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
