/** Files of the package itself, found from its root: this code may run from src/, from dist/ or from a bundle. */
import { existsSync } from 'node:fs'

/** A file of the package by its path from the root. */
export const fromRoot = (path: string): URL => new URL(path, root)

const root = nearestPackage(new URL('.', import.meta.url))

function nearestPackage(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  const above = new URL('..', folder)
  return above.href === folder.href ? folder : nearestPackage(above)
}
