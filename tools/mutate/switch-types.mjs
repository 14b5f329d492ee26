// Which mutants do not compile: a copy of each mutated file stands beside the file itself, and the compiler runs once over
// all of them. A mutant that makes another file wrong is left to the slow way.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applied } from './mutants.mjs'

/** @typedef {import('./results.mjs').Placed} Placed */

/** @param {string} root @param {readonly Placed[]} mutants @returns {Promise<Map<Placed, string>>} the first error of each */
export async function typeErrors(root, mutants) {
  const folder = mkdtempSync(join(tmpdir(), 'overhear-types-'))
  try {
    for (const path of ['src', 'tsconfig.base.json', 'package.json']) {
      cpSync(join(root, path), join(folder, path), { recursive: true, filter: (from) => !from.endsWith('.test.ts') })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
    /** The file as it is has the number -1: what is wrong with its copy is wrong with all. @param {string} file @param {number} i */
    const copyOf = (file, i) => file.replace(/\.ts$/, `.mutant-${i + 1}.ts`)
    for (const file of new Set(mutants.map((mutant) => mutant.file)))
      cpSync(join(root, file), join(folder, copyOf(file, -1)))
    for (const [i, mutant] of mutants.entries()) {
      const source = readFileSync(join(root, mutant.file), 'utf8')
      writeFileSync(join(folder, copyOf(mutant.file, i)), applied(source, mutant))
    }
    // A variable that a mutant leaves unused is no mistake that types find.
    const compilerOptions = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false, types: ['node'], lib: ['ES2023', 'DOM'] } // biome-ignore format: a line
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, include: ['src'] }),
    )
    const errors = await errorsIn(folder)
    return new Map(
      mutants.flatMap((mutant, i) => {
        const error = errors.get(copyOf(mutant.file, i))
        return error === undefined || errors.has(copyOf(mutant.file, -1)) ? [] : [[mutant, error]]
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The first error of each file. @param {string} folder @returns {Promise<Map<string, string>>} */
async function errorsIn(folder) {
  const program = [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.', '--pretty', 'false']
  const child = spawn(process.execPath, program, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  await new Promise((done) => child.once('close', done))
  /** @type {Map<string, string>} */
  const errors = new Map()
  for (const line of said.split('\n')) {
    const [, file, error] = /^(\S+?)\(\d+,\d+\): (error .*)$/.exec(line) ?? []
    if (file !== undefined && error !== undefined && !errors.has(file)) errors.set(file, error)
  }
  return errors
}
