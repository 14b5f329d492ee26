/** Summaries, tables and result files of the studies of label leakage. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { at, deviation, mean, print, tableOf, verdicts } from './figures.mjs'

/** @typedef {Record<string, Record<number, number[]>>} Errors by method, by epoch: one a run */

/** @param {Errors} errors @param {string} name @param {number} epoch @param {number} value */
export function put(errors, name, epoch, value) {
  errors[name] ??= {}
  errors[name][epoch] ??= []
  errors[name][epoch].push(value)
}

/** The errors of a method at an epoch; none is an error. @param {Errors} errors @param {string} name @param {number} epoch */
export function errorsOf(errors, name, epoch) {
  const found = errors[name]?.[epoch]
  if (found === undefined) throw new Error(`no errors of "${name}" at epoch ${epoch}`)
  return found
}

/** @param {readonly number[]} values */
export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const m = sorted.length
  return m % 2 === 1 ? at(sorted, (m - 1) / 2) : (at(sorted, m / 2 - 1) + at(sorted, m / 2)) / 2
}

/** @param {Errors} errors @param {string} name @param {number} epoch */
export const medianAt = (errors, name, epoch) => medianOf(errorsOf(errors, name, epoch))

/**
 * Prints a table of medians (means in brackets), one row a method, one column an epoch.
 * @param {string} title
 * @param {Errors} errors
 * @param {{ epochs: readonly number[], pick: string, digits?: number }} options
 */
export function table(title, errors, { epochs, pick, digits = 2 }) {
  /** @param {readonly number[]} values */
  const cell = (values) => `${medianOf(values).toFixed(digits)} (${mean(values).toFixed(digits)})`
  const rows = Object.keys(errors)
    .filter((name) => name.startsWith(pick))
    .map((name) => [name.slice(pick.length), ...epochs.map((e) => cell(errorsOf(errors, name, e)))])
  print(`\n${title}: median (mean)\n`)
  for (const line of tableOf(['method', ...epochs.map((e) => `epoch ${e}`)], rows).slice(0, -1)) print(line)
}

/** The three tables of a setting. @param {string} setting such as "raw, 30 runs" @param {Errors} errors @param {{ epochs: readonly number[], unit?: string }} options */
export function tables(setting, errors, { epochs, unit = '' }) {
  table(`Means, ${setting}, MAE${unit}`, errors, { epochs, pick: 'means: ' })
  table(`Counts, ${setting}, MAE`, errors, { epochs, pick: 'counts: ' })
  table(`Counts, ${setting}, attack success rate`, errors, { epochs, pick: 'asr: ' })
}

/** Rows in the shape of `overhear reproduce --json`, with the median beside the mean. @param {string} setting @param {Errors} errors */
export function rowsOf(setting, errors) {
  return Object.entries(errors).flatMap(([name, byEpoch]) =>
    Object.entries(byEpoch).map(([epoch, values]) => ({
      name: `${setting}, ${name}, epoch ${epoch}`,
      ours: { mean: mean(values), std: deviation(values), median: medianOf(values), n: values.length },
      paper: null,
      note: '',
    })),
  )
}

/**
 * Whether a method is no worse than the best of `others` within one standard error of the paired difference of means:
 * per epoch, with the ratio of the means.
 * @param {Errors} errors
 * @param {string} name
 * @param {readonly string[]} others
 */
export function against(errors, name, others) {
  return Object.entries(errors[name] ?? {}).map(([key, own]) => {
    const epoch = Number(key)
    /** @param {string} method */
    const of = (method) => errorsOf(errors, method, epoch)
    const best = others.reduce((a, b) => (mean(of(a)) <= mean(of(b)) ? a : b))
    const differences = own.map((value, i) => value - at(of(best), i))
    const difference = mean(differences)
    const error = deviation(differences) / Math.sqrt(differences.length)
    const ratio = mean(own) / mean(of(best))
    return { epoch, best, holds: difference <= error, better: difference < -2 * error, ratio }
  })
}

/**
 * A method beside the best published rule in every setting, as a claim; prints where it loses.
 * @param {Readonly<Record<string, Errors>>} results by setting
 * @param {string} method
 * @param {readonly string[]} published
 */
export function besidePublished(results, method, published) {
  const others = published.map((m) => `means: ${m}`)
  const cells = Object.entries(results).flatMap(([setting, errors]) =>
    against(errors, `means: ${method}`, others).map((cell) => ({ setting, ...cell })),
  )
  for (const { setting, epoch, best, ratio } of cells.filter((cell) => !cell.holds)) {
    print(`${method} loses: ${setting}, epoch ${epoch}: ${ratio.toFixed(2)} times the mean error of ${best}`)
  }
  const held = cells.filter((cell) => cell.holds).length
  const better = cells.filter((cell) => cell.better).length
  const ratio = Math.exp(mean(cells.map((cell) => Math.log(cell.ratio)))).toFixed(2)
  return {
    text: `${method}: no worse than the best published rule within one standard error in ${held} of ${cells.length} cells, clearly better in ${better}; its error is ${ratio} of that rule's (geometric mean)`,
    holds: held >= 0.9 * cells.length,
  }
}

/**
 * @param {string} study
 * @param {{ out: string, rows: ReturnType<typeof rowsOf>, claims: readonly import('./figures.mjs').Claim[] }} result
 */
export function finish(study, { out, rows, claims }) {
  for (const line of verdicts(claims)) print(line)
  mkdirSync(dirname(out), { recursive: true })
  writeFileSync(out, `${JSON.stringify({ study, paper: 'labels', rows, claims }, null, 1)}\n`)
  print(`written: ${out}`)
}
