/** `overhear list`: what there is to choose from. */
import { catalogue, type Listed, type ListedAttack, type ListedSetting } from '../../audit/catalogue.js'
import { lookup, OverhearError } from '../../errors.js'
import { type Param, wordsOf } from '../../params.js'
import { builtIn } from '../../registry.js'
import { enterPlugins } from '../files/plugin-file.js'
import { print, printJson } from '../print.js'
import type { ListedStudy } from '../studies/listed-studies.js'
import { commonFlags, parseNamed } from './arguments.js'

function paramText([name, param]: [string, Param]): string {
  const usual = Array.isArray(param.default) ? param.default.join() : String(param.default)
  const choices = param.kind === 'choice' ? ` (${param.choices.join('|')})` : ''
  return `    ${name}${usual === '' ? '' : ` = ${usual}`}${choices}: ${wordsOf(param)}`
}

/** Of a setting: its default, who obeys it, and where a recording tells of it. */
function settingText(one: Parameters<typeof listedText>[0]): string[] {
  if (!('obeyedBy' in one)) return []
  const told = one.manifest === null ? '' : `; in a recording: ${one.manifest}`
  return [`    = ${JSON.stringify(one.default)}; obeyed by ${one.obeyedBy}${told}`]
}

/** Of one processor. */
const timeOf = (seconds: number): string => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`)

function listedText(one: Listed | ListedAttack | ListedSetting | ListedStudy): string {
  const { id, title, paper = null, params = {}, from: origin } = one
  const from = paper === null ? '' : ` [${paper}]`
  const marks = [
    ...('needs' in one && one.oracle ? ['oracle'] : []),
    ...('needs' in one && one.beyond ? ['beyond the papers'] : []),
    ...(origin === builtIn ? [] : [origin]),
  ]
  const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`
  const needs = 'needs' in one ? [`    needs ${one.needs.join(', ')}; for ${one.observers.join(', ') || 'nobody'}`] : []
  return [
    `${id}: ${title}${from}${mark}`,
    ...needs,
    ...settingText(one),
    ...('seconds' in one
      ? [`    ${one.where}; takes about ${timeOf(one.seconds.full)}, ${timeOf(one.seconds.quick)} with --quick`]
      : []),
    ...Object.entries(params).map(paramText),
  ].join('\n')
}

/** Those of the catalogue, and studies, which are loaded only here and where they are run. */
const lists = { ...catalogue, studies: async () => (await import('../studies/index.js')).listedStudies() }

export async function runList(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, commonFlags)
  await enterPlugins(values.plugin ?? [], values['trust-plugins'])
  if (name === undefined) {
    throw new OverhearError('E_INPUT', 'list of what?', `known: ${Object.keys(lists).join(', ')}`)
  }
  const rows = await lookup<() => readonly Listed[] | Promise<readonly Listed[]>>(lists, name, 'list')()
  await (values.json ? printJson(rows) : print(rows.map(listedText).join('\n')))
  return 0
}
