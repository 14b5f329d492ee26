/** The package's version, and the packages that it can do without. */
import { readFileSync } from 'node:fs'

const about = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
  optionalDependencies: Readonly<Record<string, string>>
}
export const { version, optionalDependencies } = about
