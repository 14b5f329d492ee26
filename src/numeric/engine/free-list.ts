/** Which bytes of a growing memory are free. */

export interface Span {
  readonly address: number
  readonly bytes: number
}

export interface FreeList {
  take(bytes: number): number
  release(span: Span): void
  inUse(): number
}

/** First fit over the gaps, which are kept sorted and merged; `ensure` is told how far the memory must reach. */
export function createFreeList(start: number, ensure: (end: number) => void): FreeList {
  const gaps: { address: number; bytes: number }[] = []
  let end = start
  let used = 0
  return {
    inUse: () => used,
    take(bytes) {
      used += bytes
      const i = gaps.findIndex((gap) => gap.bytes >= bytes)
      if (i >= 0) {
        const gap = gaps[i]!
        const { address } = gap
        gap.address += bytes
        gap.bytes -= bytes
        if (gap.bytes === 0) gaps.splice(i, 1)
        return address
      }
      ensure(end + bytes)
      end += bytes
      return end - bytes
    },
    release({ address, bytes }) {
      used -= bytes
      let i = gaps.findIndex((gap) => gap.address > address)
      if (i < 0) i = gaps.length
      gaps.splice(i, 0, { address, bytes })
      for (const at of [i, i - 1]) {
        const [gap, next] = [gaps[at], gaps[at + 1]]
        if (gap !== undefined && next !== undefined && gap.address + gap.bytes === next.address) {
          gap.bytes += next.bytes
          gaps.splice(at + 1, 1)
        }
      }
      const last = gaps.at(-1)
      if (last !== undefined && last.address + last.bytes === end) {
        end = last.address
        gaps.pop()
      }
    },
  }
}
