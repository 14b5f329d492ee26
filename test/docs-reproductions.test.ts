import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { claimWord, studyMarkdown, type ToldStudy } from '../src/report/study-text.js'
import { studies } from '../src/studies/index.js'
import type { Study } from '../src/studies/study.js'
import { checkedClaims } from '../src/studies/summary.js'
import { withParts } from '../tools/doc-tables.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const all = Object.values<Study>(studies)
const order = all.map(({ id }) => id)
const stored = readdirSync(`${root}studies/results`)
  .filter((name) => name.endsWith('.json'))
  .map((name) => [name, JSON.parse(readFileSync(`${root}studies/results/${name}`, 'utf8')) as ToldStudy] as const)
  .sort(([, a], [, b]) => order.indexOf(a.study) - order.indexOf(b.study) || Number(a.run.quick) - Number(b.run.quick))

describe.each(stored)('studies/results/%s', (name, told) => {
  const study = all.find(({ id }) => id === told.study)!

  test('is of a study that there is, and is called after it', () => {
    expect(order).toContain(told.study)
    expect(name).toBe(`${told.study}${told.run.quick ? '-quick' : ''}.json`)
    expect(told.run.cells).toBeGreaterThan(0)
  })

  test('has the words and the published figures that the study has now', () => {
    const { title, paper, where, unit, axis = null, departs } = study
    expect(told).toMatchObject({ title, paper, where, unit, axis, departs })
    for (const { panel, series, x, paper: said } of told.rows) {
      const found = study.published.find((one) => one.panel === panel && one.series === series && one.x === x)
      expect(said).toEqual(found === undefined ? null : { mean: found.mean, std: found.std ?? null })
    }
  })

  test('says of every claim what its rows say', () => expect(told.claims).toEqual(checkedClaims(study, told.rows)))

  test('says of every claim that does not hold what was tried, and what we believe', () => {
    expect(told.claims.filter(({ holds, believed }) => holds === false && believed === undefined)).toEqual([])
  })
})

/** All studies with what was found of their claims, the last full run before a quick one. */
function overview(): string {
  const rows = all.map(({ id, title, paper, where }) => {
    const found = stored.find(([, { study }]) => study === id)?.[1]
    const count = (holds: boolean | null) => found?.claims.filter((claim) => claim.holds === holds).length ?? 0
    const words = [true, false, null].flatMap((holds) =>
      count(holds) === 0 ? [] : [`${count(holds)} ${claimWord(holds)}`],
    )
    const run = found === undefined ? 'not stored' : found.run.quick ? 'quick' : 'full'
    return `| \`${id}\` | [${paper}] ${where} | ${title} | ${words.join(', ')} | ${run} |`
  })
  return ['| study | where | what | claims | run |', '|---|---|---|---|---|', ...rows].join('\n')
}

test('docs/reproductions.md is made of the stored results (else: UPDATE_DOCS=1 npx vitest run test/docs)', () => {
  const path = `${root}docs/reproductions.md`
  const text = readFileSync(path, 'utf8')
  const results = stored.map(([, told]) => studyMarkdown(told, 3)).join('\n\n')
  const fresh = withParts(text, { overview: overview(), results })
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(path, fresh)
  else expect(text).toBe(fresh)
})
