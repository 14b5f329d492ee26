import { expect, test } from 'vitest'
import { progress } from './progress.js'

function recorded(isTTY: boolean) {
  let time = 0
  const written: string[] = []
  const sink = { isTTY, columns: 80, write: (text: string) => written.push(text) }
  const p = progress({ total: 100, what: 'rounds', sink, now: () => time })
  return { written, p, wait: (ms: number) => { time += ms } } // biome-ignore format: one line
}

test('a terminal gets one line with a bar, rate and time left, rewritten at most ten times a second', () => {
  const { written, p, wait } = recorded(true)
  for (let i = 1; i <= 100; i++) {
    wait(50)
    p.tick(i)
  }
  p.end()
  expect(written.length).toBeLessThan(60)
  expect(written[10]).toBe('\r\x1b[K[####................] rounds 21/100 (20/s, 4 s left)')
  expect(written.at(-2)).toBe('\r\x1b[K[####################] rounds 100/100 (20/s)')
  expect(written.at(-1)).toBe('\n')
})

test('a log gets a plain line now and then, and always the last', () => {
  const { written, p, wait } = recorded(false)
  for (let i = 1; i <= 100; i++) {
    wait(1000)
    p.tick(i, `loss ${i}`)
  }
  p.end()
  expect(written).toHaveLength(21)
  expect(written[1]).toBe('rounds 6/100 (1.0/s, 1 min 34 s left) loss 6\n')
  expect(written.at(-1)).toBe('rounds 100/100 (1.0/s) loss 100\n')
})

test('quiet writes nothing', () => {
  const written: string[] = []
  const p = progress({ total: 3, what: 'rounds', quiet: true, sink: { write: (text) => written.push(text) } })
  p.tick(3)
  p.end()
  expect(written).toEqual([])
})

test('a line is cut to the width of the terminal, which is 80 unless told, and never below 20', () => {
  const widthOf = (columns: number | undefined): number => {
    const written: string[] = []
    const sink = { isTTY: true, ...(columns !== undefined && { columns }), write: (text: string) => written.push(text) }
    progress({ total: 2, what: 'x'.repeat(200), sink, now: () => 0 }).tick(1)
    return written[0]!.length - '\r\x1b[K'.length
  }
  expect([undefined, 100, 22, 21, 20, 5].map(widthOf)).toEqual([79, 99, 21, 20, 20, 20])
})

test('times and rates are rounded alike whatever they are', () => {
  const lineAt = (ms: number, done: number, total: number): string => {
    let time = 0
    const written: string[] = []
    const p = progress({ total, what: 'r', sink: { write: (text) => written.push(text) }, now: () => time })
    time = ms
    p.tick(done)
    p.end()
    return written.join('')
  }
  expect(lineAt(0, 1, 4)).toBe('r 1/4\n')
  expect(lineAt(1000, 0, 4)).toBe('r 0/4\n')
  expect(lineAt(1000, 10, 20)).toBe('r 10/20 (10/s, 1 s left)\n')
  expect(lineAt(1000, 9, 20)).toBe('r 9/20 (9.0/s, 2 s left)\n')
  expect(lineAt(1000, 1, 60)).toBe('r 1/60 (1.0/s, 59 s left)\n')
  expect(lineAt(1000, 1, 61)).toBe('r 1/61 (1.0/s, 1 min 00 s left)\n')
  expect(lineAt(1000, 4, 4)).toBe('r 4/4 (4.0/s)\n')
})
