/** A question in plain words: what is asked about whom, who can hear the answer, and how large a step is. */
import type { ClaimKind } from '../../attacks/claim.js'
import { observerCalled } from '../../threat/observers.js'
import { figure } from '../figures.js'
import type { Question, StepTest, Word } from './question.js'

/** The words as people read them. */
export const wordText: Readonly<Record<Word, string>> = {
  'leaks-records': 'leaks records',
  'leaks-client': 'leaks the client',
  inconclusive: 'inconclusive',
  'known-anyway': 'known anyway',
  'none-found': 'no leak found',
  'not-tested': 'not tested',
}

type Asked = Pick<Question, 'kind' | 'name' | 'target' | 'model'>

const learned: Readonly<Record<ClaimKind, (client: string, name: string) => string>> = {
  attribute: (client, name) => `learns "${name}" of the people of ${client}`,
  members: (client) => `learns who was in the training of ${client}`,
  model: (client) => `learns the model that ${client} would train alone`,
  label: (client) => `learns the label of a record of ${client}`,
  labels: (client) => `learns the labels of the records of ${client}`,
  'label-mean': (client) => `learns the mean label of a batch of ${client}`,
  'label-counts': (client) => `learns how often each label is in a batch of ${client}`,
  'metaclass-means': (client) => `learns the mean label of each group in a batch of ${client}`,
  'metaclass-counts': (client) => `learns how many records of each group are in a batch of ${client}`,
  records: (client) => `rebuilds records of ${client}`,
  property: (_, name) => `learns which clients have the property "${name}"`,
  contribution: () => 'learns how much each client contributes',
  participation: () => 'learns which clients took part in which round',
  protocol: (client) => `learns how ${client} trains`,
}

const isOurs = (kind: string): kind is ClaimKind => Object.hasOwn(learned, kind)

const clientOf = ({ target }: Asked): string => (target === null ? 'the clients' : `client ${target}`)

/** What whoever hears it does: `learns who was in the training of client 0`. */
export function learnedWords(question: Asked): string {
  const { kind, name } = question
  if (isOurs(kind)) return learned[kind](clientOf(question), name ?? kind)
  return `learns ${kind}${name === null ? '' : ` "${name}"`} of ${clientOf(question)}`
}

/** A short name: "union of client 0", with the model where there are several. */
export function subjectOf(question: Asked, models = false): string {
  const { kind, name, target, model } = question
  const whom = target !== null ? ` of client ${target}` : kind === 'property' ? ' of clients' : ''
  return `${name ?? kind}${whom}${models && model !== null ? ` (${model})` : ''}`
}

/** Whether names must say which model is meant. */
export const severalModels = (questions: readonly Asked[]): boolean =>
  new Set(questions.map(({ model }) => model)).size > 1

/** Who learns it: an observer without its explanations, and whose line it is. */
export function listenerOf({ observer, target }: Pick<Question, 'observer' | 'target'>): string {
  const { line, title } = observerCalled(observer)
  if (line === 'one' && target !== null) return `somebody on the line of client ${target}`
  return title.split(':')[0]!
}

/** "+0.080", "-0.020". */
export const signed = (x: number): string => `${x < 0 ? '' : '+'}${figure(x)}`

/** What may be said of a number of which an end may be unknown: "between 0.050 and 0.110"; '' of no interval. */
function rangeWords(interval: StepTest['interval']): string {
  if (interval === null) return ''
  const [low, high] = interval.map((x) => (Number.isFinite(x) ? signed(x) : null))
  if (low === null && high === null) return 'anything'
  if (low === null) return `at most ${high}`
  return high === null ? `at least ${low}` : `between ${low} and ${high}`
}

/** The size of a step with its interval and what would have been seen. */
export function stepWords({ effect, interval, leastSeen, repeats }: StepTest): string {
  const around = [
    rangeWords(interval),
    repeats === 1 ? 'in this training' : '',
    leastSeen === null ? '' : `${figure(leastSeen)} would have been seen`,
  ].filter((words) => words !== '')
  return `${signed(effect)}${around.length === 0 ? '' : ` (${around.join('; ')})`}`
}

/** How rarely so much would be seen where nothing leaks, over all questions of an audit. */
export const luckWords = ({ adjusted }: StepTest): string =>
  `without a leak so much is seen in ${figure(100 * adjusted)} % of audits`
