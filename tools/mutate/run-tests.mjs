// Runs test files in the order given up to the first failure, and tells the parent how it goes. A process of its own: a
// mutant may never come back.
import { relative, sep } from 'node:path'
import { BaseSequencer, startVitest } from 'vitest/node'

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {import('vitest/node').TestSpecification} TestSpecification */
/** @typedef {{ file: string, name: string }} Failure */
/** @typedef {{ at: 'file', file: string } | { at: 'case' } | { at: 'end', failure: Failure | null, ran: number }} Told */

const { root, files, workers } = JSON.parse(process.argv[2] ?? '')

/** @param {string} moduleId */
const pathOf = (moduleId) => relative(root, moduleId).split(sep).join('/')

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
  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    tell({ at: 'case' })
    if (test.result().state === 'failed') failure ??= { file: pathOf(test.module.moduleId), name: test.fullName }
  },
  /** @param {readonly TestModule[]} modules @param {readonly { message: string }[]} unhandled */
  async onTestRunEnd(modules, unhandled) {
    const failed = modules.find((module) => module.state() === 'failed')
    if (failed !== undefined) failure ??= { file: pathOf(failed.moduleId), name: failed.errors()[0]?.message ?? '' }
    const file = modules.find((module) => module.state() !== 'skipped')?.moduleId
    if (unhandled[0] !== undefined) failure ??= { file: pathOf(file ?? root), name: unhandled[0].message }
    tell({ at: 'end', failure, ran: modules.filter((module) => module.state() !== 'skipped').length })
  },
}

const vitest = await startVitest(
  'test',
  files,
  { root, watch: false, bail: 1, maxWorkers: workers, reporters: [reporter], sequence: { sequencer: Nearest } },
  { cacheDir: `${root}/.vite` },
)
await vitest.close()
process.disconnect?.()
