// Runs the cases of a bundled test file, once to see what each comes through, or for one mutant after another. A process
// of its own: a mutant may never come back.
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { casesOf } from './switch-vitest.mjs'

/** @typedef {import('./switch-vitest.mjs').Case} Case */
/** @typedef {{ name: string, seconds: number, failure: string | null, hits: Record<string, string> }} Measured */
/** @typedef {{ number: number, cases: readonly number[], fresh: boolean }} Task */
/** @typedef {{ bundle: string, tasks: readonly Task[] | null, seconds: number }} Order Tasks; or null to measure, for so many seconds. */
/**
 * @typedef {{ at: 'measured', atImport: Record<string, string>, cases: Measured[] } | { at: 'begun', number: number } |
 * { at: 'ended', number: number, killer: string | null } | { at: 'over', sound: boolean }} Told
 */

fc.configureGlobal({ seed: 1 })

/** @param {Told} told */
const tell = (told) => process.send?.(told)
/** @type {any} */
const scope = globalThis

let times = 0
/** @param {string} bundle @param {number} mutant On while it is loaded. */
function loaded(bundle, mutant) {
  scope.__mutant = mutant
  return casesOf(() => import(`${pathToFileURL(bundle).href}?${times++}`))
}

/** The message of the first failure, or null. @param {readonly Case[]} cases @returns {Promise<string | null>} */
async function failureOf(cases) {
  /** @type {Set<import('./switch-vitest.mjs').Body>} */
  const begun = new Set()
  try {
    for (const { run, before, after, beforeAll, name } of cases) {
      try {
        for (const hook of beforeAll) {
          if (!begun.has(hook)) await hook()
          begun.add(hook)
        }
        for (const hook of before) await hook()
        await run()
      } catch (error) {
        return `${name}: ${String(/** @type {any} */ (error)?.message).split('\n')[0]}`
      } finally {
        for (const hook of after) await hook()
      }
    }
    return null
  } finally {
    // What is cleaned up without having been prepared in a hook was there before the first case: others need it still.
    const prepared = cases.filter(({ beforeAll }) => beforeAll.length > 0)
    for (const hook of new Set(prepared.flatMap(({ afterAll }) => afterAll))) await hook()
  }
}

/** Marks so far in base64, and all of them off again. */
function taken() {
  const hits = /** @type {Record<string, Uint8Array>} */ (scope.__hits ?? {})
  const found = Object.entries(hits).filter(([, marks]) => marks.includes(1))
  const texts = found.map(([file, marks]) => [file, Buffer.from(marks).toString('base64')])
  for (const [, marks] of found) marks.fill(0)
  return Object.fromEntries(texts)
}

/** @param {string} bundle @param {number} seconds No case begins later. */
async function measure(bundle, seconds) {
  const all = await loaded(bundle, 0)
  const atImport = taken()
  /** @type {Measured[]} */
  const cases = []
  const begun = performance.now()
  for (const one of all) {
    const start = performance.now()
    if (start - begun > 1000 * seconds) break
    const failure = await failureOf([one])
    cases.push({ name: one.name, seconds: (performance.now() - start) / 1000, failure, hits: taken() })
  }
  tell({ at: 'measured', atImport, cases })
}

/** @param {readonly Case[]} all @param {readonly number[]} places */
const chosen = (all, places) => places.map((i) => /** @type {Case} */ (all[i]))

/** @param {string} bundle @param {readonly Task[]} tasks */
async function run(bundle, tasks) {
  const cases = tasks.every(({ fresh }) => fresh) ? [] : await loaded(bundle, 0)
  const used = new Set(tasks.filter(({ fresh }) => !fresh).flatMap((task) => task.cases))
  const turnTo = scope.__turnTo
  for (const task of tasks) {
    tell({ at: 'begun', number: task.number })
    let killer
    try {
      if (task.fresh) {
        const own = await loaded(bundle, task.number)
        killer = await failureOf(chosen(own, task.cases))
      } else {
        turnTo(task.number)
        killer = await failureOf(chosen(cases, task.cases))
      }
    } catch (error) {
      killer = String(error)
    }
    turnTo?.(0)
    tell({ at: 'ended', number: task.number, killer })
  }
  // What a mutant left behind may have made others fail.
  const failure = await failureOf(chosen(cases, [...used]))
  tell({ at: 'over', sound: failure === null })
}

process.on('uncaughtException', () => undefined)
process.on('unhandledRejection', () => undefined)
process.on('message', (/** @type {Order} */ { bundle, tasks, seconds }) => {
  const done = tasks === null ? measure(bundle, seconds) : run(bundle, tasks)
  done.catch((error) => {
    console.error(`mutate: ${error.stack}`)
    process.exit(1)
  })
})
