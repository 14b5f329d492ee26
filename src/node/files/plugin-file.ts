/** Plug-ins from files of this machine: imported or confined, and hashed with what they import from beside them. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OverhearError } from '../../errors.js'
import type { DescribedPlugin } from '../confined/confined-messages.js'
import { type ConfinedPlugin, confinedPlugin, describePlugin } from '../confined/confined-plugin.js'
import { requireRegular } from './regular-file.js'

/** A plug-in as it was read: with attacks that run elsewhere, where it is confined. */
interface ReadPlugin {
  readonly plugin: unknown
  readonly hash: string
  readonly file: string
  /** What threads are told of it; undefined: its code runs in them. */
  readonly confined?: ConfinedPlugin
}

/** What was said of a file with these contents. */
const describedAs = new Map<string, { readonly hash: string; readonly described: DescribedPlugin }>()

/** Files of plug-ins whose code runs here: those that are confined may name what they bring. */
const here = new Set<string>()

/**
 * Plug-ins that bring attacks are confined: their code runs in processes of their own, which see no files. Those that bring none
 * make the world or grade it, which nobody could do who may not see it: their code runs here. So does all that is trusted.
 */
export async function readPlugin(path: string, trust = false): Promise<ReadPlugin> {
  const file = resolve(path)
  if (!existsSync(file)) throw new OverhearError('E_INPUT', `plug-in ${path}: there is no such file`, 'give its path')
  requireRegular(file, 'an ES module in JavaScript, such as plug-in.mjs,')
  const hash = codeHash(file)
  if (trust) return { plugin: await imported(file, path), hash, file }
  const known = describedAs.get(file)
  const described = known?.hash === hash ? known.described : await describePlugin(file)
  describedAs.set(file, { hash, described })
  const { attacks, others } = described
  if (attacks.length === 0) {
    const plugin = await imported(file, path)
    if (((plugin as { attacks?: unknown[] } | undefined)?.attacks ?? []).length > 0) {
      throw new OverhearError('E_INPUT', `plug-in ${path} brings attacks only where it is not confined`, 'use another')
    }
    return { plugin, hash, file }
  }
  if (others.length > 0) {
    const found = `plug-in ${path} brings attacks, which must not see the truth, and ${others.join(', ')}, which may`
    throw new OverhearError('E_INPUT', found, 'make two plug-ins of it, or give --trust-plugins if you trust its code')
  }
  const confined = { ...described, file }
  return { plugin: confinedPlugin(confined, here), hash, file, confined }
}

/** The default export of a module, whose code runs here. */
async function imported(file: string, path: string): Promise<unknown> {
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(file).href)
    here.add(file)
    return module.default
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

/** Plug-ins as a thread is told of them. */
export interface ThreadPlugins {
  /** Files whose code runs in the thread. */
  readonly plugins?: readonly string[]
  /** Those whose attacks run in processes of their own. */
  readonly confined?: readonly ConfinedPlugin[]
}

/** Enters in the tables of a thread what was loaded in another one. */
export async function enterLoaded({ plugins = [], confined = [] }: ThreadPlugins): Promise<void> {
  if (plugins.length + confined.length === 0) return
  await enterPlugins(plugins, true)
  const { enter } = await import('../../audit/plugins.js')
  for (const one of confined) enter(confinedPlugin(one, here), one.file)
}

/** Enters the plug-ins of these files in the tables of this thread. */
export async function enterPlugins(files: readonly string[], trust = false): Promise<void> {
  if (files.length === 0) return
  const { enter } = await import('../../audit/plugins.js')
  for (const path of files) {
    const { plugin, file } = await readPlugin(path, trust)
    enter(plugin, file)
  }
}
