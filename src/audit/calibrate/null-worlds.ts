/** Kinds of worlds in which nothing can be found, made of a scenario: what is changed, and for which questions it is empty. */
import type { EmptyWorld } from '../../scenario/plants/empty-kinds.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { isAlarm, type Question } from '../ladder/question.js'

/** One kind. */
export interface NullWorld {
  readonly id: string
  readonly words: string
  /** How the simulation is emptied, where a setting could not say it. */
  readonly empty?: EmptyWorld
  /** The scenario; undefined where this kind makes no sense for it. */
  of(scenario: Scenario): Scenario | undefined
  /** Whether there is nothing to find of this question: said before anything runs. */
  isNull(question: Pick<Question, 'kind' | 'target'>): boolean
  /** Which words are false alarms there; any alarm unless told. */
  readonly only?: Question['level']
}

const aboutTarget = ({ target }: Pick<Question, 'target'>): boolean => target !== null
const asItIs = (scenario: Scenario): Scenario => scenario

/** Noise that leaves nothing of a client's change, and moves the model little. */
const drowned = { name: 'local-dp', params: { maxNorm: 0.001, noiseMultiplier: 100 } }

export const nullWorlds: readonly NullWorld[] = [
  // Other clients' lines are honest, so that a step about all clients may be a true one.
  {
    id: 'noise',
    words: 'the target sends noise',
    empty: 'noise',
    of: asItIs,
    isNull: aboutTarget,
    only: 'leaks-records',
  },
  {
    id: 'others',
    words: "the target trains on another client's records under its name",
    empty: 'others',
    of: asItIs,
    isNull: aboutTarget,
    only: 'leaks-records',
  },
  {
    id: 'nowhere',
    words: 'the people who are known of were nowhere in the training',
    empty: 'nowhere',
    of: asItIs,
    isNull: aboutTarget,
    only: 'leaks-records',
  },
  {
    id: 'redrawn',
    words: 'the sensitive attribute is dealt anew after the training',
    empty: 'redrawn',
    of: (scenario) => (scenario.knowledge.sensitive.length > 0 ? scenario : undefined),
    isNull: ({ kind }) => kind === 'attribute',
  },
  {
    id: 'nobody',
    words: 'nobody misbehaves',
    of: ({ training, ...scenario }) =>
      scenario.knowledge.property === null || scenario.knowledge.property === 'membership'
        ? undefined
        : { ...scenario, training: { ...training, misbehaving: {} } },
    isNull: ({ kind }) => kind === 'property',
  },
  {
    id: 'drowned',
    words: 'differential privacy with noise that leaves nothing',
    of: ({ defences, ...scenario }) => ({ ...scenario, defences: [drowned, ...defences] }),
    isNull: () => true,
  },
]

/** The questions with a false alarm, of those for which the world is empty. */
export function falseAlarms(questions: readonly Question[], { isNull, only }: NullWorld): readonly Question[] {
  return questions
    .filter(({ sameAs }) => sameAs === undefined)
    .filter((one) => isNull(one) && isAlarm(one.level) && (only === undefined || one.level === only))
}
