/** Summaries, tables and result files of the studies of label leakage. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export const meanOf = (values) => values.reduce((s, v) => s + v, 0) / values.length

export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const m = sorted.length
  return m % 2 === 1 ? sorted[(m - 1) / 2] : (sorted[m / 2 - 1] + sorted[m / 2]) / 2
}

export function stdOf(values) {
  const mean = meanOf(values)
  return Math.sqrt(values.reduce((s, v) => s + (v - mean) * (v - mean), 0) / Math.max(1, values.length - 1))
}

/** Arguments `--name value` with defaults; numbers stay numbers. */
export function options(defaults) {
  const given = { ...defaults }
  const args = process.argv.slice(2)
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i].replace(/^--/, '')
    if (!(name in given)) throw new Error(`unknown option ${args[i]}; known: ${Object.keys(given).join(', ')}`)
    given[name] = typeof given[name] === 'number' ? Number(args[i + 1]) : args[i + 1]
  }
  return given
}

export const say = (text) => process.stdout.write(`${text}\n`)

/** A Markdown table of medians (means in brackets), one row a method, one column an epoch. */
export function table(title, errors, { epochs, pick, digits = 2 }) {
  const names = Object.keys(errors).filter((name) => name.startsWith(pick))
  const cell = (values) => `${medianOf(values).toFixed(digits)} (${meanOf(values).toFixed(digits)})`
  say(`\n${title}: median (mean)\n`)
  say(`| method | ${epochs.map((e) => `epoch ${e}`).join(' | ')} |`)
  say(`|---|${epochs.map(() => '---').join('|')}|`)
  for (const name of names)
    say(`| ${name.slice(pick.length)} | ${epochs.map((e) => cell(errors[name][e])).join(' | ')} |`)
}

/** Rows in the shape of `overhear reproduce --json`, with the median beside the mean. */
export function rowsOf(setting, errors, paper = {}) {
  return Object.entries(errors).flatMap(([name, byEpoch]) =>
    Object.entries(byEpoch).map(([epoch, values]) => ({
      name: `${setting}, ${name}, epoch ${epoch}`,
      ours: { mean: meanOf(values), std: stdOf(values), median: medianOf(values), n: values.length },
      paper: paper[`${name}, ${epoch}`] ?? null,
      note: '',
    })),
  )
}

/**
 * Whether a method is no worse than the best of `others` within one standard error of the paired difference of means:
 * per epoch, with the ratio of the means.
 */
export function against(errors, name, others) {
  return Object.keys(errors[name]).map((epoch) => {
    const best = others.reduce((a, b) => (meanOf(errors[a][epoch]) <= meanOf(errors[b][epoch]) ? a : b))
    const differences = errors[name][epoch].map((value, i) => value - errors[best][epoch][i])
    const mean = meanOf(differences)
    const error = stdOf(differences) / Math.sqrt(differences.length)
    const ratio = meanOf(errors[name][epoch]) / meanOf(errors[best][epoch])
    return { epoch, best, holds: mean <= error, better: mean < -2 * error, ratio }
  })
}

export function finish(study, { out, rows, claims }) {
  for (const { text, holds } of claims) say(`${holds ? 'holds' : 'FAILS'}: ${text}`)
  mkdirSync(dirname(out), { recursive: true })
  writeFileSync(out, `${JSON.stringify({ study, paper: 'labels', rows, claims }, null, 1)}\n`)
  say(`written: ${out}`)
}
