import { describe, expect, test } from 'vitest'
import { printedBy } from '../../test/printed-by.js'
import { OverhearError } from '../errors.js'
import { main } from './cli.js'
import { version } from './version.js'

const run = (...args: string[]) => printedBy(() => main(args))

/** How the command ends where what it prints cannot be written. */
const failing = (error: Error) =>
  printedBy(async () => {
    process.stdout.write = ((_: string, end: (error: Error) => void) => end(error)) as never
    return main(['--version'])
  })

describe('the command', () => {
  test('without a word is wrong, and shows the help that may be asked for', async () => {
    const none = await run()
    expect([none.value, none.err]).toEqual([2, ''])
    expect(none.out).toMatch(/^overhear: what does your federated learning leak\?\n/)
    for (const word of ['--help', '-h', 'help']) expect(await run(word)).toEqual({ ...none, value: 0 })
  })

  test('tells its version', async () => {
    for (const word of ['--version', '-v']) expect(await run(word)).toEqual({ value: 0, out: `${version}\n`, err: '' })
  })

  test('shows the help of one job, in place of doing it', async () => {
    const { value, out } = await run('schema', 'nothing', '--help')
    expect(value).toBe(0)
    expect(out).toContain('overhear schema scenario|transcript|knowledge|truth')
    expect((await run('schema', '-h')).out).toBe(out)
  })

  test('says which job was meant', async () => {
    const { value, out, err } = await run('lits')
    expect([value, out]).toEqual([2, ''])
    expect(err).toMatch(/^overhear: unknown command: "lits" \(did you mean "lint"\?\); known: account, /)
  })
})

describe('the exit code', () => {
  test('is 1 of a bug, with where it happened', async () => {
    const { value, err } = await failing(new Error('broken'))
    expect(value).toBe(1)
    expect(err).toMatch(/^overhear: Error: broken\n {4}at /)
    const ours = await failing(new OverhearError('E_INTERNAL', 'internal: broken'))
    expect(ours.value).toBe(1)
    expect(ours.err).toMatch(/broken\n {4}at /)
    const bare = Object.defineProperty(new TypeError('bare'), 'stack', { value: undefined })
    expect(await failing(bare)).toEqual({ value: 1, out: '', err: 'overhear: TypeError: bare\n' })
  })

  test('is 2 where the machine does not allow it, in words alone', async () => {
    const full = Object.assign(new Error('no'), { code: 'ENOSPC' })
    const said = 'overhear: the output cannot be written: the disk is full; make room and go on with --resume\n'
    expect(await failing(full)).toEqual({ value: 2, out: '', err: said })
  })

  test('is 0 where nobody reads on', async () => {
    expect(await failing(Object.assign(new Error('no'), { code: 'EPIPE' }))).toEqual({ value: 0, out: '', err: '' })
  })

  test('is 130 where it was interrupted', async () => {
    const { value, err } = await failing(new OverhearError('E_INTERRUPTED', 'interrupted'))
    expect([value, err]).toEqual([130, 'overhear: interrupted; what was finished is kept\n'])
  })
})
