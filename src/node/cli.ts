/** The command `overhear`: reads its arguments, runs one job, returns its exit code. */
import { lookup, OverhearError } from '../errors.js'
import { parseFlags, wholeNumber } from './arguments.js'
import { runBench } from './bench.js'
import { runData, runList } from './data-command.js'
import { demo, demoText } from './demo.js'

interface Command {
  readonly summary: string
  readonly usage: string
  run(args: readonly string[]): Promise<number>
}

const commands: Readonly<Record<string, Command>> = {
  demo: {
    summary: 'train a small federation and print what each client gained',
    usage: 'overhear demo [--rounds N] [--workers N] [--seed N] [--json] [--quiet]',
    run: runDemo,
  },
  bench: {
    summary: 'time the engine, beside PyTorch and numpy where they are installed',
    usage:
      'overhear bench [--against torch] [--only NAME]... [--quick] [--out FILE] [--baseline FILE] [--json] [--quiet]',
    run: runBench,
  },
  data: {
    summary: 'where a dataset is looked for, whether it is there and whole, where to get it',
    usage: 'overhear data [NAME] [--data-dir DIR] [--json]',
    run: runData,
  },
  list: {
    summary: 'what there is to choose from',
    usage: 'overhear list datasets|partitions [--json]',
    run: runList,
  },
}

const demoFlags = {
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  seed: { type: 'string' },
  rounds: { type: 'string' },
  workers: { type: 'string' },
} as const

async function runDemo(args: readonly string[]): Promise<number> {
  const values = parseFlags(args, demoFlags)
  let interrupted = false
  const stop = (): void => {
    interrupted = true
  }
  process.once('SIGINT', stop)
  try {
    const workers = wholeNumber('workers', values.workers)
    const result = await demo({
      seed: wholeNumber('seed', values.seed) ?? 1,
      rounds: wholeNumber('rounds', values.rounds) ?? 40,
      ...(workers === undefined ? {} : { workers }),
      quiet: values.quiet ?? false,
      stopped: () => interrupted,
    })
    console.log(values.json ? JSON.stringify(result) : demoText(result))
    return interrupted ? 130 : 0
  } finally {
    process.removeListener('SIGINT', stop)
  }
}

function help(): string {
  const lines = Object.values(commands).map(({ usage, summary }) => `  ${usage}\n      ${summary}`)
  return `overhear: what does your federated learning leak?\n\n${lines.join('\n')}\n`
}

/** 0 done, 1 a bug of ours, 2 wrong input, 3 a check that was asked for failed, 130 interrupted. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const [name, ...rest] = args
    if (name === undefined || name === '--help' || name === '-h' || name === 'help' || rest.includes('--help')) {
      console.log(help())
      return name === undefined ? 2 : 0
    }
    return await lookup(commands, name, 'command').run(rest)
  } catch (error) {
    const known = error instanceof OverhearError && error.code !== 'E_INTERNAL'
    console.error(`overhear: ${known ? error.message : ((error as Error).stack ?? String(error))}`)
    return known ? 2 : 1
  }
}
