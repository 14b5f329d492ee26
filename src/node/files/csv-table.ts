/** A CSV file (also .gz) as a table. It is read twice, piece by piece: for what each column holds, then for its values. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { TableOptions } from '../../data/dataset-entry.js'
import { type Column, type Table, tableOf } from '../../data/table.js'
import { OverhearError } from '../../errors.js'
import { type CsvReader, checkNames, csvReader } from '../../transcript/csv.js'
import { tableLimits } from './table-limits.js'

const pieceSize = 1 << 18
type Take = (cells: readonly string[]) => void

/** Every row in the order of the file. A column holds numbers if all of its words are some and at least one is there. */
export async function readCsv(path: string, options: TableOptions): Promise<Table> {
  const { words = [], missing } = options
  const numeric: boolean[] = []
  const filled: boolean[] = []
  let rows = 0
  const limits = tableLimits(path)
  const names = await eachRow(path, options, (cells) => {
    limits.rows(++rows, cells.length)
    for (let j = 0; j < cells.length; j++) {
      if (numeric[j] === false) continue
      const word = wordOf(cells[j]!, missing)
      numeric[j] = word === null || numberOf(word) !== undefined
      if (word !== null) filled[j] = true
    }
  })
  const absent = words.find((name) => !names.includes(name))
  if (absent !== undefined) throw new OverhearError('E_INPUT', `${path} has no column ${JSON.stringify(absent)}`)
  const collectors = names.map((name, j) =>
    numeric[j] && filled[j] && !words.includes(name) ? numberCollector(name, rows) : wordCollector(name, rows),
  )
  let row = 0
  await eachRow(path, options, (cells) => {
    for (let j = 0; j < cells.length; j++) collectors[j]!.put(row, wordOf(cells[j]!, missing))
    row++
  })
  if (row !== rows) throw new OverhearError('E_INPUT', `${path} was changed while it was read`, 'read it again')
  return tableOf(
    collectors.map(({ column }) => column()),
    rows,
  )
}

/** A word without the blanks around it; null where nothing is left, or what stands for nothing. */
export function wordOf(cell: string, missing: string | undefined): string | null {
  const bare = cell.trim()
  return bare === '' || bare === missing ? null : bare
}

const [MINUS, ZERO] = [0x2d, 0x30]
const decimal = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const special = /^(-?)(?:nan|(inf|infinity))$/i

/** The number that a word is; undefined where it is none. 007 and +49 are none: codes are written so. */
export function numberOf(word: string): number | undefined {
  const sign = word.charCodeAt(0) === MINUS ? 1 : 0
  let at = sign
  let value = 0
  for (; at < word.length; at++) {
    const digit = word.charCodeAt(at) - ZERO
    if (!(digit >= 0 && digit <= 9)) break
    value = value * 10 + digit
  }
  const digits = at - sign
  if (digits > 1 && sign === 0 && word.charCodeAt(0) === ZERO) return undefined
  if (at === word.length && digits > 0 && digits <= 15) return sign === 1 ? -value : value
  if (decimal.test(word)) return Number(word)
  const [, minus, infinite] = special.exec(word) ?? []
  if (minus === undefined) return undefined
  return infinite === undefined ? Number.NaN : Number(`${minus}Infinity`)
}

interface Collector {
  put(row: number, word: string | null): void
  column(): Column
}

function numberCollector(name: string, rows: number): Collector {
  const values = new Float64Array(rows)
  return {
    put: (row, word) => {
      values[row] = word === null ? Number.NaN : numberOf(word)!
    },
    column: () => ({ kind: 'number', name, values }),
  }
}

/** Words are numbered in the order in which they first appear. */
function wordCollector(name: string, rows: number): Collector {
  const numbers = new Map<string, number>()
  const codes = new Int32Array(rows)
  return {
    put: (row, word) => {
      if (word === null) codes[row] = -1
      else {
        const code = numbers.get(word) ?? numbers.size
        if (code === numbers.size) numbers.set(word, code)
        codes[row] = code
      }
    },
    column: () => ({ kind: 'word', name, codes, words: [...numbers.keys()] }),
  }
}

/** Hands over the cells of each row, and gives the names of the columns. */
async function eachRow(path: string, options: TableOptions, take: Take): Promise<readonly string[]> {
  let { names } = options
  const { skip = 0 } = options
  const width = names?.length
  let reader: CsvReader | undefined
  let head = ''
  const read = (piece: string, last: boolean): void => {
    let text = piece
    if (reader === undefined) {
      head += piece
      const lines = head.split('\n', skip + 2)
      if (lines.length < skip + 2 && head.length < pieceSize && !last) return
      reader = csvReader({ where: path, skip, width, delimiter: delimiterOf(path, lines[skip] ?? '') })
      text = head
    }
    for (const cells of reader.read(text, last)) {
      if (names !== undefined) take(cells)
      else {
        names = cells.map((name) => name.trim())
        checkNames(names, path)
      }
    }
  }
  for await (const piece of pieces(path)) read(piece, false)
  read('', true)
  return names ?? []
}

/** A tab in .tsv; elsewhere a comma, or what the first line has instead: some programs write a semicolon. */
function delimiterOf(path: string, line: string): string {
  const bare = line.replace(/"[^"]*"/g, '')
  const tried = /\.tsv(\.gz)?$/i.test(path) ? ['\t'] : [',', ';', '\t', '|']
  return tried.find((delimiter) => bare.includes(delimiter)) ?? tried[0]!
}

/** The text of a file, decompressed when its name ends in .gz. */
export async function* pieces(path: string): AsyncGenerator<string> {
  const file = createReadStream(path, { highWaterMark: pieceSize })
  const gunzip = createGunzip({ chunkSize: pieceSize })
  const bytes = /\.gz$/i.test(path) ? pipeline(file, gunzip, () => {}) : file // errors reach the last stream
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      throw new OverhearError('E_INPUT', `${path}: the bytes are not UTF-8 text`, 'save it as UTF-8')
    }
  }
  const limits = tableLimits(path)
  for await (const chunk of bytes) {
    limits.take((chunk as Uint8Array).length)
    yield decode(chunk as Uint8Array)
  }
  yield decode()
}
