/** Studies that are stored: those of the package, and those that `overhear reproduce` left in the folder of runs. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { placeName } from '../../../api/requests.js'
import { storedKey, studyInShort } from '../../../api/study-summary.js'
import { type StoredStudy, type StudySummary, storedStudy } from '../../../api/sweeps.js'
import { OverhearError } from '../../../errors.js'
import { fromRoot } from '../../package-root.js'
import { parsed } from '../parsed.js'

/** Of a study's file, and files of a folder that are looked at. */
const [mostBytes, mostFiles] = [20_000_000, 100]
const logFile = 'cells.jsonl'

interface Found {
  readonly key: string
  readonly run: string | null
  read(): StoredStudy
}

/** What came with the package; those of the repository before it was built into one. */
function ownStudies(): Found[] {
  const file = fromRoot('dist/page/studies.json')
  if (!existsSync(file)) return []
  const all = z.array(storedStudy).parse(JSON.parse(readFileSync(file, 'utf8')))
  return all.map((study) => {
    return { key: storedKey(study), run: null, read: () => study }
  })
}

function studiesIn(root: string): Found[] {
  const folders = existsSync(root) ? readdirSync(root, { withFileTypes: true }) : []
  return folders
    .filter((one) => one.isDirectory() && placeName.test(one.name) && existsSync(join(root, one.name, logFile)))
    .flatMap(({ name }) => {
      const files = readdirSync(join(root, name), { withFileTypes: true })
      const own = files.filter((one) => one.isFile() && /^[a-z0-9-]+\.json$/.test(one.name)).slice(0, mostFiles)
      return own.map((one): Found => {
        const [key, path] = [`${name}.${one.name.slice(0, -5)}`, join(root, name, one.name)]
        return { key, run: name, read: () => readStudy(path, `${name}/${one.name}`) }
      })
    })
}

function readStudy(path: string, shown: string): StoredStudy {
  if (lstatSync(path).size > mostBytes) throw new OverhearError('E_INPUT', `${shown} is larger than ${mostBytes} bytes`)
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new OverhearError('E_INPUT', `${shown}: ${(error as Error).message}`)
  }
  return parsed(storedStudy, value)
}

export interface StudyList {
  list(): StudySummary[]
  study(key: string): StoredStudy
}

export function studyList(root: string): StudyList {
  let own: Found[] | undefined
  const all = (): Found[] => {
    own ??= ownStudies()
    return [...studiesIn(root), ...own]
  }
  return {
    list: () =>
      all().flatMap(({ key, run, read }) => {
        try {
          return [studyInShort(key, read(), run)]
        } catch (error) {
          // Some other file: asked for by its name, it is an error.
          if (error instanceof OverhearError) return []
          throw error
        }
      }),
    study(key) {
      const found = all().find((one) => one.key === key)
      if (found === undefined) throw new OverhearError('E_UNKNOWN_NAME', `there is no study ${JSON.stringify(key)}`)
      return found.read()
    },
  }
}
