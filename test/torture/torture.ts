/** Tries to lose a run: faults at random operations, damaged files and kills, then what is left is taken up and compared. */
import { OverhearError } from '../../src/errors.js'
import { inlinePool } from '../../src/federation/pool.js'
import { type Rng, rng } from '../../src/numeric/random/rng.js'
import type { Scenario } from '../../src/scenario/scenario-schema.js'
import { simulate } from '../../src/scenario/simulate.js'
import { Cut, type Fault, faultyDisk } from './faulty-store.js'
import { note } from './findings.js'

type Files = Map<string, Uint8Array>

/** What came of it. Losses and unequal ends must stay 0. */
export interface Tally {
  tries: number
  faults: number
  kills: number
  damages: number
  repairs: number
  /** Runs that could not be taken up, with why. */
  readonly losses: string[]
  /** Runs that ended otherwise than one that was left alone, with where. */
  readonly unequal: string[]
}

export const emptyTally = (): Tally => ({
  tries: 0,
  faults: 0,
  kills: 0,
  damages: 0,
  repairs: 0,
  losses: [],
  unequal: [],
})

const faults: readonly Fault[] = ['full', 'torn', 'power', 'lies']

interface RunOptions {
  readonly files: Files
  readonly at?: number
  readonly fault?: Fault
  readonly repair?: boolean
  lost?(index: number): boolean
}

async function run(scenario: Scenario, { repair = false, ...options }: RunOptions): Promise<number> {
  const { folder, operations } = faultyDisk(options)
  const clients = (
    spec: Parameters<typeof inlinePool>[0],
    population: Parameters<typeof inlinePool>[1]['population'],
  ) => inlinePool(spec, { population })
  await simulate(scenario, { ports: { folder, clients }, repair }).result
  return operations()
}

/** What must be the same: everything but leftovers under other names, and checkpoints, of which either may be the older. */
const lasting = (files: Files): [string, Uint8Array][] =>
  [...files].filter(([path]) => !path.endsWith('.tmp') && !path.startsWith('checkpoints/')).sort()

function difference(files: Files, whole: Files): string | undefined {
  const [there, wanted] = [lasting(files), lasting(whole)]
  const names = [there, wanted].map((all) => all.map(([path]) => path).join())
  if (names[0] !== names[1]) return 'other files'
  for (const [i, [path, bytes]] of there.entries()) {
    const other = wanted[i]![1]
    if (bytes.length !== other.length || bytes.some((byte, j) => byte !== other[j])) return path
  }
  return undefined
}

/** A byte of some file is changed, a file is cut off, or it is gone. */
function damage(files: Files, draws: Rng): string | undefined {
  const names = [...files.keys()].filter((path) => /^(transcript\/rounds|checkpoints)\//.test(path)).sort()
  const path = names[draws.integer(Math.max(1, names.length))]
  const bytes = path === undefined ? undefined : files.get(path)
  if (path === undefined || bytes === undefined || bytes.length === 0) return undefined
  const how = draws.integer(3)
  if (how === 0) files.delete(path)
  else if (how === 1) files.set(path, bytes.slice(0, draws.integer(bytes.length)))
  else {
    const changed = bytes.slice()
    changed[draws.integer(bytes.length)]! ^= 1 << draws.integer(8)
    files.set(path, changed)
  }
  return path
}

/**
 * One try: a run meets up to four faults one after the other, each time taken up; now and then a file is damaged in between, and
 * `--repair` is given once the damage is told. In the end there must be the bytes of a run that was left alone.
 */
export async function tryToLose(
  scenario: Scenario,
  { whole, seed, tally }: { whole: Files; seed: number; tally: Tally },
) {
  const draws = rng(seed).fork('torture')
  const operations = 3 * scenario.training.rounds + 40
  const files: Files = new Map()
  tally.tries++
  let repair = false
  try {
    for (let k = draws.integer(5); k > 0; k--) {
      const lost = draws.fork('lost', k)
      const fault = faults[draws.integer(faults.length)]!
      try {
        await run(scenario, { files, at: draws.integer(operations), fault, repair, lost: () => lost.integer(2) === 0 })
      } catch (error) {
        if (error instanceof Cut) tally.kills++
        else if (error instanceof OverhearError && /disk is full|device reports/.test(error.message)) tally.faults++
        // What a disk forgot that it had reported as kept is told, and made again when that is asked for.
        else if (!repair && error instanceof OverhearError && error.message.includes('--repair')) repair = true
        else throw error
      }
    }
    if (draws.integer(2) === 0 && damage(files, draws) !== undefined) tally.damages++
    try {
      await run(scenario, { files, repair })
    } catch (error) {
      if (!(error instanceof OverhearError) || !error.message.includes('--repair')) throw error
      tally.repairs++
      await run(scenario, { files, repair: true })
    }
  } catch (error) {
    note(tally.losses, `seed ${seed}: ${(error as Error).message}`)
    return
  }
  const where = difference(files, whole)
  if (where !== undefined) note(tally.unequal, `seed ${seed}: ${where}`)
}

/** The files of a run that was left alone. */
export async function undisturbed(scenario: Scenario): Promise<Files> {
  const files: Files = new Map()
  await run(scenario, { files })
  return files
}
