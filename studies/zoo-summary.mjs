// What the rows of the zoo come to: tables, and the lines that say whether attacks were ever sure and wrong.
import { binomialInterval } from '../dist/numeric/special/binomial-interval.js'
import { nameOf } from './zoo-worlds.mjs'

/** @typedef {import('./protocol-zoo.mjs').Row} Row */

/** A statement is doubted from here on, and the level of every bound. */
const [doubted, level] = [0.005, 0.05]
/** The share of wrong ones among the sure that is allowed over all, and of which no cell may be proved to have more. */
const [mostWrong, mostInCell] = [0.02, 0.05]

/** @param {readonly Row[]} rows */
export function detectionTable(rows) {
  const lines = rows.map(({ cell, seed, p, stated, heard, missed, others, seconds }) => {
    const found = missed.length === 0 ? 'yes' : `no (${missed.join(', ')})`
    return `| ${nameOf(cell)} | ${seed} | ${stated} | ${heard} | ${p === null ? '-' : p.toPrecision(2)} | ${found} | ${others.join(', ') || '-'} | ${seconds.toFixed(1)} |`
  })
  return [
    '| cell | seed | stated | heard | p of the stated | right | also wrong | s |',
    '|---|--:|---|---|--:|---|---|--:|',
    ...lines,
  ].join('\n')
}

/** By attack and statement: how often it claimed, and what of it. @param {readonly Row[]} rows */
export function attackTable(rows) {
  const groups = grouped(rows, ({ attack, cell }) => `${attack} | ${cell.statement}`)
  const lines = [...groups].map(([name, own]) => {
    const sure = totalsOf(own)
    const claimed = own.filter(({ status }) => status === 'claimed').length
    const share = sure.sure === 0 ? '-' : `${((100 * sure.wrong) / sure.sure).toFixed(1)} %`
    const accuracy = sure.graded === 0 ? '-' : `${((100 * sure.right) / sure.graded).toFixed(1)} %`
    const coverage = sure.all === 0 ? '-' : `${((100 * sure.sure) / sure.all).toFixed(1)} %`
    return `| ${name} | ${claimed} of ${own.length} | ${accuracy} | ${coverage} | ${sure.wrong} of ${sure.sure} | ${share} |`
  })
  return [
    '| attack | statement | claimed | right of all | sure of all | wrong among the sure | share |',
    '|---|---|--:|--:|--:|--:|--:|',
    ...lines,
  ].join('\n')
}

/**
 * @template T
 * @param {readonly T[]} items @param {(item: T) => string} by
 * @returns {Map<string, T[]>}
 */
function grouped(items, by) {
  const groups = new Map()
  for (const item of items) groups.set(by(item), [...(groups.get(by(item)) ?? []), item])
  return groups
}

/** @param {readonly Row[]} rows */
function totalsOf(rows) {
  const sum = { all: 0, sure: 0, wrong: 0, right: 0, graded: 0 }
  for (const { sure: own } of rows) {
    if (own === null) continue
    sum.all += own.all
    sum.sure += own.sure
    sum.wrong += own.wrong
    if (own.right !== null) {
      sum.right += own.right
      sum.graded += own.all
    }
  }
  return sum
}

/** Exact, one-sided. @param {number} wrong @param {number} all @param {number} alpha */
const leastShare = (wrong, all, alpha) =>
  binomialInterval({ successes: wrong, trials: all, confidence: 1 - 2 * alpha }).low
/** @param {number} wrong @param {number} all @param {number} alpha */
const mostShare = (wrong, all, alpha) =>
  binomialInterval({ successes: wrong, trials: all, confidence: 1 - 2 * alpha }).high

const percent = (/** @type {number} */ x) => `${(100 * x).toFixed(2)} %`
const verdict = (/** @type {boolean} */ holds) => (holds ? 'holds' : 'FAILS')

/** @param {readonly Row[]} rows @param {readonly Row[]} was rows of an older tree @returns {string[]} */
export function summaryOf(rows, was) {
  const attacks = rows.filter(({ attack }) => attack !== 'protocol')
  const own = rows.filter(({ attack }) => attack === 'protocol')
  return [
    ...(attacks.length > 0 ? ['', ...wrongLines(attacks)] : []),
    ...(was.length > 0 ? ['', ...remainingLines(attacks, was, own)] : []),
    ...(own.length > 0 ? ['', ...detectionLines(own, was.length > 0 ? was : attacks)] : []),
  ]
}

/** @param {readonly Row[]} rows */
function wrongLines(rows) {
  const { sure, wrong, all } = totalsOf(rows)
  const cells = grouped(rows, ({ cell, attack }) => `${nameOf(cell)} ${attack}`)
  const alpha = level / cells.size
  const bad = [...cells].flatMap(([name, some]) => {
    const own = totalsOf(some)
    const least = own.sure === 0 ? 0 : leastShare(own.wrong, own.sure, alpha)
    return least > mostInCell ? [`${name}: ${own.wrong} of ${own.sure} (at least ${percent(least)})`] : []
  })
  const [low, high] = [leastShare(wrong, sure, level / 2), mostShare(wrong, sure, level / 2)]
  return [
    `${verdict(wrong <= mostWrong * sure)}: ${wrong} of ${sure} sure values are wrong, ${percent(wrong / Math.max(1, sure))} (95 % interval, exact: ${percent(low)} to ${percent(high)}); at most ${percent(mostWrong)} are asked for. ${all} values in all.`,
    `${verdict(bad.length === 0)}: ${bad.length} of ${cells.size} cells by attack are proved to be wrong in more than ${percent(mostInCell)} (exact lower bound, ${level} over all cells)${bad.length > 0 ? ':' : ''}`,
    ...bad.map((line) => `  ${line}`),
  ]
}

/** Sure and not wrong. @param {Row} row */
const rightAndSure = ({ sure }) => (sure === null ? 0 : sure.sure - sure.wrong)

/** @param {Row} row */
const keyOf = ({ cell, seed, world, attack, target }) => `${nameOf(cell)} ${seed} ${world} ${attack} ${target}`

/** Right, whether sure or not; where nothing says when a value is right, those that are sure and not wrong. @param {Row} row */
const rightIn = (row) => row.sure?.right ?? rightAndSure(row)

/**
 * Right claims of an older tree that are still there, cell by cell and attack by attack: what a cell has more does not make up
 * for what another has less. Those that it was sure of beside them: where it was sure without a reason, and wrong about others,
 * less sureness is no loss.
 * @param {readonly Row[]} rows @param {readonly Row[]} was @param {readonly Row[]} own
 */
function remainingLines(rows, was, own) {
  const before = new Map(was.map((row) => [keyOf(row), row]))
  const heardRightly = new Set(
    own.filter(({ missed }) => missed.length === 0).map(({ cell, seed }) => `${nameOf(cell)} ${seed}`),
  )
  /** @param {readonly Row[]} some @param {(row: Row) => number} count */
  const kept = (some, count) => {
    let [mine, theirs] = [0, 0]
    for (const row of some) {
      const then = count(/** @type {Row} */ (before.get(keyOf(row))))
      mine += Math.min(then, count(row))
      theirs += then
    }
    return { mine, theirs, text: `${mine} of ${theirs}`, share: percent(mine / Math.max(1, theirs)) }
  }
  const among = (/** @type {string} */ words, /** @type {(row: Row) => boolean} */ fits) => {
    const some = rows.filter((row) => fits(row) && before.has(keyOf(row)))
    const [right, sure] = [kept(some, rightIn), kept(some, rightAndSure)]
    const parts = [...grouped(some, ({ attack }) => attack)].flatMap(([attack, these]) => {
      const one = kept(these, rightAndSure)
      return one.theirs > 0 ? [`${attack} ${one.text}`] : []
    })
    const now = some.reduce((sum, row) => sum + rightAndSure(row), 0)
    return [
      `${verdict(right.mine >= 0.9 * right.theirs)}: ${words}, ${right.text} right values of the older tree remain (${right.share}; 90 % are asked for).`,
      `  of those it was sure of, ${sure.text} are as sure (${sure.share}); there are ${now} sure and right now. ${parts.join(', ')}.`,
    ]
  }
  return [
    ...among('stated rightly', ({ cell }) => cell.statement === 'stated'),
    ...among(
      'not stated or stated wrongly, and heard rightly',
      ({ cell, seed }) => cell.statement !== 'stated' && heardRightly.has(`${nameOf(cell)} ${seed}`),
    ),
  ]
}

/**
 * A wrong statement matters where claims get worse by it: more wrong ones among the sure, or fewer right and sure ones, than
 * in the same world under the right statement, by attacks that believe what is stated.
 * @param {readonly Row[]} own @param {readonly Row[]} believing
 */
function detectionLines(own, believing) {
  const world = (/** @type {Row} */ { cell, seed }) => `${cell.protocol}/${cell.model} ${seed}`
  const at = (/** @type {string} */ statement) =>
    grouped(
      believing.filter(({ cell, attack }) => cell.statement === statement && attack !== 'protocol'),
      world,
    )
  const [right, wrong] = [at('stated'), at('wrong')]
  const matters = (/** @type {Row} */ row) => {
    const [a, b] = [right.get(world(row)) ?? [], wrong.get(world(row)) ?? []]
    const [x, y] = [totalsOf(a), totalsOf(b)]
    const hurt = y.wrong - x.wrong
    const lost = a.reduce((sum, one) => sum + rightAndSure(one), 0) - b.reduce((sum, one) => sum + rightAndSure(one), 0)
    return hurt >= 2 || lost >= 2 || worseBy(a, b)
  }
  const count = (/** @type {readonly Row[]} */ some, /** @type {(row: Row) => boolean} */ fits) => {
    const k = some.filter(fits).length
    const least = some.length === 0 ? 0 : leastShare(k, some.length, level)
    return {
      k,
      n: some.length,
      words: `${k} of ${some.length} (${percent(k / Math.max(1, some.length))}, exact lower bound ${percent(least)})`,
    }
  }
  const isDoubted = (/** @type {Row} */ { p }) => p !== null && p <= doubted
  const said = own.filter(({ cell }) => cell.statement === 'wrong')
  const hurting = said.filter(matters)
  const found = count(hurting, isDoubted)
  const silent = own.filter(({ cell }) => cell.statement === 'stated')
  const heard = (/** @type {Row} */ { missed }) => missed.length === 0
  return [
    `${verdict(found.k >= 0.9 * found.n)}: of ${said.length} wrong statements ${hurting.length} matter, and of those ${found.words} are doubted (p <= ${doubted}); 90 % are asked for.`,
    ...hurting
      .filter((row) => !isDoubted(row))
      .map((row) => `  missed: ${nameOf(row.cell)}, seed ${row.seed} (p = ${row.p?.toPrecision(2)})`),
    `Doubted though they do not matter: ${
      count(
        said.filter((row) => !matters(row)),
        isDoubted,
      ).words
    }.`,
    `Doubted though stated rightly: ${count(silent, isDoubted).words}.`,
    ...silent
      .filter(isDoubted)
      .map(
        (row) => `  false alarm: ${nameOf(row.cell)}, seed ${row.seed} (p = ${row.p?.toPrecision(2)}): ${row.heard}`,
      ),
    `Heard rightly where stated wrongly: ${count(said, heard).words}; where not stated: ${
      count(
        own.filter(({ cell }) => cell.statement === 'unstated'),
        heard,
      ).words
    }; left as they are where stated rightly: ${count(silent, heard).words}.`,
  ]
}

/** Whether figures got worse by a tenth of the way from chance. @param {readonly Row[]} right @param {readonly Row[]} wrong */
function worseBy(right, wrong) {
  const then = new Map(right.map((row) => [`${row.attack} ${row.target} ${row.world}`, row]))
  return wrong.some((row) => {
    const one = then.get(`${row.attack} ${row.target} ${row.world}`)
    if (row.attack !== 'aia-linear' || one?.value == null || row.value === null || one.chance === null) return false
    return one.value - row.value > 0.05
  })
}
