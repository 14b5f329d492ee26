/** Which questions one recording decides, which it could decide, which lack something, and which no single one ever decides. */
import type { AttackResult } from '../attack-result.js'
import { figure } from '../figures.js'
import { isAlarm, type Question } from '../ladder/question.js'
import { wordText } from '../ladder/question-words.js'

/** Questions of the same kind, about one client or several. */
export interface QuestionGroup {
  /** What is asked: the attribute, the property, the kind. */
  readonly what: string
  /** About whom; none: about all clients together. */
  readonly clients: readonly string[]
  /** What came of them, or why nothing did. */
  readonly why: string
}

export interface DecidedQuestions {
  /** The test gave a word: something leaks, or the step is smaller than the margin. */
  readonly decided: readonly QuestionGroup[]
  /** Tested, and too little was seen either way: another recording of more records could decide them. */
  readonly open: readonly QuestionGroup[]
  /** Not tested, for want of something. */
  readonly lacking: readonly QuestionGroup[]
  /** What no single recording of this federation decides, however it is audited. */
  readonly never: readonly string[]
}

export interface RecordedWorld {
  readonly heard: 'updates' | 'sums' | 'models'
  /** Whether clients were sent models of their own. */
  readonly tampered: boolean
  /** Of the clients that were asked about, those none of whose records were held back; null where there is no truth at all. */
  readonly noneHeldBack: readonly string[] | null
}

export function decidedQuestions(
  questions: readonly Question[],
  results: readonly AttackResult[],
  world: RecordedWorld,
): DecidedQuestions {
  const own = questions.filter(({ sameAs }) => sameAs === undefined)
  const tested = own.filter(({ level }) => level !== 'not-tested')
  return {
    decided: grouped(
      tested.filter(({ level }) => level !== 'inconclusive'),
      ({ level }) => wordText[level],
    ),
    open: grouped(
      tested.filter(({ level }) => level === 'inconclusive'),
      () => '',
    ).map((group) => ({ ...group, why: leastSeenOf(group, tested) })),
    lacking: grouped(
      own.filter((one) => one.level === 'not-tested' && !answeredElsewhere(one, tested)),
      ({ notTested }) => notTested ?? '',
    ),
    never: never(own, results, world),
  }
}

/** Whether another observer's question of the same name got an answer: then it is no lack of the recording. */
const answeredElsewhere = (one: Question, tested: readonly Question[]): boolean =>
  tested.some(({ kind, name, target }) => kind === one.kind && name === one.name && target === one.target)

const whatOf = ({ kind, name }: Question): string => name ?? kind

/** Questions that differ in the client alone, and have the same to tell, told once. */
function grouped(questions: readonly Question[], whyOf: (one: Question) => string): QuestionGroup[] {
  const found = new Map<string, { what: string; clients: Set<string>; why: string; alarm: boolean }>()
  for (const one of questions) {
    const why = whyOf(one)
    const key = JSON.stringify([whatOf(one), why])
    const group = found.get(key) ?? { what: whatOf(one), clients: new Set(), why, alarm: isAlarm(one.level) }
    if (one.target !== null) group.clients.add(one.target)
    found.set(key, group)
  }
  const all = [...found.values()].sort((a, b) => Number(b.alarm) - Number(a.alarm))
  return all.map(({ what, clients, why }) => ({ what, clients: [...clients], why }))
}

/** What would have been seen of them: from the client with the finest test to the one with the coarsest. */
function leastSeenOf({ what, clients }: QuestionGroup, tested: readonly Question[]): string {
  const own = tested.filter((one) => one.level === 'inconclusive' && whatOf(one) === what)
  const least = own.flatMap(({ target, test }) =>
    target !== null && !clients.includes(target) ? [] : [(test.record ?? test.client)?.leastSeen ?? []].flat(),
  )
  if (least.length === 0) return 'no step would have been seen, however large'
  const [low, high] = [Math.min(...least), Math.max(...least)].map(figure)
  const metric = own[0]!.ladder.metric
  return `a step of ${low === high ? low : `${low} to ${high}`} ${metric} would have been seen`
}

function never(questions: readonly Question[], results: readonly AttackResult[], world: RecordedWorld): string[] {
  const { heard, tampered, noneHeldBack } = world
  const said: string[] = []
  if (noneHeldBack !== null && noneHeldBack.length > 0) {
    said.push(
      `what leaks because these very records were trained on, of ${clientWords(noneHeldBack)}: none of their records ` +
        'were kept out of the training at random, and it is over',
    )
  }
  if (heard === 'sums') said.push('what the messages of a single client give away: sums alone were heard')
  if (heard === 'models')
    said.push('what the messages of clients give away: only the models that all are sent were heard')
  if (heard === 'updates') said.push(...new Set(questions.flatMap(({ gaps }) => gaps)))
  const sending = results
    .filter(({ missing, oracle }) => !oracle && missing?.includes('channel'))
    .map(({ attack }) => attack)
  if (!tampered && sending.length > 0) {
    said.push(
      `what a server learns that sends models of its own making (${[...new Set(sending)].join(', ')}): everybody was sent the same`,
    )
  }
  if (questions.some(({ kind, level }) => kind === 'contribution' && level === 'not-tested'))
    said.push('what each client is worth to the model: that takes trainings without it')
  return [
    ...said,
    'what other trainings of this setting would leak: a recording is one of them, and a simulation tells of the rest',
  ]
}

export const clientWords = (ids: readonly string[]): string =>
  ids.length <= 3
    ? `client${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`
    : `clients ${ids.slice(0, 2).join(', ')} and ${ids.length - 2} more`
