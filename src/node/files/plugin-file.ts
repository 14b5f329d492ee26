/** Plug-ins from files of this machine: imported, and hashed with what they import from beside them. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OverhearError } from '../../errors.js'
import { requireRegular } from './regular-file.js'

/** The default export of a module, and the hash of its code. */
export async function readPlugin(path: string): Promise<{ plugin: unknown; hash: string; file: string }> {
  const file = resolve(path)
  if (!existsSync(file)) throw new OverhearError('E_INPUT', `plug-in ${path}: there is no such file`, 'give its path')
  requireRegular(file, 'an ES module in JavaScript, such as plug-in.mjs,')
  const hash = codeHash(file)
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(file).href)
    return { plugin: module.default, hash, file }
  } catch (error) {
    if (error instanceof OverhearError) throw error
    const found = `plug-in ${path} could not be loaded: ${(error as Error).message.split('\n')[0]}`
    throw new OverhearError('E_INPUT', found, 'it must be an ES module in JavaScript, such as plug-in.mjs')
  }
}

const importPattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\1/g

/** SHA-256 of a file and of the files that it reaches by relative imports, each once, in the order of reaching. */
function codeHash(file: string): string {
  const hash = createHash('sha256')
  const reached = new Set([file])
  for (const one of reached) {
    if (!existsSync(one)) continue // importing it will say so
    const text = readFileSync(one, 'utf8')
    hash.update(`${text.length}\n${text}`)
    for (const [, , to = ''] of text.matchAll(importPattern)) reached.add(resolve(dirname(one), to))
  }
  return hash.digest('hex')
}

/** Enters the plug-ins of these files in the tables of this thread. */
export async function enterPlugins(files: readonly string[]): Promise<void> {
  if (files.length === 0) return
  const { enter } = await import('../../audit/plugins.js')
  for (const path of files) {
    const { plugin, file } = await readPlugin(path)
    enter(plugin, file)
  }
}
