/** Texts of a plug-in's modules for the process that it is confined to, which opens no file itself. */
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { OverhearError } from '../../errors.js'
import type { ModuleText } from './confined-messages.js'

const isCode = (path: string): boolean => /\.m?js$/.test(path)

/** The code that a specifier names, seen from a module; from nowhere it is a path. Files of any other kind, such as records, are not handed out. */
export function moduleText(specifier: string, from: string | null): ModuleText {
  const beside = /^(?:\.{1,2}\/|file:|\/)/.test(specifier)
  if (!beside && from !== null) {
    const found = `a confined plug-in imports "${specifier}"`
    throw new OverhearError('E_INPUT', found, 'files beside it, overhear/plugin and its kin can be imported')
  }
  const url = from === null ? pathToFileURL(specifier).href : new URL(specifier, from).href
  const path = fileURLToPath(url)
  const real = isCode(path) ? realpathSync(path) : path
  if (!isCode(real)) {
    throw new OverhearError(
      'E_INPUT',
      `a confined plug-in imports ${specifier}`,
      'modules in .mjs or .js can be imported',
    )
  }
  return { url, text: readFileSync(real, 'utf8') }
}
