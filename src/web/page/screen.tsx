/** What every screen has: a heading that takes the focus when it opens, and a place for what went wrong. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface ScreenProps {
  readonly title: string
  readonly error: string | null
  readonly children?: ComponentChildren
}

export function Screen({ title, error, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Overhear`
    heading.current?.focus()
  }, [title])
  return (
    <main>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {error !== null && (
        <p class="fault" role="alert">
          {error}
        </p>
      )}
      {children}
    </main>
  )
}
