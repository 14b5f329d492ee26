import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { papers } from 'overhear'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { changelogFaults, commands, limits, packFaults, treeFaults, versionFaults } from '../tools/release.mjs'

const about = {
  name: 'overhear',
  version: '0.2.0',
  license: 'Apache-2.0',
  bin: { overhear: 'bin/overhear.mjs' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  dependencies: { yaml: '2.0.0' },
}

describe('the changelog', () => {
  const of = (heading: string, body = '- Something new.') =>
    `# Changelog\n\n${heading}\n\n${body}\n\n## 0.1.0 (2025-01-31)\n\n- x\n`
  test('has a section with a date', () => {
    expect(changelogFaults(of('## 0.2.0 (2026-02-28)'), '0.2.0')).toEqual([])
    expect(changelogFaults(of('## 0.2.0 (2026-02-28)'), '0.1.0')).toEqual([])
  })
  test.each([
    ['## 0.2.0 (unreleased)', '- x', /has no date/],
    ['## 0.2.0', '- x', /has no date/],
    ['## 0.2.0 (2026-02-30)', '- x', /has no date/],
    ['## 0.2.1 (2026-02-28)', '- x', /has no section "## 0\.2\.0/],
    ['## 0.2.0-rc.1 (2026-02-28)', '- x', /has no section/],
    ['## 0.2.0 (2026-02-28)', '', /is empty/],
  ])('%s with %j is told', (heading, body, message) => {
    const faults = changelogFaults(of(heading, body), '0.2.0')
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(message)
  })
})

describe('versions', () => {
  const lock = { version: '0.2.0', packages: { '': { version: '0.2.0', dependencies: { yaml: '2.0.0' } } } }
  const citation = 'version: 0.2.0\nlicense: Apache-2.0\n'
  test('agree', () => {
    expect(versionFaults({ about, lock, citation })).toEqual([])
  })
  test('that differ are told with both', () => {
    const old = { version: '0.1.0', packages: { '': { version: '0.1.0', dependencies: { yaml: '1.0.0' } } } }
    expect(versionFaults({ about, lock: old, citation: 'version: 0.3.0\n' })).toEqual([
      'the version of package-lock.json: 0.1.0, but package.json says 0.2.0',
      'the version of the root in package-lock.json: 0.1.0, but package.json says 0.2.0',
      'the version of CITATION.cff: 0.3.0, but package.json says 0.2.0',
      'the licence of CITATION.cff: undefined, but package.json says Apache-2.0',
      'the dependencies in package-lock.json: {"yaml":"1.0.0"}, but package.json says {"yaml":"2.0.0"}',
    ])
  })
})

test('the tree is clean and on main', () => {
  expect(treeFaults({ branch: 'main', status: '' })).toEqual([])
  expect(treeFaults({ branch: 'topic', status: ' M a.ts\n?? b.ts\n' })).toEqual([
    'the branch is topic, not main',
    'the tree is not clean:  M a.ts, ?? b.ts',
  ])
})

describe('the package', () => {
  const whole: Readonly<Record<string, string>> = {
    'package.json': '{}',
    'README.md': '',
    LICENSE: '',
    'CHANGELOG.md': '',
    'bin/overhear.mjs': "#!/usr/bin/env node\nawait import('../dist/node/index.js')\n",
    'dist/index.js': "import { a } from './a.js'\nexport { a }\n",
    'dist/index.d.ts': "export type { A } from './types.js'\n",
    'dist/a.js': "export const a = new URL('./worker.js', import.meta.url)\n",
    'dist/worker.js': 'console.log(1)\n',
    'dist/types.js': '/** Types alone. */\nexport {};\n',
    'dist/types.d.ts': 'export interface A {}\n',
    'dist/node/index.js': "import '../a.js'\n",
  }
  const faultsOf = (files: Readonly<Record<string, string>>, { size = 1000, mode = 0o755 } = {}) => {
    const packed = Object.keys(files).map((path) => ({ path, size: 1, mode: path.startsWith('bin/') ? mode : 0o644 }))
    return packFaults({ size, files: packed }, about, (path) => files[path]!)
  }
  const without = (name: string) => Object.fromEntries(Object.entries(whole).filter(([path]) => path !== name))

  test('holds what it should', () => {
    expect(faultsOf(whole)).toEqual([])
  })

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['a map', { ...whole, 'dist/a.js.map': '' }, 'dist/a.js.map is in the package: a source map'],
    ['notes', { ...whole, 'dist/x.tsbuildinfo': '' }, 'dist/x.tsbuildinfo is in the package: notes of the compiler'],
    ['a test', { ...whole, 'dist/a.test.d.ts': '' }, 'dist/a.test.d.ts is in the package: a test'],
    ['a folder of tests', { ...whole, 'test/a.txt': '' }, 'test/a.txt is in the package: a test'],
    [
      'code for tests alone',
      { ...whole, 'dist/b.js': 'x()' },
      'dist/b.js is in the package, but nothing in it leads there',
    ],
    ['no types', without('dist/index.d.ts'), 'dist/index.d.ts is not in the package'],
    ['no licence', without('LICENSE'), 'LICENSE is not in the package'],
    [
      'an import of nothing',
      without('dist/types.d.ts'),
      'dist/index.d.ts needs dist/types.d.ts, which is not in the package',
    ],
    ['a worker left out', without('dist/worker.js'), 'dist/a.js needs dist/worker.js, which is not in the package'],
    [
      ...(['no line for the shell', { ...whole, 'bin/overhear.mjs': "import '../dist/node/index.js'" }] as const),
      'bin/overhear.mjs cannot be executed: it needs the mode and a first line for the shell',
    ],
  ])('%s is told', (_, files, fault) => {
    expect(faultsOf(files)).toEqual([fault])
  })

  test('is neither large nor many, and its command runs', () => {
    expect(faultsOf(whole, { size: limits.bytes + 1 })).toEqual(['the package takes 1000001 bytes, more than 1000000'])
    expect(faultsOf(whole, { mode: 0o644 })).toHaveLength(1)
    const many = Object.fromEntries(Array.from({ length: limits.files }, (_, i) => [`scenarios/${i}.yaml`, '']))
    expect(faultsOf({ ...whole, ...many })).toEqual([`the package has ${limits.files + 12} files, more than 400`])
  })
})

test('what remains is printed, not run', () => {
  expect(commands(about)).toEqual([
    'git tag -a v0.2.0 -m "overhear 0.2.0"',
    'git push origin main v0.2.0',
    'npm publish',
  ])
})

describe('this tree', () => {
  const read = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')
  test('has one version', () => {
    const lock = JSON.parse(read('package-lock.json'))
    expect(versionFaults({ about: JSON.parse(read('package.json')), lock, citation: read('CITATION.cff') })).toEqual([])
  })
  test('cites the papers as the bibliography does', () => {
    const { references } = parse(read('CITATION.cff')) as {
      references: { title: string; authors: { 'family-names': string }[] }[]
    }
    const cited = references.map(({ title, authors }) => ({
      authors: authors.map((author) => author['family-names']).join(', '),
      title,
    }))
    expect(cited).toEqual([papers.lmra, papers.aia, papers.labels, papers.prolin])
  })
})
