/** The command `overhear`: reads its arguments, runs one job, returns its exit code. */
import { readFileSync } from 'node:fs'
import { harmless, lookup, OverhearError } from '../errors.js'
import { type About, helpFor, helpText } from './commands/help.js'
import { machineFault } from './files/machine-faults.js'
import { fromRoot } from './package-root.js'
import { print } from './print.js'
import { lockIntrinsics } from './threads/lock-intrinsics.js'

/** Each is loaded when it is asked for: most of the package is not needed to say what there is. */
interface Command extends About {
  /** Whether attacks and plug-ins run in other processes alone: then packages may do here what a lock forbids. */
  readonly elsewhere?: boolean
  load(): Promise<(args: readonly string[]) => Promise<number>>
}

const commands: Readonly<Record<string, Command>> = {
  audit: {
    summary: 'simulate a federation and audit it (without a file, the built-in scenario), or audit a recorded run',
    usage: `overhear audit [SCENARIO.yaml] [--observer NAME|all] [--fail-on 'RULE']... [--workers N] [--queue URL] [--out DIR]
                 [--resume] [--repair] [--repeats N] [--allow-untested] [--redact] [--sarif FILE] [--junit FILE] [--advise [--budget 5m]] [--details] [--verbose] [--seconds-per-attack N] [--set SETTING=VALUE]...
  overhear audit --transcript DIR [--knowledge FILE] [--truth DIR] [--target CLIENT] [--clients N] [--model FILE]
  overhear audit --transcript DIR --data TABLE.csv --label COLUMN --client-column COLUMN [--sensitive COLUMN]...
                 [--trained-column COLUMN] [--id-column COLUMN] [--target CLIENT] [--clients N]`,
    get more() {
      return `--fail-on: <question kind, or an attack or its beginning>.<field><op><number>, e.g. 'attribute.record>0.05'. Fields: record and
client (what these very records, and this client's messages, add), record.value, client.value, federation.value, guess.value,
everybody.value, low, high (of the interval), tpr1, exposed, exposedAfter. What was not tested fails too, unless --allow-untested.
--repeats: how often it trains; all trainings are judged together. --details: every leak in a sentence, every step with its test, in
place of one screen. --verbose: each attack by itself, too.
--redact: what is printed and the report hold no ids, values or pictures of people, counts alone; the folder keeps them for its
owner. --sarif, --junit: for pipelines, one result for each question, always without people.
--advise: what-ifs are run at last, as by "overhear advise", and stand in the report.
--queue: attacks are run by those who run "overhear worker" anywhere; docs/sweeps.md has the forms of an address.
--resume: what was finished in the folder counts. --repair: resumes too; what is damaged there is made again.
--set: a setting in the place of the scenario's, such as training.rounds=20; "overhear list settings" shows them.
--model: a JSON file such as { "kind": "mlp", "inputs": 8, "hidden": [32], "outputs": 1, "loss": "mse" }, where the recording says none.
--data: records of the clients, encoded as the model sees them; knowledge and truth are made of it, in DIR.tables.
--clients: how many clients of a recording are attacked where no target is named; 20 unless told.
A scenario, as it is when none is given:\n\n${readFileSync(fromRoot('scenarios/default.yaml'), 'utf8')}`
    },
    load: async () => (await import('./commands/audit-command.js')).runAudit,
  },
  simulate: {
    summary: 'write DIR/transcript, DIR/knowledge.json and DIR/truth, and run no attack',
    usage: 'overhear simulate SCENARIO.yaml --out DIR [--resume] [--repair] [--workers N] [--set SETTING=VALUE]...',
    load: async () => (await import('./commands/simulate-command.js')).runSimulate,
  },
  attack: {
    summary: 'one attack on a recorded run',
    usage:
      'overhear attack ID --transcript DIR [--knowledge FILE] [--truth DIR] [--observer NAME] [--set name=value]...',
    load: async () => (await import('./commands/attack-command.js')).runAttackCommand,
  },
  import: {
    summary: "other people's recordings into a transcript",
    usage: 'overhear import npz|safetensors|torch SRC --out DIR [--map FILE]',
    more: `A first call, without --map, proposes which file is which message and what model it is, in DIR.import.json; look it over, and give
it by --map. Files are told apart by their names, such as round-3/global.npz and round-3/client-a.npz; Flower's
round-3-weights.npz are global models. Pickles are read without running anything.`,
    load: async () => (await import('./commands/import-command.js')).runImport,
  },
  account: {
    summary:
      '(epsilon, delta) spent: from flags, for a scenario, or client by client for a recording; or what keeps to a target',
    usage: `overhear account --sample-rate Q --noise-multiplier S --steps T --delta D [--batches poisson|fixed]
                   [--neighbours add-remove|replace] [--canaries M --guesses R --correct V [--confidence 0.95]]
  overhear account --epsilon E --delta D and two of --sample-rate, --noise-multiplier, --steps
  overhear account SCENARIO.yaml|TRANSCRIPT-DIR|RUN [--delta D]
  overhear account SCENARIO.yaml --empirical [--canaries 500] [--confidence 0.95] [--seed N]`,
    more: `--noise-multiplier: deviation of the noise over the clipping norm. --batches fixed: batches of one size, --sample-rate is batch
over records, neighbours differ in one record replaced. With --epsilon, the third number is found: least noise, highest rate,
most steps. --canaries, --guesses, --correct: a lower bound from one run with canaries, beside the upper one.
--empirical: trains the scenario once with canaries of its own, and says what they show. docs/accounting.md`,
    load: async () => (await import('./commands/account-command.js')).runAccount,
  },
  forecast: {
    summary: 'after how many rounds sums of changing groups would give a client away, before any training',
    usage:
      'overhear forecast --clients N --per-round M --rounds T --signal D [--share 0.1] [--client I] [--seed N] [--json]',
    more: `--signal: how far a client's feature with the property lies from one without it, in deviations of the feature; the overlap
of two such normals is 0.32 at 2, 0.13 at 3, 0.05 at 4. --client: that client of a participation matrix drawn from the seed.
docs/property-inference.md`,
    load: async () => (await import('./commands/forecast-command.js')).runForecast,
  },
  bench: {
    summary: 'time the engine, beside PyTorch, JAX and numpy where they are installed',
    usage:
      'overhear bench [--against torch,jax,numpy] [--only NAME]... [--quick] [--out FILE] [--baseline FILE] [--json] [--quiet]',
    load: async () => (await import('./bench/bench-command.js')).runBench,
  },
  data: {
    summary: 'where a dataset is looked for, whether it is there and whole, where to get it',
    usage: 'overhear data [NAME] [--data-dir DIR] [--json]',
    load: async () => (await import('./commands/data-command.js')).runData,
  },
  lint: {
    summary:
      'privacy mechanisms that do not do what they say, in a scenario or a recording; exit code 3 where one is an error',
    usage: 'overhear lint SCENARIO.yaml|TRANSCRIPT-DIR [--sarif FILE] [--junit FILE] [--disable RULE]... [--json]',
    more: 'Each finding has a code, its severity, what was found and in which line, and what to do: docs/lint.md lists the rules.',
    load: async () => (await import('./commands/lint-command.js')).runLint,
  },
  advise: {
    summary: 'what to change: what-ifs that are run and audited, the cheapest that brings every step under a target',
    usage:
      'overhear advise [SCENARIO.yaml|RUN] [--target 0.05] [--budget 5m] [--workers N] [--queue URL] [--out DIR] [--set SETTING=VALUE]...',
    more: `Every change alone in three trainings, then the most promising pairs, then the best in as many trainings as an audit takes.
--target: the largest step of a ladder that may be left, in AUC, or as the share of an error that is gone.
--queue: attacks are run by those who run "overhear worker" anywhere; docs/sweeps.md.
--budget: how long it may take; Ctrl-C ends it too, and the best so far is told. The same call again goes on where it stopped.
What was tried is kept as advice.json, in the folder of the run where one is given: its report shows it.`,
    load: async () => (await import('./commands/advise-command.js')).runAdvise,
  },
  calibrate: {
    summary: 'how often an audit of this size errs: worlds in which nothing can be found, and leaks that are planted',
    usage: 'overhear calibrate [SCENARIO.yaml] [--audits N] [--workers N] [--out DIR] [--set SETTING=VALUE]...',
    more: `--audits: of worlds in which nothing can be found, six kinds in turn; 12 unless told. Ctrl-C ends it, and what was counted
so far is told. The same call again goes on where it stopped. docs/calibrate.md`,
    load: async () => (await import('./commands/calibrate-command.js')).runCalibrate,
  },
  sweep: {
    summary:
      'trials of a scenario along axes: a grid, a list, at random, or where a score is best; finished ones are kept',
    usage: `overhear sweep FILE.yaml [--out DIR] [--workers N] [--seeds N] [--resume] [--retry-failed] [--queue URL] [--parquet] [--json]`,
    more: `--out: runs/sweep-NAME unless told. --resume: trials that are finished there count, and are never run again.
--retry-failed: resumes too, and those that failed are tried once more.
--queue: trials go to those who run "overhear worker" anywhere; redis://[USER:PASSWORD@]HOST:PORT, rediss://, or env: OVERHEAR_QUEUE has it.
--parquet: tables as Parquet files besides, by DuckDB. docs/sweeps.md shows a file.`,
    elsewhere: true,
    load: async () => (await import('./commands/sweep-command.js')).runSweep,
  },
  reproduce: {
    summary: "tables and figures of the papers, ours beside theirs, and which of the papers' claims hold",
    usage:
      'overhear reproduce STUDY|all [--quick] [--out DIR] [--seed N] [--seeds N] [--workers N] [--resume] [--json]',
    more: `"overhear list studies" shows them. --quick: smaller settings, all studies within 20 minutes on two cores.
--out: runs/reproduce-STUDY unless told. Ctrl-C keeps what is finished there; --resume goes on, and runs nothing twice.
--seed: the first seed; --seeds: how many, in place of each study's own number. docs/reproductions.md has stored results.`,
    elsewhere: true,
    load: async () => (await import('./studies/index.js')).runReproduce,
  },
  query: {
    summary: 'results of sweeps by SQL',
    usage: 'overhear query "select ..." [--runs DIR] [--out FILE.csv|FILE.parquet] [--json]',
    more: `Tables: trials, questions, scores, utility, of all sweeps below DIR (runs unless told); docs/sweeps.md has their columns.`,
    load: async () => (await import('./commands/query-command.js')).runQuery,
  },
  worker: {
    summary: 'runs what comes through a queue in Redis or Valkey: trials of sweeps, studies, attacks of audits',
    usage:
      'overhear worker --queue redis://HOST:PORT [--concurrency N] [--data-dir DIR] [--lease SECONDS] [--idle SECONDS]',
    more: `--concurrency: trials at a time, as many as there are cores unless told. --lease: after so long without a sign of life, 30 s unless told,
others take its trials over. --idle: it ends after so long without work. OVERHEAR_QUEUE may hold the address, with its password.`,
    elsewhere: true,
    load: async () => (await import('./commands/worker-command.js')).runWorker,
  },
  report: {
    summary: 'the report of an audit that ran before, as HTML or PDF',
    usage: 'overhear report RUN [--out FILE.html|FILE.pdf] [--pdf] [--redact] [--whole] [--summary] [--advice FILE]',
    more: `--redact: no ids, values or pictures of people, counts alone; so is a PDF, unless --whole. --summary: the first sheet alone. A PDF takes an installed Chromium.
--advice: what overhear advise has kept, with the measured cost of each change; that of the run's own folder unless told.`,
    load: async () => (await import('./commands/report-command.js')).runReport,
  },
  compare: {
    summary: 'what changed between two audits, and whether it is more than noise',
    usage: 'overhear compare RUN RUN [--json]',
    load: async () => (await import('./commands/compare-command.js')).runCompare,
  },
  serve: {
    summary: 'the page: runs, new audits, reports and comparisons in a browser',
    usage: 'overhear serve [--host 127.0.0.1] [--port 4747] [--runs DIR] [--jobs 1] [--workers N]',
    more: `Only this machine is let in. With another --host the address that is printed holds a token, without which nobody is; what is sent
then is not encrypted. --runs: the folder of runs, "runs" unless told. --jobs: audits that run at once; others wait.`,
    load: async () => (await import('./commands/serve-command.js')).runServe,
  },
  list: {
    summary: 'what there is to choose from',
    usage:
      'overhear list attacks|datasets|partitions|observers|defences|rules|samplings|misbehaviours|models|metrics|initialisers|settings|studies',
    load: async () => (await import('./commands/list-command.js')).runList,
  },
  schema: {
    summary: 'the JSON Schema of a scenario, or of a file of a recording',
    usage: 'overhear schema scenario|transcript|knowledge|truth',
    load: async () => (await import('./commands/schema-command.js')).runSchema,
  },
}

export interface MainOptions {
  /** Whether the process is there for this command alone: then what all code shares is locked before anything is loaded. */
  readonly alone?: boolean
}

/** Through a queue attacks run in other processes too, and plug-ins are refused. */
const isElsewhere = ([name = '', ...rest]: readonly string[]): boolean =>
  (Object.hasOwn(commands, name) && commands[name]!.elsewhere === true) || rest.some((one) => /^--queue(=|$)/.test(one))

/** 0 done, 1 a bug of ours, 2 wrong input, 3 a check that was asked for failed, 4 incomplete, 130 interrupted. */
export async function main(args: readonly string[], { alone = false }: MainOptions = {}): Promise<number> {
  // Plug-ins are loaded in this thread too.
  if (alone && !isElsewhere(args)) lockIntrinsics()
  // Where nobody reads what is told, the exit code still says how it ended.
  if (alone) process.stderr.on('error', () => {})
  try {
    const [name, ...rest] = args
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      await print(helpText(commands))
      return name === undefined ? 2 : 0
    }
    if (name === '--version' || name === '-v') {
      await print((await import('./version.js')).version)
      return 0
    }
    const command = lookup(commands, name, 'command')
    if (rest.includes('--help') || rest.includes('-h')) {
      await print(helpFor(command))
      return 0
    }
    return await (await command.load())(rest)
  } catch (error) {
    if (error instanceof OverhearError && error.code === 'E_INTERRUPTED') {
      console.error(`overhear: ${error.message}; what was finished is kept`)
      return 130
    }
    const told = machineFault(error)
    const known = told instanceof OverhearError && told.code !== 'E_INTERNAL'
    const words = known ? told.message : ((error as Error).stack ?? String(error))
    console.error(`overhear: ${harmless(words, '\n')}`)
    return known ? 2 : 1
  }
}
