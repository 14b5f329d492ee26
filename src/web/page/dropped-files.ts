/** What was dropped or chosen, as files to send: single ones, or folders with the paths in them. */

export interface Sent {
  /** The name that the upload gets. */
  readonly name: string
  readonly inside: readonly string[]
  readonly file: File
}

/** A name as the server takes it. */
const tidyName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100) || 'upload'

/** From the field for files, or for a folder. */
export function chosenFiles(files: Iterable<File>): Sent[] {
  return [...files].map((file) =>
    sentFile(file, file.webkitRelativePath === '' ? [file.name] : file.webkitRelativePath.split('/')),
  )
}

function sentFile(file: File, path: readonly string[]): Sent {
  const [name = 'upload', ...inside] = path.map(tidyName)
  return { name, inside, file }
}

/** From a drop: folders are walked through. Hidden files stay. */
export async function droppedFiles(data: DataTransfer): Promise<Sent[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return chosenFiles(data.files)
  const found = await Promise.all(entries.map((entry) => filesOf(entry, [])))
  return found.flat()
}

async function filesOf(entry: FileSystemEntry, above: readonly string[]): Promise<Sent[]> {
  if (entry.name.startsWith('.')) return []
  const path = [...above, entry.name]
  if (entry.isFile) {
    const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail))
    return [sentFile(file, path)]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const below: Sent[] = []
  for (;;) {
    // It tells a hundred or so at a time, and nothing at the end.
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail))
    if (some.length === 0) return below
    for (const one of some) below.push(...(await filesOf(one, path)))
  }
}
