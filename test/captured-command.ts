import { vi } from 'vitest'
import { main } from '../src/node/cli.js'

/** The command inside this process: its exit code, and what it printed where. */
export async function captured(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []]
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text, end) => {
      out.push(String(text))
      ;(end as unknown as () => void)?.()
      return true
    }),
    vi.spyOn(console, 'error').mockImplementation((...lines: unknown[]) => void err.push(lines.join(' '))),
  ]
  const code = await main(args)
  for (const spy of spies) spy.mockRestore()
  return { code, out: out.join('').replace(/\n$/, ''), err: err.join('\n') }
}
