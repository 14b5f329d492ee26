/** The schema of SARIF 2.1.0 (OASIS); references to files are no whole URLs, which Zod would ask for. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { z } from 'zod'

export function sarifSchema(): z.ZodType {
  const path = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')
  const text = readFileSync(path, 'utf8').replace(/"format":\s*"uri-reference"/g, '"minLength": 1')
  return z.fromJSONSchema(JSON.parse(text))
}
