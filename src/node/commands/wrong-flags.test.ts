import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runAccount } from './account-command.js'
import { runAdvise } from './advise-command.js'
import { runAttackCommand } from './attack-command.js'
import { runAudit } from './audit-command.js'
import { runCalibrate } from './calibrate-command.js'
import { runForecast } from './forecast-command.js'
import { runImport } from './import-command.js'
import { runLint } from './lint-command.js'
import { runQuery } from './query-command.js'
import { runReport } from './report-command.js'
import { runReproduce } from './reproduce-command.js'
import { runServe } from './serve-command.js'
import { runSimulate } from './simulate-command.js'
import { runSweep } from './sweep-command.js'
import { runWorker } from './worker-command.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-flags-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

type Command = (args: readonly string[]) => Promise<number>
/** What a command says of arguments, in which @ stands for a folder. */
const said = (command: Command, line: string): Promise<string> => {
  const args = line === '' ? [] : line.split(' ').map((word) => word.replaceAll('@', folder).replaceAll('_', ' '))
  return command(args).then(
    (code) => `it ended with ${code}`,
    (error: Error) => error.message.replaceAll(folder, '@'),
  )
}
const table = (command: Command, rows: readonly (readonly [string, string])[]) =>
  test.each(rows)('%s', async (line, message) => {
    expect(await said(command, line)).toContain(message)
  })

describe('audit', () =>
  table(runAudit, [
    ['--seeds 3', '--seeds was given; an audit trains --repeats N times, and judges all of them'],
    ['--advise --transcript t', '--advise was given with --transcript; variants are of a scenario'],
    ['--budget 5m', '--budget was given without --advise; it is how long what-ifs may take'],
    ['--advise --budget 5x', '--budget is "5x"; a time is needed'],
    ['s.yaml --transcript t', 'both a scenario (s.yaml) and --transcript were given; give one of the two'],
    ['--target 0', '--target was given without --transcript; a scenario names its own'],
    ['--model m', '--model was given without --transcript; a scenario names its own'],
    ['--clients 3', '--clients was given without --transcript; a scenario names its own'],
    ['--data t.csv', '--data was given without --transcript; a scenario names its data itself'],
    ['--transcript t --set seed=1', '--set was given with --transcript; it changes scenarios'],
    ['--transcript t --repeats 3', '--repeats was given with --transcript; a recording is one training'],
    ['--transcript t --data d --knowledge k', '--data was given with --knowledge or --truth; both are made of the table'],
    ['--transcript t --data d --truth k', '--data was given with --knowledge or --truth; both are made of the table'],
    ['--transcript t --data d', '--label is missing'],
    ['--transcript t --label l', '--label was given without --data'],
    ['--transcript t --plan', '--plan was given with --transcript; a recording is one training, whatever it holds'],
    ['--workers 0', '--workers is "0"; a whole number from 1 is needed'],
    ['--repeats 0', '--repeats is "0"; a whole number from 1 is needed'],
    ['--seed=-1', '--seed is "-1"; a whole number from 0 is needed'],
    ['--seconds-per-attack 0', '--seconds-per-attack is "0"'],
    ['--queue redis://h --plugin p', '--queue and --plugin were given'],
    ['@/none.yaml', '@/none.yaml: there is no such file'],
    ['a b', 'unexpected argument "b"; one name at a time'],
  ])) // biome-ignore format: lines

describe('account', () =>
  table(runAccount, [
    ['', '--delta is missing; give a scenario, a recording, or all flags: see --help'],
    ['--delta 1e-5', '--sample-rate is missing'],
    ['--delta 1e-5 --sample-rate 0.1', '--noise-multiplier is missing'],
    ['--delta 1e-5 --sample-rate 0.1 --noise-multiplier 1', '--steps is missing'],
    ['--delta 1e-5 --noise-multiplier 1e10', '--noise-multiplier is "1e10"; a number above 0 and at most 1000000000'],
    ['--delta 1e-5 --batches x', '--batches is "x"; known: poisson, fixed'],
    ['--delta 1e-5 --neighbours x', '--neighbours is "x"; known: add-remove, replace'],
    ['--delta 1e-5 --epsilon 2', 'a target --epsilon with 0 of three flags; of --sample-rate'],
    ['--delta 1e-5 --epsilon 2 --sample-rate 0.1 --steps 5 --noise-multiplier 1', 'with 3 of three flags'],
    ['--delta 1e-5 --epsilon 2 --sample-rate 0.1 --steps 5 --batches fixed', 'with 2 of three flags'],
    ['--delta 1e-5 --sample-rate 1 --noise-multiplier 1 --steps 1 --canaries 10', '--guesses is missing'],
    ['--delta 1e-5 --sample-rate 1 --noise-multiplier 1 --steps 1 --guesses 10', '--canaries is missing'],
    ['--delta 1e-5 --sample-rate 1 --noise-multiplier 1 --steps 1 --correct 10', '--canaries is missing'],
    ['--delta 1e-5 --sample-rate 1 --noise-multiplier 1 --steps 1 --canaries 9 --guesses 3 --correct 3 --confidence 1', '--confidence is "1"; a number above 0 and at most 0.999999999 is needed'],
    ['@/none.yaml', '@/none.yaml: there is no such file'],
    ['a b', 'unexpected argument "b"'],
  ])) // biome-ignore format: lines

describe('forecast', () =>
  table(runForecast, [
    ['--per-round 5 --rounds 60 --signal 3', '--clients is missing; see overhear forecast --help'],
    ['--clients 20 --rounds 60 --signal 3', '--per-round is missing'],
    ['--clients 20 --per-round 5 --signal 3', '--rounds is missing'],
    ['--clients 20 --per-round 5 --rounds 60', '--signal is missing'],
    ['--clients 20 --per-round 5 --rounds 6 --signal 1000001', '--signal is "1000001"; a number above 0 and at most 1000000 is needed'],
    ['--clients 20 --per-round 5 --rounds 6 --signal 0', '--signal is "0"'],
    ['--clients 20 --per-round 5 --rounds 6 --signal 1 --share 1', '--share is "1"; a number above 0 and at most 0.999 is needed'],
    ['--clients 20 --per-round 5 --rounds 6 --signal 1 --share _', '--share is " "'],
    ['--clients 20 --per-round 21 --rounds 6 --signal 1', '--per-round is 21 of 20 clients; at most all take part'],
    ['--clients 20 --per-round 5 --rounds 6 --signal 1 --seed x', '--seed is "x"'],
  ])) // biome-ignore format: lines

describe('others', () => {
  table(runAdvise, [
    ['--target 1', '--target is "1"; a number between 0 and 1 is needed, such as 0.05'],
    ['--target 0', '--target is "0"'],
    ['--target _', '--target is " "'],
    ['--budget 0', '--budget is "0"'],
    ['--workers 0', '--workers is "0"'],
    ['@/none.yaml', '@/none.yaml: there is no such file'],
  ])
  table(runCalibrate, [
    ['--audits 0', '--audits is "0"'],
    ['--workers x', '--workers is "x"'],
    ['@/none.yaml', '@/none.yaml: there is no such file'],
  ])
  table(runAttackCommand, [
    ['', 'attack with what?; see "overhear list attacks"'],
    ['last-returned', 'there is no recording to attack; give --transcript DIR'],
    ['last-returned --set x=1 --transcript t', 'attack last-returned'],
    ['last-returned --transcript @/none', 'none'],
  ])
  table(runLint, [
    ['', 'lint what?; give a scenario in YAML, or the folder of a transcript'],
    ['s.yaml --disable x', '--disable x is no rule; known: '],
  ])
  table(runQuery, [
    ['', 'missing: a query, such as "select * from trials"'],
    ['q --out x.txt', '--out is "x.txt"; a file that ends in .csv or .parquet is needed'],
    ['q --out x.csv.gz', '--out is "x.csv.gz"'],
    ['q --runs @/none --out x.csv', 'there is no folder @/none'],
    ['q --runs @ --out x.parquet', '@ holds no sweep'],
  ])
  table(runReport, [
    ['', 'report what?; give the folder of a run'],
    ['@ --redact --whole', '--redact was given with --whole; choose one'],
    ['@', '@/audit.json: there is no such file'],
  ])
  table(runReproduce, [
    ['', 'missing: a study, or "all" ("overhear list studies" shows them)'],
    ['all --plugin p', '--plugin was given; studies run what the package brings alone'],
    ['nothing', 'unknown study: "nothing"'],
    ['all --seeds 0', '--seeds is "0"'],
  ])
  table(runServe, [
    ['x', "unexpected argument 'x'"],
    ['--port 65536', '--port is "65536"; a whole number up to 65535 is needed, 0: any free one'],
    ['--port 1e3', '--port is "1e3"'],
    ['--jobs 0', '--jobs is "0"'],
    ['--workers 0', '--workers is "0"'],
  ])
  table(runSweep, [
    ['', 'missing: the file of a sweep'],
    ['s.yaml --plugin p', '--plugin was given; a sweep runs what the package brings alone'],
    ['s.yaml --seeds 0', '--seeds is "0"'],
  ])
  table(runWorker, [
    ['--queue x', 'the address of the queue cannot be read'],
    ['--queue redis://127.0.0.1 --plugin p', '--plugin was given; a worker runs what the package brings alone'],
    ['--queue redis://127.0.0.1 --lease 0', '--lease is "0"'],
    ['--queue redis://8.8.8.8', 'has a public address and no password'],
  ])
  table(runSimulate, [
    ['s.yaml', 'there is no folder to write to; give --out DIR'],
    ['s.yaml --out @/new --seed x', '--seed is "x"'],
    ['@/none.yaml --out @/new', '@/none.yaml: there is no such file'],
  ])
  table(runImport, [
    ['npz', 'missing: the folder or file to import'],
    ['zip @ --out @/o', 'unknown kind of import: "zip"'],
    ['npz @', 'there is no folder to write to; give --out DIR'],
    ['npz @/none --out @/o', '"@/none" is not there; give a folder of files, or one file'],
  ])

  test('a folder that holds something is written into only where that is asked for', async () => {
    mkdirSync(join(folder, 'full'))
    writeFileSync(join(folder, 'full/x'), '')
    expect(await said(runSimulate, 's.yaml --out @/full')).toBe(
      '@/full is not empty; give --resume to go on there, or another folder',
    )
    expect(await said(runSimulate, '@/s.yaml --out @/full --resume')).toContain('there is no such file')
    expect(await said(runSimulate, '@/s.yaml --out @/full --repair')).toContain('there is no such file')
    writeFileSync(join(folder, 'm.json'), '{}')
    expect(await said(runImport, 'npz @ --out @/full --map @/m.json')).toBe('@/full is not empty; give another folder')
    expect(await said(runImport, 'npz @ --out @/new --map @/none')).toBe(
      'the map "@/none" cannot be read; a call without --map proposes one',
    )
    // The lock of whoever simulates there is nothing that is written over.
    mkdirSync(join(folder, 'locked'))
    writeFileSync(join(folder, 'locked/run.lock'), '')
    expect(await said(runSimulate, '@/s.yaml --out @/locked')).toContain('there is no such file')
    writeFileSync(join(folder, 'file'), '')
    expect(await said(runSimulate, '@/s.yaml --out @/file/x')).toContain('there is no such file')
  })
})
