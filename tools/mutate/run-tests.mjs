// Runs test files in the order given up to the first failure, and tells the parent how it goes; then waits for the next
// list, with what it has read and compiled still at hand. A process of its own: a mutant may never come back.
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, createVitest } from 'vitest/node'
import { marked } from './blocks.mjs'
import { sourcesAmong } from './sample.mjs'

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {import('vitest/node').TestSpecification} TestSpecification */
/** @typedef {{ file: string, name: string }} Failure */
/** @typedef {{ at: 'file', file: string } | { at: 'done', file: string, seconds: number } | { at: 'case' } | { at: 'end', failure: Failure | null }} Told */
/** What is asked for: test files, and sources that have changed since the last time. @typedef {{ files: string[], changed: string[] }} Order */

/** @type {{ root: string, workers: number, marks: boolean }} */
const { root, workers, marks } = JSON.parse(process.argv[2] ?? '')

/** @param {string} moduleId */
const pathOf = (moduleId) => relative(root, moduleId).split(sep).join('/')

/** @type {string[]} */
let files = []

class Nearest extends BaseSequencer {
  /** @param {TestSpecification[]} all @override */
  async sort(all) {
    return all.toSorted((a, b) => files.indexOf(pathOf(a.moduleId)) - files.indexOf(pathOf(b.moduleId)))
  }
}

/** @param {Told} told */
const tell = (told) => process.send?.(told)

/** @type {Failure | null} */
let failure = null
const reporter = {
  /** @param {TestModule} module */
  onTestModuleQueued: ({ moduleId }) => void tell({ at: 'file', file: pathOf(moduleId) }),
  /** @param {TestModule} module */
  onTestModuleEnd(module) {
    const { duration, collectDuration } = module.diagnostic()
    const seconds = (duration + collectDuration) / 1000
    if (module.state() === 'passed') tell({ at: 'done', file: pathOf(module.moduleId), seconds })
  },
  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    tell({ at: 'case' })
    if (test.result().state === 'failed') failure ??= { file: pathOf(test.module.moduleId), name: test.fullName }
  },
  /** @param {readonly TestModule[]} modules @param {readonly { message: string }[]} unhandled */
  onTestRunEnd(modules, unhandled) {
    const failed = modules.find((module) => module.state() === 'failed')
    if (failed !== undefined) failure ??= { file: pathOf(failed.moduleId), name: failed.errors()[0]?.message ?? '' }
    const file = modules.find((module) => module.state() !== 'skipped')?.moduleId
    if (unhandled[0] !== undefined) failure ??= { file: pathOf(file ?? root), name: unhandled[0].message }
  },
}

/** Marks every source, where it is asked which of its blocks a test reaches. */
const marking = {
  name: 'marks',
  enforce: /** @type {const} */ ('pre'),
  /** @param {string} _ @param {string} id */
  transform(_, id) {
    const path = pathOf(id.split('?')[0] ?? '')
    if (path.startsWith('..') || sourcesAmong([path], []).length === 0) return
    return { code: marked(readFileSync(`${root}/${path}`, 'utf8'), path), map: null }
  },
}
const keeping = [fileURLToPath(new URL('./keep-hits.mjs', import.meta.url))]

const vitest = await createVitest(
  'test',
  {
    root,
    watch: false,
    bail: marks ? 0 : 1,
    maxWorkers: workers,
    reporters: [reporter],
    sequence: { sequencer: Nearest },
    ...(marks ? { setupFiles: [`${root}/test/setup.ts`, ...keeping] } : {}),
  },
  { cacheDir: `${root}/.vite`, ...(marks ? { plugins: [marking] } : {}) },
)
await vitest.standalone()
// Of several projects one in which each test file has modules of its own; the root would not hear of changed files.
const project = vitest.projects.find(({ config }) => config.isolate) ?? vitest.getRootProject()

/** @param {Order} order */
async function run(order) {
  files = order.files
  failure = null
  for (const path of order.changed) vitest.invalidateFile(`${root}/${path}`)
  await vitest.runTestSpecifications(files.map((path) => project.createSpecification(`${root}/${path}`)))
  tell({ at: 'end', failure })
}

process.on('message', (/** @type {Order} */ order) => {
  run(order).catch((error) => tell({ at: 'end', failure: { file: files[0] ?? root, name: String(error) } }))
})
