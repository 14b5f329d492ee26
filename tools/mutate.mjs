// How good the tests are: small mistakes are made in a copy of the repository, one at a time, and those that no test
// notices are told. `npm run mutate -- --help` says how.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { filesOf, openCopy } from './mutate/copy.mjs'
import { applied } from './mutate/mutants.mjs'
import { addSeen, addTime, keepReached, reachingTests, readReached, seenOf } from './mutate/reached.mjs'
import { chosenTests, isFarPin, relatedTests } from './mutate/related.mjs'
import { keyOf, readEquivalents, readResults, reasonFor, summaryOf } from './mutate/results.mjs'
import { allMutants, drawn, fitting, sourcesAmong } from './mutate/sample.mjs'
import { switchedResults } from './mutate/switch-mode.mjs'

/** @typedef {import('./mutate/copy.mjs').Copy} Copy */
/** @typedef {import('./mutate/results.mjs').Placed} Placed */
/** @typedef {import('./mutate/results.mjs').Result} Result */

const usage = `npm run mutate -- --sample N [--seed S] [--file GLOB]... [--resume FILE] [--out FILE]
                  [--jobs 1] [--workers 1] [--stall 180] [--near N] [--within S] [--unbuilt]
                  [--budget S] [--again] [--minutes M] [--list]
npm run mutate -- --measure [--minutes M] [--file GLOB]...
npm run mutate -- --switch [--sample N [--seed S]] [--file GLOB]... [--out FILE] [--near 4] [--within 3] [--budget 12]
                  [--tests GLOB]... [--jobs 1] [--minutes M]

Draws N mutants of src (or of the files that a GLOB fits) by the seed S (1), and for each: makes the mistake in a copy of
the repository, runs the tests that reach the file, nearest first, compiles it ("by types" if that fails), runs the tests of
the built program, and stops at the first that fails ("killed") or gives no result for --stall seconds ("by time").
A line of JSON for each mutant goes to --out (runs/mutants-<time>.jsonl); --resume goes on with such a file.
--jobs copies are at work at once, each with --workers test files at a time. --list only shows the mutants.
--minutes M begins nothing new after M minutes. --measure runs all tests once and keeps which parts of which sources each
came through, and in what time: then a mutant needs those alone that came through its place, the cheapest first, and after
them those of the built program. A test that has changed since is run for every mutant that it could reach.
--near N runs the N nearest test files and those near that pin numbers (pinned-*) alone, --within S leaves out those that
were seen to take longer than S seconds, --unbuilt those of the built program, --budget S those at the end
that together take longer than S seconds: sooner done, and a score that is too low if it errs. --resume FILE --again
tries those that survived once more.
--switch is quick: all mutants are compiled at once, each behind a switch, and the cases of a test file run in one process
for one after another; then the others are compiled. It draws a sample or takes every mutant, keeps the killed in --out, and
lists those left: the built program, threads and tests with mocks are for --resume of the same file. --tests GLOB asks
those test files alone, --budget S what cases of a test file may take for one mutant.
test/equivalent-mutants lists mutants that change nothing, a file for each room, with reasons: they are left out of the score.`

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

function askedFor() {
  const { values } = parseArgs({
    options: {
      sample: { type: 'string' },
      seed: { type: 'string' },
      file: { type: 'string', multiple: true },
      tests: { type: 'string', multiple: true, default: [] },
      resume: { type: 'string' },
      out: { type: 'string' },
      jobs: { type: 'string', default: '1' },
      workers: { type: 'string', default: '1' },
      stall: { type: 'string', default: '180' },
      near: { type: 'string' },
      minutes: { type: 'string' },
      within: { type: 'string' },
      budget: { type: 'string' },
      again: { type: 'boolean', default: false },
      unbuilt: { type: 'boolean', default: false },
      switch: { type: 'boolean', default: false },
      measure: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  /** @param {string} flag @param {string} text */
  const whole = (flag, text) => {
    if (!/^\d+$/.test(text)) throw new Error(`--${flag} is "${text}"; a whole number is needed`)
    return Number(text)
  }
  const before = values.resume === undefined ? undefined : readResults(values.resume)
  const sample = values.sample === undefined ? before?.asked.sample : whole('sample', values.sample)
  if (sample === undefined && !values.help && !values.measure && !values.switch)
    throw new Error('--sample is missing: how many mutants?')
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  return {
    help: values.help,
    list: values.list,
    measure: values.measure,
    unbuilt: values.unbuilt,
    switch: values.switch,
    until:
      performance.now() +
      (values.minutes === undefined ? Number.POSITIVE_INFINITY : 60000 * whole('minutes', values.minutes)),
    sample: sample ?? (values.switch ? Number.MAX_SAFE_INTEGER : 0),
    done: (before?.results ?? []).filter(({ outcome }) => !values.again || outcome !== 'survived'),
    seed: values.seed === undefined ? (before?.asked.seed ?? 1) : whole('seed', values.seed),
    tests: values.tests,
    files: values.file ?? before?.asked.files ?? [],
    out: resolve(values.resume ?? values.out ?? `${root}/runs/mutants-${time}.jsonl`),
    jobs: Math.max(1, whole('jobs', values.jobs)),
    workers: Math.max(1, whole('workers', values.workers)),
    stallSeconds: Math.max(1, whole('stall', values.stall)),
    within: values.within === undefined ? Number.POSITIVE_INFINITY : whole('within', values.within),
    budget: values.budget === undefined ? Number.POSITIVE_INFINITY : whole('budget', values.budget),
    near: values.near === undefined ? Number.POSITIVE_INFINITY : Math.max(1, whole('near', values.near)),
  }
}

/**
 * Tests that fail without any mistake, and those known not to.
 * @typedef {{ broken: Set<string>, sound: Set<string> }} Known
 */

/**
 * The tests of a mutant: those of the sources first, then those of what is built of them.
 * @typedef {{ plain: readonly string[], built: readonly string[] }} Tests
 */

/**
 * @param {Copy} copy @param {Placed} mutant @param {Tests} tests
 * @param {{ known: Known, inOrder: boolean, took: (path: string, seconds: number) => void }} options Whether tests run one
 * after another, and who is told what those take that pass.
 * @returns {Promise<Pick<Result, 'outcome' | 'killer' | 'tests'>>}
 */
async function outcomeOf(copy, mutant, tests, { known, inOrder, took }) {
  const source = copy.read(mutant.file)
  const count = new Set([...tests.plain, ...tests.built]).size
  // Tests of the sources need nothing compiled; what some of them start of the built program is still whole, and they
  // run once more with the others of it.
  let compiled = false
  try {
    copy.write(mutant.file, applied(source, mutant))
    for (const built of [false, true]) {
      if (built) {
        compiled = true
        const error = await copy.build()
        if (error !== null) return { outcome: 'types', killer: error, tests: count }
        if (tests.built.length > 0) await copy.bundle()
      }
      for (let left = built ? tests.built : tests.plain; ; ) {
        const files = left.filter((path) => !known.broken.has(path))
        if (files.length === 0) break
        const { how, file, name } = await copy.test(files, took)
        if (how === 'passed') break
        // Whoever noticed something must not notice it without the mutant, too.
        if (file !== null && !known.sound.has(file)) {
          copy.write(mutant.file, source)
          if (built) {
            await copy.build()
            copy.unbundle()
          }
          const clean = await copy.test([file])
          if (clean.how !== 'passed') {
            console.error(`mutate: ${file} fails without any mutant (${clean.name ?? clean.how}) and is left out`)
            known.broken.add(file)
            if (inOrder) left = left.slice(left.indexOf(file) + 1) // those before it have passed
            copy.write(mutant.file, applied(source, mutant))
            if (built) {
              await copy.build()
              await copy.bundle()
            }
            continue
          }
          known.sound.add(file)
        }
        const killer = `${file ?? '?'}${name === null ? '' : ` > ${name}`}${how === 'crashed' ? ' (crashed)' : ''}`
        return { outcome: how === 'stalled' ? 'time' : 'killed', killer, tests: count }
      }
    }
    return { outcome: 'survived', killer: null, tests: count }
  } finally {
    copy.write(mutant.file, source)
    if (compiled) await copy.build()
    copy.unbundle()
  }
}

/** Runs every test once and keeps what it came through. @param {ReturnType<typeof askedFor>} asked */
async function measure(asked) {
  const reached = readReached(root)
  const paths = filesOf(root)
  const related = relatedTests(root, paths)
  const tests = new Set(
    sourcesAmong(paths, []).flatMap((file) =>
      related(file)
        .filter((one) => !one.built)
        .map(({ path }) => path),
    ),
  )
  const missing = fitting([...tests].sort(), asked.files).filter((path) => seenOf(root, reached, path) === undefined)
  console.error(`mutate: ${missing.length} of ${tests.size} tests to measure`)
  const copy = openCopy(root, { ...asked, marks: true })
  try {
    for (const [i, path] of missing.entries()) {
      if (performance.now() > asked.until) break
      let seconds = 0
      const ended = await copy.test([path], (_, taken) => (seconds = taken))
      const hits = `${copy.hits}/${encodeURIComponent(`${copy.tree}/${path}`)}`
      console.error(`[${i + 1}/${missing.length}] ${ended.how} in ${seconds.toFixed(1)} s: ${path} ${ended.name ?? ''}`)
      if (!existsSync(hits)) continue
      addSeen(reached, { root, path, seconds, hits: JSON.parse(readFileSync(hits, 'utf8')) })
      keepReached(root, reached)
    }
  } finally {
    copy.close()
  }
}

async function main() {
  const asked = askedFor()
  if (asked.help) return console.log(usage)
  if (asked.measure) return measure(asked)
  const paths = filesOf(root)
  const sources = sourcesAmong(paths, asked.files)
  if (sources.length === 0) throw new Error(`no file in src fits ${asked.files.join(', ')}`)
  const sample = drawn(allMutants(root, sources), asked.sample, asked.seed)
  if (asked.list) {
    for (const { file, line, before, after } of sample) console.log(`${file}:${line} ${before} -> ${after}`)
    return
  }
  const equivalents = readEquivalents(root)
  const finished = new Map(asked.done.map((one) => [keyOf(one), one]))
  mkdirSync(dirname(asked.out), { recursive: true })
  const first = { sample: asked.sample, seed: asked.seed, files: asked.files }
  // Written anew: the sample may be larger now, and a torn last line goes.
  writeFileSync(asked.out, [first, ...asked.done].map((line) => `${JSON.stringify(line)}\n`).join(''))
  console.error(
    `mutate: ${sample.length} mutants of ${sources.length} files, ${finished.size} done before; ${asked.out}`,
  )
  const related = relatedTests(root, paths)
  const times = readReached(root)
  const reaching = reachingTests(root, times, asked)
  const queue = sample.filter((mutant) => !finished.has(keyOf(mutant)))
  if (asked.switch) {
    const killed = await switchedResults({ root, asked, mutants: queue, equivalents, related })
    for (const one of killed) finished.set(keyOf(one), one)
    const left = queue.filter((mutant) => !finished.has(keyOf(mutant)))
    for (const { file, line, before, after } of left) console.log(`${file}:${line} ${before} -> ${after}`)
    return console.log(`${left.length} of ${sample.length} mutants are left; --resume ${asked.out} goes on with them`)
  }
  let count = sample.length - queue.length
  /** @type {Known} */
  const known = { broken: new Set(), sound: new Set() }
  /** @type {Set<Copy>} */
  const copies = new Set()
  const close = () => copies.forEach((copy) => void copy.close())
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      close()
      console.error(`\nmutate: stopped; --resume ${asked.out} goes on`)
      process.exit(130)
    })
  }
  /** @param {Placed} mutant @param {Pick<Result, 'outcome' | 'killer' | 'tests' | 'seconds'>} found */
  const keep = ({ file, line, column, kind, before, after }, found) => {
    const result = { file, line, column, kind, before, after, ...found }
    finished.set(keyOf(result), result)
    appendFileSync(asked.out, `${JSON.stringify(result)}\n`)
    const how = `${found.outcome} in ${found.seconds} s`
    console.error(`[${++count}/${sample.length}] ${how}: ${file}:${line} ${before} -> ${after}`)
  }
  const work = async () => {
    /** @type {Copy | undefined} */
    let copy
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      if (performance.now() > asked.until) break
      const reason = reasonFor(mutant, equivalents)
      if (reason !== undefined) {
        keep(mutant, { outcome: 'equivalent', killer: reason, tests: 0, seconds: 0 })
        continue
      }
      if (copy === undefined) {
        copy = openCopy(root, asked)
        copies.add(copy)
        const error = await copy.build()
        if (error !== null) throw new Error(`the repository does not compile: ${error}`)
      }
      const start = performance.now()
      const chosen = chosenTests(mutant.file, related(mutant.file), asked.near)
      const near = Number.isFinite(asked.near) ? chosen.filter((one) => !isFarPin(mutant.file, one)) : chosen
      const reached = reaching(mutant, near)
      const tests = asked.unbuilt ? { ...reached, built: [] } : reached
      const took = (/** @type {string} */ path, /** @type {number} */ seconds) => addTime(times, path, seconds)
      const found = await outcomeOf(copy, mutant, tests, { known, inOrder: asked.workers === 1, took })
      keepReached(root, times)
      keep(mutant, { ...found, seconds: Math.round((performance.now() - start) / 100) / 10 })
    }
  }
  try {
    await Promise.all(Array.from({ length: asked.jobs }, work))
  } finally {
    close()
  }
  console.log(summaryOf(sample.flatMap((mutant) => finished.get(keyOf(mutant)) ?? [])))
}

try {
  await main()
} catch (error) {
  console.error(`mutate: ${/** @type {Error} */ (error).message}\n\n${usage}`)
  process.exitCode = 2
}
