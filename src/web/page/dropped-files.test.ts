import { describe, expect, test } from 'vitest'
import { chosenFiles, droppedFiles } from './dropped-files.js'

const file = (name: string, webkitRelativePath = '') => ({ name, webkitRelativePath }) as unknown as File
const names = (sent: Awaited<ReturnType<typeof droppedFiles>>) => sent.map(({ name, inside }) => [name, ...inside])

describe('files that were chosen', () => {
  test('have names as the server takes them', () => {
    const long = 'x'.repeat(101)
    const given = ['t.csv', 'My wages (1).csv', '.hidden', 'café.csv', '--a', '???', long, 'a_b-c.2']
    expect(names(chosenFiles(given.map((name) => file(name)))).flat()).toEqual(['t.csv', 'My-wages-1-.csv', 'hidden', 'cafe-.csv', 'a', 'upload', long.slice(1), 'a_b-c.2']) // biome-ignore format: a line
  })

  test('of a folder keep their paths in it', () => {
    const one = file('0.json', 'my run/rounds/0.json')
    expect(chosenFiles([one])).toEqual([{ name: 'my-run', inside: ['rounds', '0.json'], file: one }])
  })
})

interface Fake {
  readonly name: string
  readonly below?: readonly Fake[]
  readonly fails?: boolean
}
/** An entry as browsers hand it over: a folder tells two of its entries at a time. */
function entry({ name, below, fails }: Fake): unknown {
  if (below === undefined) {
    return {
      name,
      isFile: true,
      file: (done: (one: File) => void, fail: (error: Error) => void) => (fails ? fail(new Error('gone')) : done(file(name))), // biome-ignore format: a line
    }
  }
  const rest = below.map(entry)
  return { name, isFile: false, createReader: () => ({ readEntries: (done: (some: unknown[]) => void) => done(rest.splice(0, 2)) }) } // biome-ignore format: a line
}
const dropped = (entries: readonly (Fake | null)[], files: readonly File[] = []) =>
  droppedFiles({
    items: entries.map((one) => ({ webkitGetAsEntry: () => (one === null ? null : entry(one)) })),
    files,
  } as unknown as DataTransfer)

describe('what was dropped', () => {
  test('is walked through to its end, without what is hidden', async () => {
    const run = {
      name: 'run 1',
      below: [
        { name: 'a.json' },
        { name: '.git', below: [{ name: 'config' }] },
        { name: 'rounds', below: ['0', '1', '2', '3', '4'].map((name) => ({ name })) },
        { name: '.DS_Store' },
        { name: 'empty', below: [] },
      ],
    }
    expect(names(await dropped([run, { name: 'b.csv' }, null]))).toEqual([
      ['run-1', 'a.json'],
      ...['0', '1', '2', '3', '4'].map((name) => ['run-1', 'rounds', name]),
      ['b.csv'],
    ])
    await expect(dropped([{ name: 'x', fails: true }])).rejects.toThrow('gone')
  })

  test('is a list of files where there are no entries', async () => {
    expect(names(await dropped([null], [file('a.csv')]))).toEqual([['a.csv']])
  })
})
