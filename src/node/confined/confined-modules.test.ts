/** Which modules a confined plug-in is handed, on modules that stand in for those of node:vm, whose text is a list of imports. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { ModuleText } from './confined-messages.js'
import { confinedImports } from './confined-modules.js'

interface FakeModule {
  readonly identifier: string
  status: 'unlinked' | 'linked' | 'evaluated'
  readonly imported: readonly FakeModule[]
  readonly namespace: Record<string, unknown>
}
const texts = vi.hoisted(() => ({ made: [] as string[], evaluated: [] as string[] }))
vi.mock('node:vm', () => {
  class Base {
    status = 'unlinked'
    imported: FakeModule[] = []
    namespace: Record<string, unknown> = {}
    constructor(
      readonly identifier: string,
      readonly wanted: readonly string[],
    ) {
      texts.made.push(identifier)
    }
    async link(linker: (wanted: string, from: { identifier: string }) => Promise<FakeModule>) {
      for (const one of this.wanted) {
        const found = await linker(one, this)
        this.imported.push(found)
        if (found.status === 'unlinked') await (found as unknown as Base).link(linker)
      }
      this.status = 'linked'
    }
    async evaluate() {
      for (const one of this.imported as unknown as Base[]) if (one.status === 'linked') await one.evaluate()
      this.run()
      texts.evaluated.push(this.identifier)
      this.status = 'evaluated'
    }
    run(): void {}
  }
  class SourceTextModule extends Base {
    constructor(text: string, options: { identifier: string; importModuleDynamically(wanted: string): unknown }) {
      super(options.identifier, JSON.parse(text))
      this.namespace = { imported: this.imported, later: options.importModuleDynamically }
    }
  }
  class SyntheticModule extends Base {
    constructor(
      readonly names: readonly string[],
      readonly fill: () => void,
      options: { identifier: string },
    ) {
      super(options.identifier, [])
    }
    override run(): void {
      this.fill()
      expect(Object.keys(this.namespace)).toEqual(this.names)
    }
    setExport(name: string, value: unknown) {
      this.namespace[name] = value
    }
  }
  return { SourceTextModule, SyntheticModule }
})

/** Modules of a plug-in by their names, with what each imports. */
let files: Readonly<Record<string, readonly string[]>> = {}
const asked: unknown[][] = []
const source = async (specifier: string, from: string | null): Promise<ModuleText> => {
  asked.push([specifier, from])
  const name = specifier.replace('./', '')
  if (!Object.hasOwn(files, name)) throw new Error(`there is no ${specifier}`)
  return { url: `file:///${name}`, text: JSON.stringify(files[name]) }
}
interface Found {
  readonly imported: readonly FakeModule[]
  later(wanted: string): Promise<FakeModule>
}
const importing = async (specifier: string): Promise<Found> =>
  (await confinedImports(source)(specifier)) as unknown as Found

beforeEach(() => {
  for (const list of [texts.made, texts.evaluated, asked]) list.length = 0
})

describe('a module of a confined plug-in', () => {
  test('comes with all that it leads to, each once, and from where it was named', async () => {
    files = { 'a.mjs': ['./b.mjs', './c.mjs'], 'b.mjs': ['./c.mjs'], 'c.mjs': [] }
    const { imported } = await importing('a.mjs')
    expect(asked).toEqual([
      ['a.mjs', null],
      ['./b.mjs', 'file:///a.mjs'],
      ['./c.mjs', 'file:///b.mjs'],
      ['./c.mjs', 'file:///a.mjs'],
    ])
    expect(imported[1]).toBe(imported[0]!.imported[0])
    expect(texts.made).toHaveLength(3)
    expect([...texts.evaluated].sort()).toEqual(['file:///a.mjs', 'file:///b.mjs', 'file:///c.mjs'])
  })

  test('that is asked for twice is evaluated once', async () => {
    files = { 'a.mjs': [] }
    const own = confinedImports(source)
    expect(await own('a.mjs')).toBe(await own('a.mjs'))
    expect(texts.evaluated).toEqual(['file:///a.mjs'])
  })

  test('may import another while it runs, which is ready then', async () => {
    files = { 'a.mjs': [], 'd.mjs': [] }
    const { later } = await importing('a.mjs')
    expect(await later('./d.mjs')).toMatchObject({ identifier: 'file:///d.mjs', status: 'evaluated' })
    expect(asked.at(-1)).toEqual(['./d.mjs', 'file:///a.mjs'])
    await expect(later('./e.mjs')).rejects.toThrow('there is no ./e.mjs')
  })

  test('has the names of a door of the package, and no seeds to draw from', async () => {
    files = { 'a.mjs': ['overhear/numeric', 'overhear/numeric'] }
    const { imported } = await importing('a.mjs')
    const [door] = imported as [FakeModule]
    expect(imported[1]).toBe(door)
    expect(door.identifier).toBe('overhear/numeric')
    const { rng, ...open } = door.namespace
    expect(Object.keys(open).length).toBeGreaterThan(10)
    expect(Object.values(open).every((one) => one !== undefined)).toBe(true)
    expect(rng).toThrow('rng is not for plug-ins that are confined')
    expect(asked).toHaveLength(1)
  })

  test.each(['models', 'accounting', 'transcript'])('may use overhear/%s', async (door) => {
    files = { 'a.mjs': [`overhear/${door}`] }
    const { imported } = await importing('a.mjs')
    expect(Object.keys(imported[0]!.namespace).length).toBeGreaterThan(0)
    expect(asked).toHaveLength(1)
  })

  test.each(['overhear', 'overhear/node', 'overhear/federation', 'toString'])(
    'finds no door called %s',
    async (name) => {
      files = { 'a.mjs': [name] }
      await expect(importing('a.mjs')).rejects.toThrow(`there is no ${name}`)
    },
  )

  test.each(['node:fs', 'fs', 'node:no-such'])('has of %s names alone', async (name) => {
    files = { 'a.mjs': [name] }
    const { imported } = await importing('a.mjs')
    const { namespace } = imported[0]!
    expect(Object.keys(namespace)).toContain('default')
    expect(Object.keys(namespace).includes('readFileSync')).toBe(name !== 'node:no-such')
    for (const [key, one] of Object.entries(namespace))
      expect(one).toThrow(`${name} (${key}) is not for plug-ins that are confined`)
    expect(asked).toHaveLength(1)
  })
})
