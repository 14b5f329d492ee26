import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { catalogue } from '../src/audit/catalogue.js'
import { foundLift } from '../src/audit/controls.js'
import * as scenario from '../src/audit/read-scenario.js'
import { localRules } from '../src/federation/local-rules/index.js'
import type { LocalRule } from '../src/federation/local-rules/local-rule.js'
import { papers } from '../src/papers.js'
import { settings } from '../src/settings/index.js'
import type { Setting } from '../src/settings/setting.js'
import type { Grant } from '../src/threat/granted-keys.js'
import * as knowledge from '../src/transcript/knowledge-file.js'
import * as manifest from '../src/transcript/manifest.js'
import * as truth from '../src/transcript/truth-file.js'
import {
  attackSections,
  attacksTable,
  datasetsTable,
  grantsTable,
  grantWords,
  namesTable,
  notesTable,
  papersList,
  paramsSections,
  scenarioTable,
  withParts,
} from '../tools/doc-tables.mjs'
import { schemaFiles, writeSchemas } from '../tools/schemas.mjs'
import { settingsTable } from '../tools/settings-table.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const update = process.env.UPDATE_DOCS !== undefined

/** A file of test/examples as it would stand in src/attacks. */
function example(name: string): string {
  const text = readFileSync(`${root}test/examples/${name}`, 'utf8')
  const moved = text
    .replaceAll("'../../src/attacks/", "'./")
    .replaceAll("'../../src/", "'../")
    .replaceAll("'../attack-context.js'", "'../../test/attack-context.js'")
  return `\`\`\`typescript\n${moved}\`\`\``
}

const attacks = catalogue.attacks()
const grants = Object.keys(grantWords) as Grant[]
const parts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'attacks.md': {
    attacks: attacksTable(attacks),
    details: attackSections(attacks),
    papers: papersList(
      papers,
      attacks.map(({ paper }) => paper!),
    ),
  },
  'scenario.md': {
    keys: scenarioTable(scenario.scenarioJsonSchema()),
    models: namesTable(catalogue.models()),
    datasets: paramsSections(catalogue.datasets()),
    partitions: paramsSections(catalogue.partitions()),
    samplings: `${namesTable(catalogue.samplings())}\n\n${paramsSections(catalogue.samplings())}`,
    misbehaviours: `${namesTable(catalogue.misbehaviours())}\n\n${paramsSections(catalogue.misbehaviours())}`,
  },
  'settings.md': {
    settings: settingsTable(Object.values<Setting>(settings as never), Object.values<LocalRule>(localRules)),
  },
  'data.md': { datasets: datasetsTable(catalogue.datasets()), partitions: namesTable(catalogue.partitions()) },
  'threat-models.md': { grants: grantsTable(catalogue.observers(), grants) },
  'scores.md': { notes: notesTable({ foundLift }) },
  'adding/attack.md': { attack: example('mean-returned.ts'), test: example('mean-returned.test.ts') },
}

describe('what is made from the code is fresh (else: UPDATE_DOCS=1 npx vitest run test/docs)', () => {
  test.each(Object.entries(parts))('docs/%s', (name, made) => {
    const path = `${root}docs/${name}`
    const text = readFileSync(path, 'utf8')
    const fresh = withParts(text, made)
    if (update) writeFileSync(path, fresh)
    else expect(text).toBe(fresh)
  })

  test('schemas/', async () => {
    const files = await schemaFiles({ scenario, manifest, knowledge, truth })
    if (update) writeSchemas(files)
    expect(readdirSync(`${root}schemas`).sort()).toEqual(Object.keys(files).sort())
    for (const [name, text] of Object.entries(files)) expect(readFileSync(`${root}schemas/${name}`, 'utf8')).toBe(text)
  })
})

test('every key that an observer may be granted has words', () => {
  const granted = new Set(catalogue.observers().flatMap(({ mayKnow }) => mayKnow))
  expect([...granted].filter((key) => !grants.includes(key))).toEqual([])
})

test('parts are found by their marks, and marks that are missing are an error', () => {
  const text = 'a\n<!-- x: made -->\nold\n<!-- /x -->\n<!-- y: made -->\n<!-- /y -->\nb'
  const made = 'a\n<!-- x: made -->\n\n1 $& |\n\n<!-- /x -->\n<!-- y: made -->\n\n2\n\n<!-- /y -->\nb'
  expect(withParts(text, { x: '1 $& |', y: '2' })).toBe(made)
  expect(withParts(made, { x: '1 $& |', y: '2' })).toBe(made)
  expect(() => withParts(text, { z: '' })).toThrow('there are no marks <!-- z: ... -->')
})

// Those of docs/adding need their plug-ins: test/package.test.ts runs them.
const scenarios = readdirSync(`${root}docs`)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(`${root}docs/${name}`, 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
      (m, i) => [`${name} ${i}`, m[1]!] as const,
    ),
  )
test.each(scenarios)('the scenario in docs/%s can be read', (_, text) => {
  const json = parse(text) as { axes?: object; scenario?: unknown }
  // A sweep has one in it, or names its file.
  const own = json.axes === undefined ? json : json.scenario
  if (typeof own === 'string') return
  expect(scenario.readScenario(own)).toMatchObject({ data: { name: expect.any(String) } })
})

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
]
test.each(pages.filter((name) => name.endsWith('.md')))('the links in %s lead somewhere', (name) => {
  const text = readFileSync(`${root}${name}`, 'utf8').replace(/^```[\s\S]*?^```$/gm, '')
  const anchors = (markdown: string) =>
    [...markdown.matchAll(/^#+ (.*)$/gm)].map((m) =>
      m[1]!
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    )
  for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link!)) continue
    const [path, anchor] = link!.split('#') as [string, string?]
    const target = new URL(path === '' ? name : path, `file://${root}${name}`)
    const there = path === '' ? `${root}${name}` : fileURLToPath(target)
    const found = readFileSync(there, 'utf8')
    if (anchor !== undefined) expect(anchors(found), `${name}: ${link}`).toContain(anchor)
  }
})
