import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(`${root}README.md`, 'utf8')
const scripts = (JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> }).scripts

/** The first fenced block of a language ('' for a block without one). */
function block(language: string): string {
  for (const [, name, body] of readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) if (name === language) return body!
  throw new Error(`README.md has no block of "${language}"`)
}

test('the command behind `npm start` prints what the README shows', () => {
  expect(block('sh')).toContain('npm start')
  const [program, ...args] = scripts.start!.split(' ')
  expect(program).toBe('node')
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect(status).toBe(0)
  expect(stdout).toBe(block(''))
})

test('the program in the README gives the result it states', async () => {
  const path = `${root}test/.readme-example.mjs`
  writeFileSync(path, block('ts'))
  try {
    const { result } = (await import(pathToFileURL(path).href)) as { result: unknown }
    expect(JSON.stringify(result)).toBe(readme.match(/^`result` is `(.*)`\.$/m)?.[1])
  } finally {
    rmSync(path)
  }
})
