/** From what an audit tells to how far it is: the state that the page shows, as a fold over messages. */
import type { FoundSoFar, JobState } from '../../api/answers.js'
import type { Told } from '../tell-parent.js'

const mostFound = 6
const mostRemarks = 20

/** The state of an audit that has told nothing yet. */
export function freshJob(id: string): JobState {
  return {
    id,
    state: 'waiting',
    training: { number: 0, total: 0 },
    round: null,
    attacks: { done: 0, total: 0 },
    lastAttack: null,
    trained: [],
    found: [],
    remarks: [],
    share: 0,
    seconds: 0,
    secondsLeft: null,
    error: null,
  }
}

/** The state after a message that came so many seconds after the start. */
export function afterTold(job: JobState, told: Told, seconds: number): JobState {
  const next = folded(job, told)
  const share = Math.max(job.share, shareOf(next))
  return { ...next, share, seconds, secondsLeft: share < 0.02 ? null : (seconds * (1 - share)) / share }
}

function folded(job: JobState, told: Told): JobState {
  switch (told.kind) {
    case 'training':
      return { ...job, training: { number: told.number, total: told.total } }
    case 'round':
      return { ...job, round: { model: told.model, round: told.round, rounds: told.rounds } }
    case 'trained': {
      const others = job.trained.filter(({ model }) => model !== told.trained.model)
      return { ...job, trained: [...others, told.trained] }
    }
    case 'remark':
      return { ...job, remarks: [...job.remarks, told.text].slice(-mostRemarks) }
    case 'attacked':
      return {
        ...job,
        attacks: { done: told.done, total: told.total },
        lastAttack: told.attack,
        found: told.found === null ? job.found : widest(job.found, told.found),
      }
  }
}

const gapOf = ({ trained, held }: FoundSoFar): number => Math.abs(trained - held)

/** Of each attack and what it was about the last word; the widest gaps first. */
function widest(found: readonly FoundSoFar[], one: FoundSoFar): readonly FoundSoFar[] {
  const others = found.filter(({ attack, about }) => attack !== one.attack || about !== one.about)
  return [...others, one].sort((a, b) => gapOf(b) - gapOf(a)).slice(0, mostFound)
}

/** Attacks on one training run while the next is made: as many are to come with each as came with those before. */
function shareOf({ training, round, attacks }: JobState): number {
  const { number, total } = training
  if (total === 0) return attacks.total === 0 ? 0 : attacks.done / attacks.total
  const inThis = round === null ? 0 : round.round / round.rounds
  const trained = Math.min(1, (Math.max(1, number) - 1 + inThis) / total)
  const expected = (attacks.total * total) / Math.max(1, number)
  return expected === 0 ? trained / 2 : (trained + attacks.done / Math.max(1, expected)) / 2
}
