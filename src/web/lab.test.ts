import { expect, test } from 'vitest'
import { type LabEvent, runLab } from './lab.js'

const settings = { batchSize: 0, localEpochs: 1, rounds: 3, heterogeneity: 0.3, noise: 0, seed: 1 }

/** Played once for all tests. */
let played: Promise<readonly LabEvent[]> | undefined
async function play(): Promise<readonly LabEvent[]> {
  const events: LabEvent[] = []
  for await (const event of runLab(settings)) events.push(event)
  return events
}
function eventsOf(): Promise<readonly LabEvent[]> {
  played ??= play()
  return played
}

test('the lab tells rungs on the way, and ends with those that are judged', async () => {
  const events = await eventsOf()
  const rungs = events.flatMap((event) => (event.kind === 'rungs' ? [event.questions] : []))
  const done = events.at(-1)
  if (done?.kind !== 'done') throw new Error('it did not end')
  const [early, late] = [rungs[0]!, rungs.at(-1)!]
  expect(early.map(({ kind }) => kind)).toEqual(['model'])
  expect(late.map(({ kind, name, target }) => [kind, name, target])).toEqual([
    ['model', null, '0'],
    ['attribute', 'union', '0'],
  ])
  for (const { ladder, level, test: judged } of late) {
    expect([level, judged]).toEqual(['not-tested', { record: null, client: null }])
    expect(ladder.guesser).toBeNull()
  }
  // Of the model one attack is best in every cell: what is told on the way is what the audit says in the end.
  const { guess, client, record } = late[0]!.ladder
  const judged = done.questions[0]!.ladder
  expect([guess, client, record]).toEqual(
    [judged.guess, judged.client, judged.record].map((x) => expect.closeTo(x!, 12)),
  )
  expect(late[0]!.ladder.better).toBe('lower')
  expect(done.questions.map(({ level }) => level)).not.toContain('not-tested')
  expect(done.use).not.toBeNull()
})

test('progress is told after every training and every attack, and nothing is counted twice', async () => {
  const told = (await eventsOf()).flatMap((event) => (event.kind === 'progress' ? [event] : []))
  const attacks = told.map((one) => one.attacks)
  expect(attacks).toEqual(attacks.toSorted((a, b) => a - b))
  const { training, trainings } = told.at(-1)!
  expect(training).toBe(trainings)
  expect(new Set(told.map((one) => `${one.training} ${one.attacks}`)).size).toBe(told.length)
})

test('means are of all trainings: the first rungs are of one, and the last of more', async () => {
  const rungs = (await eventsOf()).flatMap((event) => (event.kind === 'rungs' ? [event.questions[0]!.ladder] : []))
  const records = rungs.flatMap(({ record }) => record ?? [])
  expect(new Set(records).size).toBeGreaterThan(2)
})
