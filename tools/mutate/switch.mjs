// The quick way: the mutants of some files behind switches (switches.mjs), test files bundled with them (switch-bundle.mjs)
// and run case by case in one process (switch-child.mjs). What runs only while a module is loaded gets a module loaded
// anew. Left to the slow way: types, the built program, threads, and tests that need more of vitest than
// switch-vitest.mjs has.
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blockAround, blocksOf } from './blocks.mjs'
import { bundleTest } from './switch-bundle.mjs'

/** @typedef {import('./results.mjs').Placed} Placed */
/** @typedef {import('./switch-child.mjs').Task} Task */
/** @typedef {import('./switch-child.mjs').Told} Told */
/** @typedef {Extract<Told, { at: 'measured' }>} Measures */
/** @typedef {{ killer: string | null, late: boolean }} Found */
/** @typedef {{ killer: string, late: boolean }} Killed */

/** A mutant may take so many times what the cases take without it, and as many seconds more. */
const patience = { times: 6, seconds: 3 }
/** For so many mutants it is not looked at first which cases come through them. */
const fewAtOnce = 3
/** Cases that begin later than so many seconds after the first are not tried. */
const mostMeasured = 20
/** So many orders go to one process. */
const ordersEach = 8
/** So many modules loaded anew fit into one process. */
const freshAtOnce = 60

/** What the stand-in for vitest cannot do, and what starts programs. @param {string} text */
export const isSwitchable = (text) =>
  !/\bvi\b.*from 'vitest'|\btoMatch\w*Snapshot\b|expect\.poll|from 'node:(child_process|worker_threads)'/.test(text)

/**
 * Runs tests for many mutants at once.
 * @param {object} options
 * @param {string} options.root
 * @param {readonly Placed[]} options.mutants
 * @param {(file: string) => readonly string[]} options.testsOf Test files of a source, the best first.
 * @param {number} options.within Cases that take longer are left out.
 * @param {number} options.budget What a mutant may cost with one test file, in seconds.
 * @param {number} [options.stall] Seconds without a word after which a mutant does not end, beside what its cases take.
 * @param {number} [options.until] When to begin nothing new, as `performance.now` tells it.
 * @param {(text: string) => void} options.say
 * @param {(mutant: Placed, found: Killed, seconds: number) => void} [options.killed] Told of each as it is found.
 * @returns {Promise<ReadonlyMap<Placed, Killed>>} those killed
 */
export async function switchedOutcomes(options) {
  const { root, mutants, testsOf, within, budget, say } = options
  const { stall = Number.POSITIVE_INFINITY, until = Number.POSITIVE_INFINITY } = options
  mkdirSync(`${root}/runs`, { recursive: true })
  const folder = mkdtempSync(`${root}/runs/switches-`)
  const leftovers = mkdtempSync(join(tmpdir(), 'overhear-switches-'))
  const children = openChildren({ root, leftovers, stall: Math.min(stall, patience.seconds) })
  const numbers = new Map(mutants.map((mutant, i) => [mutant, i + 1]))
  /** @type {Map<Placed, Killed>} */
  const killed = new Map()
  const sources = [...new Set(mutants.map(({ file }) => file))]
  const inBlocks = blockFinder(root)
  try {
    for (const test of orderOf(sources, testsOf)) {
      if (performance.now() > until) break
      const alive = mutants.filter((one) => !killed.has(one) && testsOf(one.file).includes(test))
      if (alive.length === 0 || !isSwitchable(readFileSync(`${root}/${test}`, 'utf8'))) continue
      const files = new Map(
        sources.filter((file) => testsOf(file).includes(test)).map((file) => [file, numbered(file)]),
      )
      const start = performance.now()
      const found = await foundBy(test, files, alive)
      if (found === null) continue
      const seconds = Math.round((performance.now() - start) / 100) / 10
      let count = 0
      for (const [number, { killer, late }] of found) {
        if (killer === null) continue
        count++
        const [mutant, one] = [/** @type {Placed} */ (mutants[number - 1]), { killer: `${test} > ${killer}`, late }]
        killed.set(mutant, one)
        options.killed?.(mutant, one, Math.round((10 * seconds) / found.size) / 10)
      }
      say(`${killed.size} of ${mutants.length} killed; ${count} of ${found.size} by ${test} in ${seconds} s`)
    }
  } finally {
    children.close()
    for (const made of [folder, leftovers]) rmSync(made, { recursive: true, force: true })
  }
  return killed

  /**
   * Each mutant gets the cases that come through it; of a few it is not looked at first who does, which would take longer.
   * @param {string} test @param {ReadonlyMap<string, import('./switch-bundle.mjs').Numbered>} files
   * @param {readonly Placed[]} alive
   */
  async function foundBy(test, files, alive) {
    const few = alive.length <= fewAtOnce
    const [marks, switches] = [`${folder}/marks.mjs`, `${folder}/switches.mjs`]
    await bundleTest({ root, test, out: few ? switches : marks, files, marks: !few })
    const measured = await children.measured(few ? switches : marks)
    if (measured === null) {
      say(`left out: ${test}`)
      return null
    }
    const broken = measured.cases.filter(({ failure }) => failure !== null)
    for (const { failure } of broken) say(`left out of ${test}: ${failure}`)
    const tasks = alive.flatMap((mutant) => {
      const block = few ? null : inBlocks(mutant)
      const task = taskOf(measured, block, mutant.file, { within, budget })
      return task === null ? [] : [{ ...task, number: numberOf(mutant) }]
    })
    if (tasks.length === 0) return null
    if (!few) await bundleTest({ root, test, out: switches, files, marks: false })
    return children.found(switches, tasks, measured)
  }

  /** @param {Placed} mutant */
  function numberOf(mutant) {
    return /** @type {number} */ (numbers.get(mutant))
  }

  /** The mutants of a file, which follow one another. @param {string} file */
  function numbered(file) {
    const own = mutants.filter((one) => one.file === file)
    return { mutants: own, first: numberOf(/** @type {Placed} */ (own[0])) }
  }
}

/** Tests of all files: whoever is nearest to some file first. @param {readonly string[]} sources @param {(file: string) => readonly string[]} testsOf */
function orderOf(sources, testsOf) {
  /** @type {Map<string, number>} */
  const places = new Map()
  for (const file of sources) {
    for (const [place, test] of testsOf(file).entries()) {
      places.set(test, Math.min(place, places.get(test) ?? Number.POSITIVE_INFINITY))
    }
  }
  return [...places].sort(([a, i], [b, j]) => i - j || (a < b ? -1 : 1)).map(([test]) => test)
}

/** @param {string} root */
function blockFinder(root) {
  /** @type {Map<string, import('./blocks.mjs').Span[]>} */
  const kept = new Map()
  /** @param {Placed} mutant */
  return (mutant) => {
    const blocks = kept.get(mutant.file) ?? blocksOf(readFileSync(`${root}/${mutant.file}`, 'utf8'))
    kept.set(mutant.file, blocks)
    return blockAround(blocks, mutant)
  }
}

/** @param {string | undefined} marks @param {number} block */
const isIn = (marks, block) => marks !== undefined && Buffer.from(marks, 'base64')[block] === 1

/**
 * Which cases to run for a mutant, the cheapest first; null if none comes through it. Without a block all do.
 * @param {Measures} measured @param {number | null} block @param {string} file
 * @param {{ within: number, budget: number }} limits
 */
export function taskOf({ atImport, cases }, block, file, { within, budget }) {
  const fresh = block === null || isIn(atImport[file], block)
  const reaching = [...cases.entries()]
    .filter(
      ([, { seconds, hits, failure }]) => failure === null && seconds <= within && (fresh || isIn(hits[file], block)),
    )
    .sort(([, a], [, b]) => a.seconds - b.seconds)
  let spent = 0
  /** @type {number[]} */
  const afforded = []
  for (const [i, { seconds }] of reaching) {
    spent += seconds
    if (spent <= budget) afforded.push(i)
  }
  return afforded.length === 0 ? null : { cases: afforded, fresh }
}

/**
 * Processes that run bundles, one at a time; one that stalls is ended. What tests leave behind lies in `leftovers`.
 * @param {{ root: string, leftovers: string, stall: number }} options
 */
function openChildren({ root, leftovers, stall }) {
  const program = fileURLToPath(new URL('./switch-child.mjs', import.meta.url))
  const env = { ...process.env, TMPDIR: leftovers }
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  let asked = 0
  const end = () => {
    child?.removeAllListeners()
    child?.kill('SIGKILL')
    child = undefined
  }
  /**
   * @param {import('./switch-child.mjs').Order} order @param {(told: Told) => boolean} hear Whether that was all.
   * @param {() => number} seconds Until the next message.
   * @returns {Promise<boolean>} false if it did not come to its end
   */
  const ask = (order, hear, seconds) =>
    new Promise((done) => {
      if (asked++ % ordersEach === 0) end()
      child ??= fork(program, [], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      const one = child
      const over = (/** @type {boolean} */ whole) => {
        clearTimeout(timer)
        one.removeAllListeners()
        if (!whole || asked % ordersEach === 0) end()
        done(whole)
      }
      let timer = setTimeout(() => over(false), 1000 * seconds())
      one.on('message', (/** @type {Told} */ told) => {
        clearTimeout(timer)
        if (hear(told)) return over(true)
        // What was just heard may say how long the next may take.
        timer = setTimeout(() => over(false), 1000 * seconds())
      })
      one.once('exit', () => over(false))
      one.send(order)
    })
  /** @param {string} bundle @returns {Promise<Measures | null>} */
  async function measured(bundle) {
    /** @type {Measures | null} */
    let found = null
    await ask(
      { bundle, tasks: null, seconds: mostMeasured },
      (told) => {
        if (told.at === 'measured') found = told
        return found !== null
      },
      () => 5 * mostMeasured,
    )
    return found
  }
  /** @param {string} bundle @param {readonly Task[]} tasks @param {Measures} measures @returns {Promise<Map<number, Found>>} */
  async function found(bundle, tasks, { cases }) {
    /** @type {Map<number, Found>} */
    const results = new Map()
    const usual = new Map(
      tasks.map((task) => [task.number, task.cases.reduce((sum, i) => sum + (cases[i]?.seconds ?? 0), 0)]),
    )
    const whole = cases.reduce((sum, one) => sum + one.seconds, 0)
    let left = [...tasks].sort((a, b) => Number(a.fresh) - Number(b.fresh))
    while (left.length > 0) {
      const freshFrom = left.findIndex(({ fresh }) => fresh)
      const batch = freshFrom === 0 ? left.slice(0, freshAtOnce) : left.slice(0, freshFrom < 0 ? undefined : freshFrom)
      /** @type {number | undefined} */
      let at
      let sound = true
      const ended = await ask(
        { bundle, tasks: batch, seconds: 0 },
        (told) => {
          if (told.at === 'begun') at = told.number
          if (told.at === 'ended') {
            results.set(told.number, { killer: told.killer, late: false })
            at = undefined
          }
          if (told.at === 'over') sound = told.sound
          return told.at === 'over'
        },
        () => (at === undefined ? 30 : stall) + patience.times * (usual.get(at ?? -1) ?? whole),
      )
      if (!ended && at !== undefined) results.set(at, { killer: 'no end', late: true })
      else if (!ended) break
      // Mutants that spoil what others find run by themselves.
      const again = batch.filter(({ number, fresh }) => !sound && !fresh && results.get(number)?.killer !== null)
      for (const { number } of again) results.delete(number)
      left = left
        .filter(({ number }) => !results.has(number))
        .map((one) => (again.includes(one) ? { ...one, fresh: true } : one))
      left.sort((a, b) => Number(a.fresh) - Number(b.fresh))
    }
    return results
  }
  return { measured, found, close: end }
}
