// Stands in for vitest where one process runs the same tests for one mutant after another: it keeps what a test file
// declares, in order. What it does not know (mocks, snapshots) it does not export, and such files are left to vitest.
import { ASYMMETRIC_MATCHERS_OBJECT, chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect'

/** @typedef {(...values: any[]) => unknown} Body */
/** @typedef {{ name: string, run: Body, before: Body[], after: Body[], beforeAll: Body[], afterAll: Body[] }} Case */
/** @typedef {Pick<Case, 'name' | 'before' | 'after' | 'beforeAll' | 'afterAll'>} Suite */

chai.use(JestExtend)
chai.use(JestChaiExpect)
chai.use(JestAsymmetricMatchers)

const asserted = (/** @type {unknown} */ value, /** @type {string} */ message) => chai.expect(value, message)
export const expect = Object.assign(
  asserted,
  chai.expect,
  /** @type {any} */ (globalThis)[ASYMMETRIC_MATCHERS_OBJECT],
  {
    unreachable(/** @type {string} */ message) {
      throw new Error(message ?? 'unreachable')
    },
  },
)

/** Any call of it is fine: types are checked elsewhere. @returns {any} */
export const expectTypeOf = () => new Proxy(() => undefined, { get: () => expectTypeOf(), apply: () => expectTypeOf() })

/** @returns {Suite} */
const emptySuite = () => ({ name: '', before: [], after: [], beforeAll: [], afterAll: [] })
/** @type {Case[]} */
let cases = []
let suite = emptySuite()

/** Everything that is declared while `load` runs. @param {() => Promise<unknown>} load */
export async function casesOf(load) {
  cases = []
  suite = emptySuite()
  await load()
  return cases
}

/** @param {string} name @param {Body} body */
function inSuite(name, body) {
  const outer = suite
  suite = { ...outer, name: `${outer.name}${name} > ` }
  for (const kind of /** @type {const} */ (['before', 'after', 'beforeAll', 'afterAll'])) suite[kind] = [...outer[kind]]
  body()
  suite = outer
}

/** @param {string} name @param {Body} run */
function addCase(name, run) {
  cases.push({ ...suite, name: `${suite.name}${name}`, run })
}

/** What tests and suites have in common. @param {(name: string, body: Body) => void} declare */
function declaring(declare) {
  /** @param {string} name @param {any[]} rest A function, perhaps with options before or a limit after it. */
  const one = (name, ...rest) => declare(name, rest.find((value) => typeof value === 'function') ?? (() => undefined))
  const nothing = () => undefined
  const skip = Object.assign(nothing, { each: () => nothing, for: () => nothing })
  /** @param {(row: any) => readonly unknown[]} valuesOf What a row hands over. */
  const over =
    (valuesOf) =>
    (/** @type {readonly unknown[]} */ table) =>
    (/** @type {string} */ name, /** @type {any[]} */ ...rest) => {
      const body = rest.find((value) => typeof value === 'function')
      for (const [i, row] of table.entries()) declare(`${name} ${i}`, () => body(...valuesOf(row)))
    }
  const each = over((row) => (Array.isArray(row) ? row : [row]))
  const forEach = over((row) => [row])
  const all = Object.assign(one, { each, for: forEach, skip })
  return Object.assign(all, {
    skipIf: (/** @type {unknown} */ skipped) => (skipped ? skip : all),
    runIf: (/** @type {unknown} */ wanted) => (wanted ? all : skip),
  })
}

export const test = declaring(addCase)
export const describe = declaring(inSuite)
export const it = test
/** @param {Body} run */
export const beforeEach = (run) => void suite.before.push(run)
/** @param {Body} run */
export const afterEach = (run) => void suite.after.push(run)
/** @param {Body} run */
export const beforeAll = (run) => void suite.beforeAll.push(run)
/** @param {Body} run */
export const afterAll = (run) => void suite.afterAll.push(run)
