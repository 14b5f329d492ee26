/** The pages of docs/adding as tests read them: a plug-in, a scenario, and what is printed. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../docs/adding/', import.meta.url))
const read = (page: string): string => readFileSync(`${folder}${page}.md`, 'utf8')

/** Every page but the one that leads to them. */
export const addingPages: readonly string[] = readdirSync(folder)
  .map((name) => name.replace(/\.md$/, ''))
  .filter((name) => name !== 'README')

/** The blocks of a language. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, body]) =>
    name === language ? [body!] : [],
  )
}

function only(page: string, language: string): string {
  const [first, second] = blocks(read(page), language)
  if (first === undefined || second !== undefined) throw new Error(`${page}.md has not one block of ${language}`)
  return first
}

export interface Shown {
  readonly args: readonly string[]
  readonly lines: readonly string[]
}

export interface AddingPage {
  readonly plugin: string
  readonly scenario: string
  /** Commands of `overhear`, each with lines that it prints, in their order. */
  readonly shown: readonly Shown[]
}

export function addingPage(page: string): AddingPage {
  const shown: { args: string[]; lines: string[] }[] = []
  for (const line of only(page, 'console').trimEnd().split('\n')) {
    const asked = /^\$ npx overhear (.*)$/.exec(line)?.[1]
    if (asked !== undefined) shown.push({ args: asked.split(' ').map((one) => one.replace(/^'|'$/g, '')), lines: [] })
    else shown.at(-1)?.lines.push(line)
  }
  return { plugin: only(page, 'js'), scenario: only(page, 'yaml'), shown }
}

/** The plug-in in TypeScript of the page that leads to the others. */
export const typedPlugin = only('README', 'typescript')

/** The pages that the leading page links to. */
export const linkedPages: readonly string[] = [
  ...new Set([...read('README').matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, page]) => page!)),
]

/** Shows on a page what its commands print now: each line becomes the printed one that begins most like it. */
export function refreshPage(page: string, printed: readonly (readonly string[])[]): void {
  let command = -1
  const fresh = only(page, 'console').replace(/^.*$/gm, (line) => {
    if (line.startsWith('$ ')) command++
    return line.startsWith('$ ') || line === '' ? line : nearestTo(line, printed[command] ?? [])
  })
  writeFileSync(
    `${folder}${page}.md`,
    read(page).replace(only(page, 'console'), () => fresh),
  )
}

function nearestTo(line: string, printed: readonly string[]): string {
  const shared = (other: string): number => {
    let k = 0
    while (k < line.length && line[k] === other[k]) k++
    return k
  }
  return printed.reduce((best, other) => (shared(other) > shared(best) ? other : best), printed[0] ?? line)
}
