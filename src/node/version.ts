/** The package's version, and the packages that it can do without. */
import { readFileSync } from 'node:fs'

const about = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
  peerDependencies: Readonly<Record<string, string>>
}
export const { version, peerDependencies } = about
