/** A calibration as one page for a terminal: false alarms, power, and whether attacks are as sure as they are right. */
import type { Calibration } from '../audit/calibrate/calibrate-audits.js'
import { figure } from '../audit/figures.js'
import { harmless } from '../errors.js'
import { textTable, wrapped } from './text-table.js'

/** The document as lines. */
export function calibrationText(calibration: Calibration): string {
  const lines = [
    ...wrapped(headline(calibration), '  '),
    '',
    ...byWorld(calibration),
    '',
    ...powerLines(calibration),
    ...confidenceLines(calibration),
    ...(calibration.complete ? [] : ['', 'not all audits were run: the same call goes on where it stopped']),
  ]
  return harmless(lines.join('\n'), '\n')
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

function headline({ falseAlarms: { audits, of, interval, alpha } }: Calibration): string {
  if (of === 0) return 'false alarms: no world in which nothing can be found was audited yet'
  const [low, high] = interval
  const allowed = `at most ${percent(alpha)} of audits may`
  return `false alarms: ${audits} of ${of} audits in which nothing could be found (${percent(low)} to ${percent(high)}); ${allowed}`
}

function byWorld({ worlds, nulls }: Calibration): string[] {
  const rows = worlds.map(({ id, words }) => {
    const own = nulls.filter(({ world }) => world === id)
    const tested = own.reduce((sum, one) => sum + one.tested, 0)
    return [words, String(own.length), String(tested), String(own.filter(({ alarms }) => alarms.length > 0).length)]
  })
  return [textTable(['world', 'audits', 'questions tested', 'with an alarm'], rows)]
}

function powerLines({ power }: Calibration): string[] {
  if (power.length === 0) return []
  const rows = power.map(({ attack, model, observer, status, power: own }) => [
    ...[attack, model ?? '', observer, status],
    ...(own?.curve ?? []).map(({ lift }) => figure(lift)),
  ])
  const widest = Math.max(...rows.map((row) => row.length)) - 4
  const grades = (power.find((one) => one.power?.curve.length === widest)?.power?.curve ?? []).map(
    ({ grade }) => `planted ${grade}`,
  )
  const whole = rows.map((row) => [...row, ...Array<string>(widest + 4 - row.length).fill('')])
  return [
    ...wrapped(
      'what attacks found of leaks that were planted in this federation, as a share of what there was (passed: half of it; broken: less, and another attack found it; blind: less, but it may be out of sight here; none: too few records tell):',
      '  ',
    ),
    textTable(['attack', 'model', 'observer', 'control', ...grades], whole),
    '',
  ]
}

function confidenceLines({ confidence }: Calibration): string[] {
  if (confidence.length === 0) return []
  const wrong = ({ wrong: some, of }: { readonly wrong: number; readonly of: number }): string => `${some} of ${of}`
  const rows = confidence.map(({ attack, model, client, name, claims, error, sure, exposed }) => [
    ...[attack, model ?? '', client ?? 'all', name ?? '', String(claims), figure(error[0]), figure(error[1])],
    ...[wrong(sure[0]), wrong(sure[1]), wrong(exposed)],
  ])
  return [
    ...wrapped(
      'whether attacks are as sure as they are right, as they say and as the other trainings bear it out (rehearsed): error is the expected calibration error, sure 0.95 or more',
      '  ',
    ),
    textTable(
      [
        'attack',
        'model',
        'client',
        'about',
        'claims',
        'error',
        'rehearsed',
        'sure and wrong',
        'rehearsed',
        'listed and wrong',
      ],
      rows,
    ),
  ]
}
