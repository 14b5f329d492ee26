import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { JobState } from '../../api/answers.js'
import { type Jobs, jobLine } from './jobs.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-'))
const script = join(folder, 'stand-in.mjs')
/** Ends as it is told; "wait" waits for SIGTERM, and "deaf" knows of none. */
writeFileSync(
  script,
  `const [command, how, code] = process.argv.slice(2)
if (command !== 'audit' || process.env.OVERHEAR_LISTENING !== '1') process.exit(99)
process.send({ kind: 'training', number: 1, total: 2 })
if (how === 'wait') {
  process.on('SIGTERM', () => process.exit(130))
  setInterval(() => {}, 1000)
} else if (how === 'deaf') setInterval(() => {}, 1000)
else if (how === 'kill') process.kill(process.pid, 'SIGKILL')
else {
  if (how !== 'silent') process.stderr.write(how === 'says' ? 'overhear: first\\noverhear: at last\\nmore\\n' : 'plain words\\n')
  process.exitCode = Number(code)
  process.disconnect()
}
`,
)
const open: Jobs[] = []
afterEach(async () => {
  for (const jobs of open.splice(0)) await jobs.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

const line = (running = 1, waiting = 1): Jobs => {
  const jobs = jobLine({ running, waiting }, script)
  open.push(jobs)
  return jobs
}
const until = (jobs: Jobs, id: string, ...states: JobState['state'][]) =>
  new Promise<JobState>((done) => {
    const found = jobs.get(id)
    if (found !== null && states.includes(found.state)) return done(found)
    const stop = jobs.follow((job) => {
      if (job.id !== id || !states.includes(job.state)) return
      stop()
      done(job)
    })
  })

test('how a process ended is told', async () => {
  const jobs = line(4, 4)
  const endings = [
    ['ok', ['silent', '0'], { state: 'done', share: 1 }],
    ['half', ['silent', '4'], { state: 'done', share: 1 }],
    ['stopped', ['silent', '130'], { state: 'stopped' }],
    ['said', ['says', '1'], { state: 'failed', error: 'at last' }],
    ['words', ['plain', '2'], { state: 'failed', error: 'plain words' }],
    ['mute', ['silent', '3'], { state: 'failed', error: 'it ended with exit code 3' }],
    ['killed', ['kill'], { state: 'failed', error: 'it was ended by SIGKILL' }],
  ] as const
  for (const [id, args, state] of endings) {
    jobs.start(id, args)
    const ended = await until(jobs, id, 'done', 'stopped', 'failed')
    expect(ended).toMatchObject({ id, secondsLeft: null, ...state })
    expect(ended.seconds).toBeGreaterThan(0)
  }
}, 60_000)

test('few run at once, the others wait, and more are refused', async () => {
  const jobs = line()
  jobs.start('a', ['wait'])
  expect(jobs.start('b', ['wait']).state).toBe('waiting')
  expect(() => jobs.start('c', ['wait'])).toThrow('1 audits run and 1 wait')
  expect(() => jobs.start('a', ['wait'])).toThrow('a is at work already')
  expect(() => jobs.start('b', ['wait'])).toThrow('b is at work already')
  expect(jobs.get('c')).toBeNull()
  await until(jobs, 'a', 'running')
  expect(() => jobs.stop('nobody')).toThrow('nobody is not at work')
  jobs.stop('a')
  expect((await until(jobs, 'a', 'stopped')).state).toBe('stopped')
  await until(jobs, 'b', 'running')
  jobs.start('c', ['wait'])
  expect(jobs.stop('c').state).toBe('stopped')
  expect(jobs.start('c', ['wait']).state).toBe('waiting')
}, 60_000)

test('what runs when all is closed counts as stopped, however it ends, and nothing that waits begins', async () => {
  const jobs = line()
  jobs.start('a', ['deaf'])
  jobs.start('b', ['wait'])
  await until(jobs, 'a', 'running')
  await jobs.close()
  expect([jobs.get('a')?.state, jobs.get('b')?.state]).toEqual(['stopped', 'waiting'])
}, 60_000)
