import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { lintRules } from '../src/audit/lint/index.js'
import { faulty, sound } from './lint-corpus.js'

const path = fileURLToPath(new URL('../docs/lint.md', import.meta.url))

test('docs/lint.md has every rule under the heading that findings point to (else: UPDATE_DOCS=1 npx vitest run test/docs)', () => {
  const sections = lintRules.map(({ code, id, severity, danger, title, fix }) => {
    return `### ${code} ${id}\n\n${severity}, security-severity ${danger.toFixed(1)}: ${title}.\nTo do: ${fix}.`
  })
  const text = readFileSync(path, 'utf8')
  const fresh = text.replace(
    /(<!-- lint-rules: .*? -->)[\s\S]*(<!-- \/lint-rules -->)/,
    (_, open: string, close: string) => `${open}\n\n${sections.join('\n\n')}\n\n${close}`,
  )
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(path, fresh)
  else expect(text).toBe(fresh)
  for (const { code, id, doc } of lintRules) expect(doc).toBe(`docs/lint.md#${code.toLowerCase()}-${id}`)
  expect(fresh).toContain(`${faulty.length} faulty and ${sound.length} sound recordings`)
})
