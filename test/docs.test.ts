import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { mayImport } from '../tools/layers.mjs'
import { headerOf, mapOfFiles, roomsTable, wrongRooms } from '../tools/rooms.mjs'
import { readSources } from '../tools/sources.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const update = process.env.UPDATE_DOCS !== undefined
const sources = readSources(join(root, 'src'))

/** The import table in Markdown. */
function layersTable(): string {
  const rows = Object.entries(mayImport).map(([folder, list]) => {
    const names = list.map((name) => name.replace(/^type (.*)$/, '$1 (types)'))
    return `| ${folder} | ${names.join(', ') || '(nothing)'} |`
  })
  return ['| folder | may import |', '|---|---|', ...rows].join('\n')
}

/** A file whose marked parts are made from the code: compared, or written anew. */
function held(path: string, parts: Readonly<Record<string, string>>): void {
  const text = readFileSync(join(root, path), 'utf8')
  let fresh = text
  for (const [name, made] of Object.entries(parts)) {
    const pattern = new RegExp(`(<!-- ${name}: .*? -->)[\\s\\S]*(<!-- /${name} -->)`)
    expect(text).toMatch(pattern)
    fresh = fresh.replace(pattern, (_, open: string, close: string) => `${open}\n\n${made}\n\n${close}`)
  }
  if (update) writeFileSync(join(root, path), fresh)
  else expect(text).toBe(fresh)
}

describe('ARCHITECTURE.md', () => {
  test('has the rooms and the table of imports that there are', () => {
    expect(wrongRooms(sources)).toEqual([])
    held('ARCHITECTURE.md', { rooms: roomsTable(sources), layers: layersTable() })
  })

  test('names no file, folder or function that is not there', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    const code = Object.values({ ...sources, ...readSources(join(root, 'tools')) }).join('\n')
    const words = [...text.replace(/^```[\s\S]*?^```$|<!--[\s\S]*?-->/gm, '').matchAll(/`([^`\n]+)`/g)].map(
      ([, word]) => word!,
    )
    const paths = words.filter(
      (word) => /^[\w.-]+\/[\w./-]*$|\.(ts|mjs|md)$/.test(word) && !word.startsWith('overhear/'),
    )
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(paths.length).toBeGreaterThan(20)
    const names = words.filter((word) =>
      /^[a-z]\w*[A-Z]\w*$|^(audit|simulate|federate|trainer|grant|assemble)$/.test(word),
    )
    const unknown = names.filter((name) => !new RegExp(`\\b(?:function\\*?|const|interface) ${name}\\b`).test(code))
    expect(unknown).toEqual([])
    expect(names.length).toBeGreaterThan(20)
  })

  test('leads nowhere that is not there, nor does any other page', () => {
    const pages = [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
    ]
    const broken = pages
      .filter((page) => page.endsWith('.md'))
      .flatMap((page) =>
        [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)]
          .filter(([, to]) => !existsSync(join(root, dirname(page), to!)))
          .map(([, to]) => `${page} -> ${to}`),
      )
    expect(broken).toEqual([])
  })
})

test('docs/map.md lists every file with its header', () => {
  held('docs/map.md', { map: mapOfFiles(sources) })
})

test('headers are read whole, whatever their form', () => {
  expect(headerOf('/** One line. */\nimport a')).toBe('One line.')
  expect(headerOf('/**\n * Two\n * lines.\n */\nx')).toBe('Two lines.')
  expect(headerOf('// Also\n// two.\nconst x = 1 // no')).toBe('Also two.')
})

const docs = join(root, 'docs')
const programs = readdirSync(docs)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(`${docs}/${name}`, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
      (m, i) => [`${name} ${i}`, m[1]!] as const,
    ),
  )

test.each(programs)('the program in docs/%s runs', async (name, program) => {
  const path = `${docs}/../test/.${name.replace(/\W+/g, '-')}.mjs`
  writeFileSync(path, program)
  try {
    await import(pathToFileURL(path).href)
  } finally {
    rmSync(path)
  }
})
