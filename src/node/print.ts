/** What a command prints on stdout: whole, or an error that says why not. */
import { harmless } from '../errors.js'
import { jsonPieces } from '../transcript/json-pieces.js'
import { faultOf, systemCode } from './files/machine-faults.js'

/** A text and the end of its line. */
export async function print(text: string): Promise<void> {
  await put(`${harmless(text, '\n')}\n`)
}

/** One JSON document, of any length; what could steer a terminal stands there as an escape, which is the same to a reader. */
export async function printJson(value: unknown): Promise<void> {
  for (const piece of jsonPieces(value)) await put(harmless(piece))
  await put('\n')
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
