/** Progress of long work on stderr: a bar with rate and time left on a terminal, now and then a plain line in a log. */

export interface Progress {
  tick(done: number, note?: string): void
  end(): void
}

interface Sink {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface ProgressOptions {
  readonly total: number
  readonly what: string
  readonly quiet?: boolean
  readonly sink?: Sink
  /** Milliseconds, for tests. */
  readonly now?: () => number
}

export function progress(options: ProgressOptions): Progress {
  const { total, what, quiet = false, sink = process.stderr, now = () => performance.now() } = options
  if (quiet) return { tick: () => {}, end: () => {} }
  const start = now()
  const every = sink.isTTY ? 100 : 5000 // ms between two writings
  let last = Number.NEGATIVE_INFINITY
  let open = false
  return {
    tick(done, note = '') {
      const time = now()
      if (done < total && time - last < every) return
      last = time
      const line = describe({ done, total, what, note, seconds: (time - start) / 1000 })
      if (sink.isTTY) {
        const width = Math.max(20, (sink.columns ?? 80) - 1)
        sink.write(`\r\x1b[K${`${bar(done / total)} ${line}`.slice(0, width)}`)
        open = true
      } else sink.write(`${line}\n`)
    },
    end() {
      if (open) sink.write('\n')
      open = false
    },
  }
}

function bar(share: number): string {
  const full = Math.round(20 * Math.min(1, Math.max(0, share)))
  return `[${'#'.repeat(full)}${'.'.repeat(20 - full)}]`
}

interface State {
  readonly done: number
  readonly total: number
  readonly what: string
  readonly note: string
  readonly seconds: number
}

function describe({ done, total, what, note, seconds }: State): string {
  const rate = seconds > 0 ? done / seconds : 0
  const left = rate > 0 && done < total ? `, ${clock((total - done) / rate)} left` : ''
  const speed = rate > 0 ? ` (${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s${left})` : ''
  return `${what} ${done}/${total}${speed}${note === '' ? '' : ` ${note}`}`
}

function clock(seconds: number): string {
  const s = Math.ceil(seconds)
  return s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${String(s % 60).padStart(2, '0')} s`
}
