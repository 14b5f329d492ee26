/** What work inside this process prints, and where, without a mock: the tests that use it can be asked about switched mutants. */
export interface Printed<T> {
  readonly value: T
  /** On stdout. */
  readonly out: string
  /** On stderr, by hand or through the console. */
  readonly err: string
}

export async function printedBy<T>(work: () => T | Promise<T>): Promise<Printed<T>> {
  let [out, err] = ['', '']
  const { stdout, stderr } = process
  const kept = [stdout.write, stderr.write, console.error] as const
  const taking = (take: (text: string) => void) =>
    ((text: unknown, end?: unknown) => {
      take(String(text))
      if (typeof end === 'function') end()
      return true
    }) as typeof stdout.write
  stdout.write = taking((text) => {
    out += text
  })
  stderr.write = taking((text) => {
    err += text
  })
  console.error = (...words: unknown[]) => {
    err += `${words.join(' ')}\n`
  }
  try {
    return { value: await work(), out, err }
  } finally {
    ;[stdout.write, stderr.write, console.error] = kept
  }
}
