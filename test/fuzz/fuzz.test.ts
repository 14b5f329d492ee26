import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { OverhearError } from '../../src/errors.js'
import { rng } from '../../src/numeric/random/rng.js'
import { note, soFar } from '../torture/findings.js'
import { allowed } from '../torture/killed-command.js'
import { type Door, doors as olderDoors } from './doors.js'
import { mutated } from './mutate.js'
import { newerDoors } from './newer-doors.js'
import { watched } from './watched-command.js'

// Briefly, with the same seed every time. At length: npm run torture -- --fuzz 100000
const inputs = Number(process.env.FUZZ_INPUTS ?? 1600)
const seed = Number(process.env.TORTURE_SEED ?? 1)
const mostSeconds = 10
const doors = { ...olderDoors, ...newerDoors }
const mostBytes = 2 ** 30

const corpusFolder = fileURLToPath(new URL('corpus', import.meta.url))
const corpus = new Map<string, Uint8Array>()
for (const name of readdirSync(corpusFolder, { recursive: true, encoding: 'utf8' })) {
  const path = join(corpusFolder, name)
  if (statSync(path).isFile()) corpus.set(relative(corpusFolder, path), new Uint8Array(readFileSync(path)))
}

/** The error without its numbers and names: another one is another place in the code. */
const trail = (error: unknown): string =>
  error === undefined ? 'fine' : (error as Error).message.replaceAll(/"[^"]*"|[\d.e+-]+|\/\S+/g, '#').slice(0, 80)

/** Knocks so often; inputs that lead somewhere new are mutated further. What is odd, in words. */
async function knockOn(name: string, { file, knock }: Door, times: number): Promise<string[]> {
  const draws = rng(seed).fork('fuzz', name)
  const kept: Uint8Array[] = [corpus.get(file)!]
  const seen = new Set<string>()
  const odd: string[] = []
  for (let i = 0; i < times; i++) {
    const from = kept[draws.integer(2) === 0 ? 0 : draws.integer(kept.length)]!
    const bytes = i === 0 ? from : mutated(from, [...corpus.values()], draws.fork(i))
    const before = process.cpuUsage()
    let error: unknown
    try {
      await knock(bytes, corpus)
    } catch (caught) {
      error = caught
      const known = caught instanceof OverhearError && caught.code !== 'E_INTERNAL'
      if (!known && odd.length < 5) odd.push(`input ${i}: ${(caught as Error).stack ?? String(caught)}`)
    }
    if (i === 0 && error !== undefined) odd.push(`the corpus's own ${file}: ${(error as Error).message}`)
    const { user, system } = process.cpuUsage(before)
    if (user + system > mostSeconds * 1e6) odd.push(`input ${i}: ${(user + system) / 1e6} s of CPU`)
    if (!seen.has(trail(error)) && kept.length < 400) {
      seen.add(trail(error))
      kept.push(bytes)
    }
  }
  if (process.memoryUsage().rss > mostBytes)
    odd.push(`${process.memoryUsage().rss} bytes of memory after ${times} inputs`)
  if (process.env.FUZZ_INPUTS !== undefined) console.log(`${name}: ${times} inputs, ${seen.size} ways to end`)
  soFar(`door ${name}`, { inputs: times, ways: seen.size, odd }, { end: true })
  return odd
}

const shares = Object.values(doors).reduce((sum, { oneIn = 1 }) => sum + 1 / oneIn, 0)

test.each(Object.entries(doors))(
  '%s: whatever comes is taken or refused in words',
  async (name, door) => {
    const times = Math.max(10, Math.round(inputs / (door.oneIn ?? 1) / shares))
    expect(await knockOn(name, door, times)).toEqual([])
  },
  Math.max(300_000, inputs * 30),
)

const work = mkdtempSync(join(tmpdir(), 'overhear-fuzzed-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** How the command meets a file of this door. */
const commands: Readonly<Record<string, (path: string, out: string) => string[]>> = {
  'scenario.yaml': (path, out) => ['simulate', path, '--out', out],
  'transcript.json': (path) => ['attack', 'last-returned', '--transcript', path],
  'rounds.jsonl': (path) => ['attack', 'last-returned', '--transcript', path],
  'global.npz': (path, out) => ['import', 'npz', path, '--out', out],
  'global.pt': (path, out) => ['import', 'torch', path, '--out', out],
  'rounds/000000.safetensors': (path) => ['attack', 'last-returned', '--transcript', path],
}

test(
  'through the command: exit codes 0, 2, 3, 4 and 130 alone, in little time and memory',
  async () => {
    const draws = rng(seed).fork('command')
    const times = inputs < 5000 ? Object.keys(commands).length : Math.round(inputs / 50)
    for (let i = 0; i < times; i++) {
      const [file, args] = Object.entries(commands)[i % Object.keys(commands).length]!
      const folder = mkdtempSync(join(work, 'in-'))
      cpSync(corpusFolder, folder, { recursive: true })
      const bytes = mutated(corpus.get(file)!, [...corpus.values()], draws.fork(i))
      writeFileSync(join(folder, file), bytes)
      const path = /^(scenario|global)\./.test(file) ? join(folder, file) : folder
      const ended = await watched([...args(path, join(folder, 'out')), '--quiet'], mostSeconds)
      // A scenario may well ask for a thousand million rounds: that is no hang, as long as it stops when it is asked to.
      const hangs = ended.stopped && file !== 'scenario.yaml'
      const fine = allowed.includes(ended.status) && !hangs && ended.bytes <= mostBytes
      if (!fine) note([], JSON.stringify({ i, file, ...ended }))
      soFar('command', { done: i + 1, of: times, seed }, { end: i + 1 === times })
      expect(fine ? undefined : { i, file, ...ended }).toBeUndefined()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  Math.max(300_000, inputs * 60),
)
