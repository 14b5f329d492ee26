/** A long list a page at a time: buttons for the page before and after, and which part of how many is shown. */

interface PagerProps {
  readonly from: number
  readonly shown: number
  readonly total: number
  readonly size: number
  readonly what: string
  to(from: number): void
}

export function Pager({ from, shown, total, size, what, to }: PagerProps) {
  if (total <= size && from === 0) return null
  return (
    <nav class="pager" aria-label={`pages of ${what}`}>
      <button type="button" disabled={from === 0} onClick={() => to(Math.max(0, from - size))}>
        Before
      </button>
      <span class="dim figures" role="status">
        {what} {shown === 0 ? 0 : from + 1} to {from + shown} of {total}
      </span>
      <button type="button" disabled={from + shown >= total} onClick={() => to(from + size)}>
        After
      </button>
    </nav>
  )
}
