/** The package's version, and the packages that it can do without. */
import { readFileSync } from 'node:fs'
import { fromRoot } from './package-root.js'

const about = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as {
  version: string
  peerDependencies: Readonly<Record<string, string>>
}
export const { version, peerDependencies } = about
