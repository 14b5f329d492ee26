/** Finished cells of studies in cells.jsonl: one line each, flushed before it counts. */
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { OverhearError } from '../../errors.js'
import { check } from '../../transcript/validate.js'
import { fileStore } from '../files/file-store.js'
import { faultOf, systemCode } from '../files/machine-faults.js'
import { measureSchema } from './measure-schema.js'

const fileName = 'cells.jsonl'

const lineSchema = z.object({
  format: z.literal('overhear-cell/1'),
  id: z.string().regex(/^[0-9a-f]{64}$/),
  study: z.string(),
  at: z.unknown(),
  seed: z.int().min(0),
  quick: z.boolean(),
  measures: z.array(measureSchema),
  /** Of a processor. */
  seconds: z.number().min(0),
})

/** What was measured of a cell. */
export type CellLine = z.output<typeof lineSchema>

export interface CellLog {
  readonly size: number
  read(id: string): CellLine | undefined
  /** Kept once the promise is; a cell that is there stays as it is. */
  add(line: Omit<CellLine, 'format'>): Promise<void>
  close(): Promise<void>
}

/** Opens the log of a folder; a line that was torn by a crash is cut off. */
export async function openCellLog(folder: string): Promise<CellLog> {
  const path = join(folder, fileName)
  const text = textOf(path)
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const lines = new Map<string, CellLine>()
  for (const [i, line] of whole.split('\n').entries()) {
    if (line === '') continue
    const read = check(lineSchema, parsed(line, `${path}, line ${i + 1}`), `${path}, line ${i + 1}`).value
    if (!lines.has(read.id)) lines.set(read.id, read)
  }
  const handle = await open(path, 'a').catch((error: unknown) => {
    throw faultOf(error, path)
  })
  await handle.truncate(Buffer.byteLength(whole))
  await fileStore(folder).syncFolder('')
  let last: Promise<void> = Promise.resolve()
  return {
    get size() {
      return lines.size
    },
    read: (id) => lines.get(id),
    add(line) {
      // One after the other: after a failure nothing may follow what stands there.
      last = last.then(async () => {
        if (lines.has(line.id)) return
        const kept = { format: 'overhear-cell/1' as const, ...line }
        try {
          await handle.appendFile(`${JSON.stringify(kept)}\n`)
          await handle.datasync()
        } catch (error) {
          throw faultOf(error, path)
        }
        lines.set(line.id, kept)
      })
      return last
    },
    close: () => handle.close(),
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ''
    throw faultOf(error, path)
  }
}

function parsed(line: string, where: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new OverhearError('E_INPUT', `${where} is not JSON`, 'delete that line, and its cell is run again')
  }
}
