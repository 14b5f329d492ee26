/** Lines between the threads that simulate clients: what two clients have in common is found once, and the server's thread hears none of it. */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Bytes, KeyLine } from '../../defences/secure-aggregation/primitives.js'

/** By thread: its ends of lines to all others. */
export function linesBetween(threads: number): MessagePort[][] {
  const ends: MessagePort[][] = Array.from({ length: threads }, () => [])
  for (let a = 0; a < threads; a++) {
    for (let b = a + 1; b < threads; b++) {
      const { port1, port2 } = new MessageChannel()
      ends[a]!.push(port1)
      ends[b]!.push(port2)
    }
  }
  return ends
}

let open: readonly MessagePort[] = []

/** The line of this thread, by its ends; those of an earlier federation are closed. */
export function keyLine(ends: readonly MessagePort[]): KeyLine {
  for (const end of open) end.close()
  open = ends
  return {
    post(records) {
      for (const end of ends) end.postMessage(records)
    },
    *take() {
      for (const end of ends) {
        for (let got = receiveMessageOnPort(end); got !== undefined; got = receiveMessageOnPort(end)) {
          yield got.message as Bytes
        }
      }
    },
  }
}
