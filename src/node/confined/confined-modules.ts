/** Modules of confined code: their texts are handed in, of the package a few doors are open, and of Node nothing is. */
import { builtinModules } from 'node:module'
import { type Module, SourceTextModule, SyntheticModule } from 'node:vm'
import { fromRoot } from '../package-root.js'
import type { ModuleText } from './confined-messages.js'

/** Doors of the package that an attack may use; those that make worlds, or know a machine, are shut. */
const doors: readonly string[] = ['plugin', 'numeric', 'models', 'attacks', 'accounting', 'transcript']

/** Where they lie, found out before names are taken away. */
const doorAt: Readonly<Record<string, string>> = Object.fromEntries(
  doors.map((one) => [`overhear/${one}`, fromRoot(`dist/bundle/doors/${one}.js`).href]),
)

/** A seed is easily guessed, and with it what was drawn: draws come from the context alone. */
const shut = new Set(['rng'])

const refusing = (what: string) => (): never => {
  throw new TypeError(`${what} is not for plug-ins that are confined`)
}

/** Imports a module with all that it leads to; `source` has the text of a specifier. */
export function confinedImports(
  source: (specifier: string, from: string | null) => Promise<ModuleText>,
): (specifier: string) => Promise<Readonly<Record<string, unknown>>> {
  const known = new Map<string, Promise<Module>>()
  const once = (key: string, make: () => Promise<Module> | Module): Promise<Module> => {
    const found = known.get(key) ?? Promise.resolve(make())
    known.set(key, found)
    return found
  }
  const found = async (specifier: string, from: string | null): Promise<Module> => {
    if (specifier.startsWith('node:') || builtinModules.includes(specifier)) {
      return once(specifier, () => nothingOf(specifier))
    }
    if (Object.hasOwn(doorAt, specifier)) return once(specifier, () => doorOf(specifier))
    const { url, text } = await source(specifier, from)
    return once(url, () => {
      const importModuleDynamically = async (wanted: string): Promise<Module> => ready(await found(wanted, url))
      return new SourceTextModule(text, {
        identifier: url,
        initializeImportMeta: () => {},
        importModuleDynamically: importModuleDynamically as never,
      })
    })
  }
  const ready = async (module: Module): Promise<Module> => {
    if (module.status === 'unlinked') await module.link((wanted, referrer) => found(wanted, referrer.identifier))
    if (module.status === 'linked') await module.evaluate()
    return module
  }
  return async (specifier) => (await ready(await found(specifier, null))).namespace as Record<string, unknown>
}

async function doorOf(name: string): Promise<Module> {
  const open = Object.entries((await import(doorAt[name]!)) as object)
  const exports = new Map(open.map(([key, value]) => [key, shut.has(key) ? refusing(key) : value]))
  return synthetic(name, exports)
}

/** The names of one of Node's modules, so that it can be imported; whatever is called of it says why not. */
async function nothingOf(name: string): Promise<Module> {
  const theirs = Object.keys((await import(name).catch(() => ({}))) as object)
  return synthetic(name, new Map([...theirs, 'default'].map((key) => [key, refusing(`${name} (${key})`)])))
}

function synthetic(identifier: string, exports: ReadonlyMap<string, unknown>): Module {
  const module = new SyntheticModule(
    [...exports.keys()],
    () => {
      for (const [key, value] of exports) module.setExport(key, value)
    },
    { identifier },
  )
  return module
}
