// Writes src/report/html/report-script.ts: what runs inside a report, made small from src/web/report/enliven.ts, and the digest
// by which the report's policy lets nothing else run.
//   node tools/report-script.mjs        test/report-page.test.ts checks that it is fresh
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const source = fileURLToPath(new URL('../src/web/report/enliven.ts', import.meta.url))
export const scriptPath = fileURLToPath(new URL('../src/report/html/report-script.ts', import.meta.url))

export async function reportScript() {
  const made = await rolldown({ input: source, platform: 'browser' })
  const { output } = await made.generate({ format: 'iife', minify: true, comments: false })
  await made.close()
  const code = output[0].code.trim()
  if (/<\/script|<!--/i.test(code)) throw new Error('the script would end its own element')
  const digest = createHash('sha256').update(code).digest('base64')
  return `/** Made by tools/report-script.mjs from src/web/report/enliven.ts; not to be changed by hand. */
// biome-ignore-all format: made by a tool
// biome-ignore-all lint: made by a tool

export const script = ${JSON.stringify(code)}

/** Of exactly these bytes. */
export const scriptDigest = 'sha256-${digest}'
`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = await reportScript()
  if (text !== readFileSync(scriptPath, { encoding: 'utf8', flag: 'a+' })) writeFileSync(scriptPath, text)
}
