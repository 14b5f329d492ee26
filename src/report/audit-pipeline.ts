/** An audit for pipelines: SARIF 2.1.0 and JUnit, one result for each question, without people: words, figures and counts alone. */
import { brokenText } from '../audit/account/privacy-words.js'
import { boundsText } from '../audit/account/spent-words.js'
import type { AuditDocument } from '../audit/document.js'
import { figure } from '../audit/figures.js'
import { alarmStep } from '../audit/ladder/leak-sentences.js'
import { isAlarm, type Question, type Word } from '../audit/ladder/question.js'
import {
  learnedWords,
  listenerOf,
  severalModels,
  stepWords,
  subjectOf,
  wordText,
} from '../audit/ladder/question-words.js'
import { escaped } from './escape.js'
import { junitFile, sarifFile, sarifPlace } from './pipeline-files.js'

/** What each kind of question is called as a rule. */
const kindsOf = (questions: readonly Question[]): string[] => [...new Set(questions.map(({ kind }) => kind))].sort()

/** What is said of one question: never an id, a value or a picture of anybody. */
function messageOf(question: Question): string {
  const { level, ladder, exposed, notTested, kind } = question
  const head = `${wordText[level]}: ${listenerOf(question)} ${learnedWords(question)}`
  if (level === 'not-tested') return `${wordText[level]}: ${subjectOf(question)}, ${notTested ?? 'no reason was given'}`
  const rungs = (['guess', 'federation', 'client', 'record'] as const).flatMap((rung) =>
    ladder[rung] === null ? [] : [`${rung} ${figure(ladder[rung])}`],
  )
  const step = alarmStep(question)
  const what = kind === 'property' || kind === 'contribution' ? 'clients' : 'records'
  return [
    isAlarm(level) ? head : `${wordText[level]}: ${subjectOf(question)}`,
    `${ladder.metric} ${rungs.join(', ')}`,
    ...(step === null ? [] : [`step ${stepWords(step)}, p ${figure(step.adjusted)}`]),
    ...(exposed === null || exposed.ids.length === 0
      ? []
      : [`given away: ${exposed.ids.length} of ${exposed.of} ${what}`]),
  ].join('; ')
}

/** Copies of a weaker observer's question say nothing more. */
const ownOf = ({ questions }: AuditDocument): Question[] => questions.filter(({ sameAs }) => sameAs === undefined)

/** Alarms fail. What is open or was not tested is no pass, and is seen as such; the rest passed. */
function standing(level: Word): { readonly kind: string; readonly level: string } {
  if (isAlarm(level)) return { kind: 'fail', level: 'error' }
  if (level === 'inconclusive') return { kind: 'fail', level: 'warning' }
  return level === 'not-tested' ? { kind: 'fail', level: 'note' } : { kind: 'pass', level: 'none' }
}

export interface PipelineOptions {
  /** The scenario or the manifest that was audited, relative to where the results are looked at, with slashes. */
  readonly file: string
}

export function auditSarif(audit: AuditDocument, { file }: PipelineOptions): object {
  const questions = ownOf(audit)
  const kinds = kindsOf(questions)
  const uri = encodeURI(file)
  const rules = [
    ...kinds.map((kind) => ({
      id: `leak/${kind}`,
      shortDescription: { text: `What is learned of ${kind} from the messages of a federation` },
      properties: { 'security-severity': '8.0', tags: ['security', 'privacy'] },
    })),
    ...(audit.privacy === undefined ? [] : [promiseRule]),
  ]
  const results = questions.map((question) => ({
    ruleId: `leak/${question.kind}`,
    ruleIndex: kinds.indexOf(question.kind),
    ...standing(question.level),
    message: { text: messageOf(question) },
    locations: [sarifPlace(uri, 1)],
    // No figure is part of it: it stays the same while the leak does.
    partialFingerprints: {
      'overhearQuestion/v1': [question.observer, question.kind, question.name, question.target, question.model, uri].join(':'),
    },
  })) // biome-ignore format: a table
  const kept = promiseOf(audit).map(({ broken, text }) => ({
    ruleId: promiseRule.id,
    ruleIndex: kinds.length,
    ...(broken ? { kind: 'fail', level: 'error' } : { kind: 'pass', level: 'none' }),
    message: { text },
    locations: [sarifPlace(uri, 1)],
    partialFingerprints: { 'overhearQuestion/v1': `${promiseRule.id}:${uri}` },
  }))
  return sarifFile({
    name: 'overhear audit',
    version: audit.versions.overhear,
    rules,
    results: [...kept, ...results],
  })
}

const promiseRule = {
  id: 'privacy/broken-promise',
  shortDescription: { text: 'Differential privacy that does not do what it says' },
  properties: { 'security-severity': '9.0', tags: ['security', 'privacy'] },
}

/** What became of the promise, where there is one: it comes before all questions. */
function promiseOf({ privacy }: AuditDocument): { readonly broken: boolean; readonly text: string }[] {
  if (privacy === undefined) return []
  const broken = brokenText(privacy)
  const { empirical, accounted } = privacy
  const known = [
    accounted === null ? 'no epsilon is accounted for' : `epsilon ${boundsText(accounted)} is accounted for`,
    empirical === undefined ? 'none was measured' : `canaries show at least ${figure(empirical.epsilon)}`,
  ]
  return [{ broken: broken !== null, text: broken ?? `no broken promise was seen: ${known.join(', ')}` }]
}

/** One test case for each question: alarms fail, what was not tested or is open counts as skipped. */
export function auditJunit(audit: AuditDocument, { file }: PipelineOptions): string {
  const questions = ownOf(audit)
  const models = severalModels(questions)
  const open = (level: Word): boolean => level === 'inconclusive' || level === 'not-tested'
  const cases = questions.map((question) => {
    const { level, observer } = question
    const message = escaped(messageOf(question))
    const inside = isAlarm(level)
      ? `<failure type="${escaped(level)}" message="${message}"/>`
      : open(level)
        ? `<skipped message="${message}"/>`
        : ''
    return { name: `${subjectOf(question, models)}, ${observer}`, inside }
  })
  const promise = promiseOf(audit).map(({ broken, text }) => ({
    name: 'differential privacy, its promise',
    inside: broken ? `<failure type="broken-promise" message="${escaped(text)}"/>` : '',
  }))
  const failures =
    questions.filter(({ level }) => isAlarm(level)).length + promise.filter(({ inside }) => inside !== '').length
  return junitFile({
    name: 'audit',
    file,
    cases: [...promise, ...cases],
    failures,
    skipped: questions.filter(({ level }) => open(level)).length,
  })
}
