import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { declarationsOf } from '../tools/bundle.mjs'
import { limits } from '../tools/release.mjs'
import { addingPage, addingPages, refreshPage, typedPlugin } from './adding-pages.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'overhear-package-'))
const [tree, user] = [join(work, 'tree'), join(work, 'user')]
afterAll(() => rmSync(work, { recursive: true, force: true }))

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}
let packed: Packed

function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 })
  expect({ status, error, said: status === 0 ? '' : stdout + stderr }).toEqual({
    status: 0,
    error: undefined,
    said: '',
  })
  return stdout
}

/** Packages that are installed here, where a program looks for them. */
function link(folder: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
  }
}

beforeAll(() => {
  // Packing builds anew in place: in a copy, so that no other test finds the build gone.
  for (const name of readdirSync(root)) {
    if (!['node_modules', 'dist', 'runs', '.git', 'recorders', 'test', 'studies', 'docs'].includes(name)) {
      cpSync(join(root, name), join(tree, name), { recursive: true })
    }
  }
  cpSync(join(root, 'studies', 'results'), join(tree, 'studies', 'results'), { recursive: true })
  link(
    tree,
    readdirSync(join(root, 'node_modules')).filter((name) => name !== '.cache'),
  )
  // What follows packing, the ordinary build for whoever works in the tree, nobody needs here.
  run(tree, 'npm', 'run', 'prepack')
  const [first] = JSON.parse(run(tree, 'npm', 'pack', '--json', '--ignore-scripts').replace(/^[^[]*/, '')) as Packed[]
  packed = first!
  mkdirSync(join(user, 'node_modules'), { recursive: true })
  run(join(user, 'node_modules'), 'tar', 'xzf', join(tree, packed.filename))
  run(join(user, 'node_modules'), 'mv', 'package', 'overhear')
  link(user, ['yaml', 'zod', '@types/node', 'undici-types'])
  writeFileSync(join(user, 'package.json'), '{ "type": "module" }')
})

test('the package is small, and holds no map, no test and no notes of the compiler', () => {
  expect(packed.size).toBeLessThan(limits.bytes)
  expect(packed.files.length).toBeLessThan(limits.files)
  expect(packed.files.filter(({ path }) => /\.map$|\.tsbuildinfo$|\.test\.|reference/.test(path))).toEqual([])
})

test('a TypeScript program outside audits a table of its own', () => {
  const people = Array.from({ length: 90 }, (_, i) => {
    const [age, smoker] = [20 + ((i * 37) % 50), (i * 13) % 5 === 0]
    return `${age},${20 + ((i * 11) % 15)},${smoker ? 'yes' : 'no'},${200 * age + (smoker ? 9000 : 0) + ((i * 101) % 700)}`
  })
  writeFileSync(join(user, 'people.csv'), `age,bmi,smoker,cost\n${people.join('\n')}\n`)
  writeFileSync(
    join(user, 'program.ts'),
    `import { type AuditEvent, audit, auditText, reportHtml } from 'overhear'
    import { nodePorts } from 'overhear/node'
    import { rng } from 'overhear/numeric'
    const seed: number = rng(1).integer(5)
    const run = audit(
      {
        name: 'clinics',
        seed,
        heldBack: 0,
        data: { name: 'csv', params: { file: 'people.csv', label: 'cost', sensitive: 'smoker' } },
        partition: { name: 'iid', params: { clients: 3 } },
        models: [{ kind: 'linear' }],
        training: { rounds: 10, learningRate: 0.05 },
        observers: ['eavesdropper'],
        attacks: ['last-returned', 'aia-model'],
      },
      { ports: nodePorts({ out: 'run', workers: 1 }), report: reportHtml },
    )
    const events: AuditEvent['kind'][] = []
    for await (const event of run) events.push(event.kind)
    const document = await run.result
    console.log(JSON.stringify({ events, report: document.report, text: auditText(document, { verbose: true }) }))
    `,
  )
  const options = {
    module: 'NodeNext',
    target: 'ES2022',
    strict: true,
    types: ['node'],
    exactOptionalPropertyTypes: true,
  }
  writeFileSync(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }))
  run(user, process.execPath, join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.')
  const said = JSON.parse(run(user, process.execPath, 'program.js')) as Record<'events' | 'report' | 'text', string>
  expect(said.events.slice(-2)).toEqual(['attacked', 'attacked'])
  expect(said.text).toMatch(/^ {2}aia-model +smoker /m)
  expect(readFileSync(join(user, said.report), 'utf8')).toContain('<!doctype html>')
})

const command = join(user, 'node_modules', 'overhear', 'bin', 'overhear.mjs')

describe('the pages of docs/adding, where nothing but the package is installed', () => {
  test.each(addingPages)('%s: its plug-in and its scenario print what it shows (else: UPDATE_DOCS=1)', (page) => {
    const { plugin, scenario, shown } = addingPage(page)
    const folder = join(user, page)
    mkdirSync(folder)
    writeFileSync(join(folder, 'plug-in.mjs'), plugin)
    writeFileSync(join(folder, 'scenario.yaml'), scenario)
    const printed = shown.map(({ args }) => run(folder, process.execPath, command, ...args).split('\n'))
    if (process.env.UPDATE_DOCS !== undefined) refreshPage(page, printed)
    for (const [k, { lines }] of addingPage(page).shown.entries()) {
      expect(printed[k]!.filter((line) => lines.includes(line))).toEqual(lines)
    }
  })

  test('a plug-in in TypeScript compiles, strictly, and loads', () => {
    const folder = join(user, 'typed')
    mkdirSync(folder)
    writeFileSync(join(folder, 'plug-in.mts'), typedPlugin)
    const options = { module: 'NodeNext', target: 'ES2022', strict: true, noUncheckedIndexedAccess: true }
    const more = { exactOptionalPropertyTypes: true, types: ['node'] }
    const config = { compilerOptions: { ...options, ...more }, files: ['plug-in.mts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    run(folder, process.execPath, join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.')
    const listed = run(folder, process.execPath, command, 'list', 'attacks', '--plugin', 'plug-in.mjs')
    expect(listed).toContain('median-returned: ')
    expect(listed).toContain('(plug-in medians)')
  })
})

test('the command of the package runs, and says what Parquet takes', () => {
  expect(run(user, process.execPath, command, 'list', 'models')).toContain('linear')
  writeFileSync(join(user, 'p.parquet'), 'PAR1')
  const scenario = 'data: { name: parquet, params: { file: p.parquet, label: y } }\nmodels: [{ kind: linear }]\n'
  writeFileSync(join(user, 'p.yaml'), scenario)
  const { status, stderr } = spawnSync(process.execPath, [command, 'audit', 'p.yaml'], { cwd: user, encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining('npm install @duckdb/node-api@')])
})

test('the page of the package is served, with the code of its lab', async () => {
  const args = [command, 'serve', '--port', '0', '--json']
  const server = spawn(process.execPath, args, { cwd: user, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const said = await new Promise<string>((resolve, reject) => {
      server.stdout.once('data', (text) => resolve(String(text)))
      server.once('close', (code) => reject(new Error(`it ended with exit code ${code}`)))
    })
    const { url } = JSON.parse(said) as { url: string }
    for (const path of ['', 'page/page.js', 'page/page.css', 'bundle/web/lab-worker.js', 'api/describe']) {
      expect((await fetch(`${url}${path}`)).status).toBe(200)
    }
  } finally {
    server.kill('SIGTERM')
  }
})

test('of the declarations those are shipped to which an entry leads', () => {
  const files: Record<string, string> = {
    'index.d.ts': "export { a } from './a.js'",
    'a.d.ts': "export declare const a: import('./deep/b.js').B",
    'deep/b.d.ts': 'export interface B {}',
    'c.d.ts': '',
  }
  expect([...declarationsOf(['index.js'], (path) => files[path]!)]).toEqual(['index.d.ts', 'a.d.ts', 'deep/b.d.ts'])
})
