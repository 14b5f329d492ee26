/** The command `overhear`: reads its arguments, runs one job, returns its exit code. */
import { lookup, OverhearError } from '../errors.js'
import { parseFlags, wholeNumber } from './arguments.js'
import { runAttackCommand } from './attack-command.js'
import { runAudit } from './audit-command.js'
import { runBench } from './bench.js'
import { runData } from './data-command.js'
import { demo, demoText } from './demo.js'
import { runList } from './list-command.js'
import { runSimulate } from './simulate-command.js'

interface Command {
  readonly summary: string
  readonly usage: string
  run(args: readonly string[]): Promise<number>
}

const commands: Readonly<Record<string, Command>> = {
  audit: {
    summary: 'simulate a federation and audit it (without a file, the built-in scenario), or audit a recorded run',
    usage: `overhear audit [SCENARIO.yaml] [--observer NAME|all] [--fail-on 'RULE']... [--workers N] [--resume] [--out DIR]
  overhear audit --transcript DIR [--knowledge FILE] [--truth DIR]`,
    run: runAudit,
  },
  simulate: {
    summary: 'write DIR/transcript, DIR/knowledge.json and DIR/truth, and run no attack',
    usage: 'overhear simulate SCENARIO.yaml --out DIR [--resume] [--workers N]',
    run: runSimulate,
  },
  attack: {
    summary: 'one attack on a recorded run',
    usage:
      'overhear attack ID --transcript DIR [--knowledge FILE] [--truth DIR] [--observer NAME] [--set name=value]...',
    run: runAttackCommand,
  },
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
    usage: 'overhear list attacks|datasets|partitions|observers|models',
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
    if (error instanceof OverhearError && error.code === 'E_INTERRUPTED') {
      console.error(`overhear: ${error.message}; what was finished is kept`)
      return 130
    }
    const known = error instanceof OverhearError && error.code !== 'E_INTERNAL'
    console.error(`overhear: ${known ? error.message : ((error as Error).stack ?? String(error))}`)
    return known ? 2 : 1
  }
}
