/** What a command prints on stdout: whole, or an error that says why not. */
import { writeFileSync } from 'node:fs'
import { harmless, OverhearError } from '../errors.js'
import { jsonPieces } from '../transcript/json-pieces.js'
import { faultOf, systemCode } from './files/machine-faults.js'

/** A text and the end of its line; on a terminal that wants colours, with those that `paint` adds. */
export async function print(text: string, paint: (text: string) => string = (plain) => plain): Promise<void> {
  const plain = harmless(text, '\n')
  const wanted = process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === ''
  await put(`${wanted ? paint(plain) : plain}\n`)
}

/** One JSON document, of any length; what could steer a terminal stands there as an escape, which is the same to a reader. */
export async function printJson(value: unknown): Promise<void> {
  for (const piece of jsonPieces(value)) await put(harmless(piece))
  await put('\n')
}

/** A file beside what is printed, where one is asked for. */
export function writeOut(path: string | undefined, make: () => string): void {
  if (path === undefined) return
  try {
    writeFileSync(path, make())
  } catch (error) {
    throw new OverhearError('E_INPUT', `${path}: ${(error as Error).message}`, 'name a file that can be written')
  }
}

function put(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const { stdout } = process
    // Who reads no more, such as `head`, has what it wanted.
    const end = (error?: Error | null): void => {
      if (error == null || systemCode(error) === 'EPIPE') resolve()
      else reject(faultOf(error, 'the output'))
    }
    if (stdout.listenerCount('error') === 0) stdout.on('error', () => {}) // told to the callback
    try {
      stdout.write(text, end)
    } catch (error) {
      end(error as Error)
    }
  })
}
