/** The clients of an exchange in worker threads: messages go to where each one sits, answers come back as they are made. */
import type { Bytes, Guest, Notes, Seats } from '../../federation/exchange.js'
import type { Plain } from '../../federation/hooks.js'
import type { Job } from './client-thread.js'
import type { Reply, Request } from './client-worker.js'

export interface ThreadSeatsOptions {
  /** Tells this exchange from others in the same threads. */
  readonly exchange: number
  readonly defence: string
  readonly policy: Plain | undefined
  readonly workers: number
  /** Has one worker do something for these guests. */
  post(worker: number, job: SeatJob): Promise<Exclude<Reply, { readonly error: unknown }>>
}

export interface SeatJob extends Pick<Job, 'answered'> {
  readonly guests: readonly Guest[]
  readonly request: Request
}

export async function seatsInThreads(
  guests: readonly Guest[],
  { exchange, defence, policy, workers, post }: ThreadSeatsOptions,
): Promise<Seats> {
  const benches = benchesFor(guests, workers)
  const inAll = (jobOf: (own: readonly Guest[]) => Omit<SeatJob, 'guests'> | undefined) =>
    allDone(
      benches.flatMap((own, worker) => {
        const job = own.length === 0 ? undefined : jobOf(own)
        return job === undefined ? [] : [post(worker, { ...job, guests: own })]
      }),
    )
  await inAll((own) => ({ request: { exchange, defence, guests: own, ...(policy !== undefined && { policy }) } }))
  return {
    async ask(sent, take) {
      let failed: unknown
      const answered: Job['answered'] = ({ place, answer }) => {
        if (failed !== undefined) return
        try {
          take(place, answer)
        } catch (error) {
          failed = error
        }
      }
      await inAll((own) => {
        const mail = new Map(
          own.flatMap(({ place }): [number, Bytes][] => (sent.has(place) ? [[place, sent.get(place)!]] : [])),
        )
        return mail.size === 0 ? undefined : { request: { exchange, sent: mail }, answered }
      })
      if (failed !== undefined) throw failed
    },
    async leave() {
      const told = await inAll(() => ({ request: { exchange, leave: true } }))
      return told.flatMap((reply) => ('notes' in reply ? (reply.notes as Notes[]) : []))
    },
  }
}

/** A client sits where its records may still be, unless that bench is full: all have as many, for masks cost the same. */
function benchesFor(guests: readonly Guest[], workers: number): Guest[][] {
  const room = Math.ceil(guests.length / workers)
  const benches: Guest[][] = Array.from({ length: workers }, () => [])
  for (const guest of guests) {
    const wanted = benches[(guest.turn?.client ?? guest.place) % workers]!
    const shortest = benches.reduce((a, b) => (b.length < a.length ? b : a))
    const bench = wanted.length < room ? wanted : shortest
    bench.push(guest)
  }
  return benches
}

/** Waits for all of them, so that nobody is still at work when the first error is thrown. */
async function allDone<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
