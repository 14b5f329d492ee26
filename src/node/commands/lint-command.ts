/** `overhear lint`: privacy mechanisms of a scenario or a recording that do not do what they say. */
import { relative, resolve, sep } from 'node:path'
import { lint, lintRules, pathOf } from '../../audit/lint/index.js'
import type { PlacedFinding } from '../../audit/lint/placed.js'
import { OverhearError } from '../../errors.js'
import { lintSarif } from '../../report/lint-sarif.js'
import { lintJunit, lintText } from '../../report/lint-text.js'
import { linesOf } from '../files/line-of.js'
import { loadSetup } from '../files/setup-file.js'
import { print, printJson, writeOut } from '../print.js'
import { version } from '../version.js'
import { commonFlags, parseNamed } from './arguments.js'

const flags = {
  ...commonFlags,
  transcript: { type: 'string' },
  sarif: { type: 'string' },
  junit: { type: 'string' },
  disable: { type: 'string', multiple: true },
} as const

export async function runLint(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  const path = values.transcript ?? name
  if (path === undefined)
    throw new OverhearError('E_INPUT', 'lint what?', 'give a scenario in YAML, or the folder of a transcript')
  const disabled = new Set(values.disable ?? [])
  for (const one of disabled) {
    if (lintRules.some(({ code, id }) => one === code || one === id)) continue
    const known = lintRules.map(({ code }) => code).join(', ')
    throw new OverhearError('E_UNKNOWN_NAME', `--disable ${one} is no rule`, `known: ${known}`)
  }
  const { setup, file, text } = await loadSetup(path, {
    plugins: values.plugin ?? [],
    trustPlugins: values['trust-plugins'],
    dataDir: values['data-dir'],
  })
  const lineOf = linesOf(text)
  const findings = lint(setup)
    .filter(({ code, rule }) => !disabled.has(code) && !disabled.has(rule))
    .map((one): PlacedFinding => {
      const place = pathOf(one, setup)
      return { ...one, path: place, line: lineOf(place) }
    })
  const below = relative('.', file)
  const shown = (below.startsWith('..') ? resolve(file) : below).split(sep).join('/')
  writeOut(values.sarif, () => JSON.stringify(lintSarif(findings, { file: shown, rules: lintRules, version }), null, 2))
  writeOut(values.junit, () => lintJunit(findings, { file: shown, rules: lintRules }))
  const json = {
    file: shown,
    from: setup.from,
    rules: lintRules.length,
    findings: findings.map(({ subject: _, ...one }) => one),
  }
  await (values.json ? printJson(json) : print(lintText(findings, shown)))
  return findings.some(({ severity }) => severity === 'error') ? 3 : 0
}
