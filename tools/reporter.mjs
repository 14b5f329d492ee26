// Closes every test run with one plain line, `N passed, N failed, N skipped`, and says why anything was skipped.

/** @typedef {import('vitest/node').TestModule} TestModule */

export default class CountReporter {
  /** @param {readonly TestModule[]} modules @param {readonly unknown[]} unhandled */
  onTestRunEnd(modules, unhandled) {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 }
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      if (module.state() === 'failed' && !tests.some((t) => t.result().state === 'failed')) count.failed++
      for (const test of tests) {
        const { state } = test.result()
        if (state === 'passed') count.passed++
        else if (state === 'failed') count.failed++
        else count.skipped++
      }
    }
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
  }
}
