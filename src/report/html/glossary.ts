/** What the words of a report mean, one click behind each of them and together at its end. */
import { escaped } from '../escape.js'

const terms = {
  ladder:
    'What is learned, and from where: the same attacks are asked in several places, and each rung is the best score there.',
  guess: 'The rung of somebody who heard nothing, and knows public columns and auxiliary data.',
  federation: 'The rung of a federation that trained without the client: what the common model tells of anybody.',
  client: "The rung of the client's messages, asked about records of it that were kept out of the training.",
  record: "The rung of the client's messages, asked about records that were trained on.",
  everybody: 'The rung of what every participant hears, asked about records that were trained on.',
  step: 'The way from one rung to the next. The record step is what is told of people because their records were trained on; the client step is what the messages tell of the client’s people in general.',
  interval:
    'Where the size of a step lies in 95 of 100 such audits, from the trainings. Of one training alone it speaks of that training.',
  p: 'How often so much is seen where nothing leaks, by relabelling which records were trained on; corrected for all questions of the audit, so that at most 5 % of audits raise a false alarm.',
  'would have seen': 'The least step that this audit would have found in four cases of five.',
  AUC: 'Of one who has the value and one who has not, how often the attack ranks the right one first: 0.5 is a coin, 1 is always.',
  MAE: 'The mean distance between claimed and true numbers: less is worse for the people.',
  loss: 'How badly a model predicts: less is better for whoever has the model.',
  accuracy: 'The share of claims that are right.',
  F1: 'How well a list of the accused is both right and complete: 1 is exactly those whom it is true of.',
  R2: 'The share of the differences between values that is explained: 0 is the mean for everybody, 1 is every value.',
  cAcc: 'The share of the classes in a batch that are claimed to be there.',
  iAcc: 'The share of the labels of a batch that are claimed rightly, each as often as it occurs.',
  'normalised error':
    'How far rebuilt records are from the true ones, over the size of these: 0 is the records themselves.',
  chance: 'What the best guesser without the messages reaches on the same truth.',
  lift: 'How far the attack came from chance to knowing everything.',
  'TPR at 1 % FPR': 'The share of members that is found where 1 in 100 of the others is accused wrongly.',
  'not tested': 'Nothing can be said, for the reason that is given. It is no pass.',
  'known anyway': 'A federation without the client tells it as well: it is no leak of this client.',
  epsilon:
    'A proven bound on what any attack, known or not, can learn of one record (or client). Claimed: what the settings say. Accounted: what the noise really gives. Empirical: what attacks show at least.',
  cells:
    'The attack’s own score on the rungs: f of a federation without the client, e of what everybody hears, c of the client’s records that were not trained on, r of those that were.',
  'record step':
    'What is told of people because their records were trained on: from the client’s rung to that of its records.',
  'client step':
    'What the messages tell of the client’s people in general: from the federation’s rung to the client’s.',
  planted:
    'A control: a leak is planted in trainings of the same size. An attack that does not find it is called broken here, and its silence counts for nothing.',
  'given away':
    'Records of the first training about which an attack is so sure that at most 5 % of the list are expected to be wrong; of clients, those that are accused.',
  'condition number':
    'How much errors of the messages grow in what is computed from them: 10 to the 6 costs about six digits.',
  'L-curve':
    'How far a solution is from the messages against how large it is, as regularisation grows. In its bend neither is bought dearly.',
  'Pareto front':
    'Of all changes that were tried, those that no other one beats in both: what still leaks, and what the model is still worth.',
  heard: 'The rung of a property of clients: what is told of them from all that the observer hears.',
  membership: 'A property of clients: whether a given record is among those that they train on.',
  inversion: 'A property of clients: they train as told, and return the opposite of their update.',
  ascent: 'A property of clients: they make the loss grow, by updates short enough not to be noticed.',
  'free-rider': 'A property of clients: they train nothing, and return something made up.',
  mislabelled: 'A property of clients: labels of their records are wrong.',
  scaled: 'A property of clients: they multiply a part of their update.',
  overlap: 'The share that two distributions have in common: 0 tells them apart always, 1 never.',
} as const

export type Term = keyof typeof terms

const idOf = (term: Term): string => `g-${term.replace(/\W+/g, '-')}`

/** The words, with their meaning behind them. */
export const term = (name: Term, words: string = name): string =>
  `<button type="button" class="term" popovertarget="${idOf(name)}">${escaped(words)}</button>`

/** A word with its meaning, where there is one. */
export const knownTerm = (word: string): string => (Object.hasOwn(terms, word) ? term(word as Term) : escaped(word))

/** What a word means, where it is one of these. */
export const meaningOf = (word: string): string | null => (Object.hasOwn(terms, word) ? terms[word as Term] : null)

/** What opens behind a word. */
export const popovers = (): string =>
  Object.entries(terms)
    .map(([name, text]) => `<div popover id="${idOf(name as Term)}"><b>${escaped(name)}</b><br>${escaped(text)}</div>`)
    .join('')

/** The words of the first sheets, for paper. */
const onPaper: readonly Term[] = ['ladder', 'guess', 'federation', 'client', 'record', 'everybody', 'step', 'interval', 'p', 'would have seen', 'AUC', 'MAE', 'known anyway', 'given away', 'epsilon', 'planted'] // biome-ignore format: a line

export const glossaryOnPaper = (): string =>
  `<dl class="words">${onPaper.map((name) => `<div><dt>${escaped(name)}</dt><dd>${escaped(terms[name])}</dd></div>`).join('')}</dl>`

export const glossary = (): string =>
  `<details class="part" id="glossary"><summary><b>What the words mean</b></summary><dl>${Object.entries(terms)
    .map(([name, text]) => `<dt><b>${escaped(name)}</b></dt><dd>${escaped(text)}</dd>`)
    .join('')}</dl></details>`
