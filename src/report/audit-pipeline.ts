/** An audit for pipelines: SARIF 2.1.0 and JUnit, one result for each question, without people: words, figures and counts alone. */
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

/** What each kind of question is called as a rule. */
const rulesOf = (questions: readonly Question[]): string[] => [...new Set(questions.map(({ kind }) => kind))].sort()

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
  const rules = rulesOf(questions)
  const uri = encodeURI(file)
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'overhear audit',
            semanticVersion: audit.versions.overhear,
            rules: rules.map((kind) => ({
              id: `leak/${kind}`,
              shortDescription: { text: `What is learned of ${kind} from the messages of a federation` },
              properties: { 'security-severity': '8.0', tags: ['security', 'privacy'] },
            })),
          },
        },
        results: questions.map((question) => ({
          ruleId: `leak/${question.kind}`,
          ruleIndex: rules.indexOf(question.kind),
          ...standing(question.level),
          message: { text: messageOf(question) },
          locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } } }],
          // No figure is part of it: it stays the same while the leak does.
          partialFingerprints: {
            'overhearQuestion/v1': [
              question.observer,
              question.kind,
              question.name,
              question.target,
              question.model,
              uri,
            ].join(':'),
          },
        })),
      },
    ],
  }
}

/** One test case for each question: alarms fail, what was not tested or is open counts as skipped. */
export function auditJunit(audit: AuditDocument, { file }: PipelineOptions): string {
  const questions = ownOf(audit)
  const models = severalModels(questions)
  const failed = questions.filter(({ level }) => isAlarm(level)).length
  const open = (level: Word): boolean => level === 'inconclusive' || level === 'not-tested'
  const counts = `tests="${questions.length}" failures="${failed}" skipped="${questions.filter(({ level }) => open(level)).length}"`
  const cases = questions.map((question) => {
    const { level, observer } = question
    const name = escaped(`${subjectOf(question, models)}, ${observer}`)
    const head = `    <testcase classname="overhear.audit" name="${name}" file="${escaped(file)}"`
    const message = escaped(messageOf(question))
    if (isAlarm(level)) return `${head}><failure type="${level}" message="${message}"/></testcase>`
    return open(level) ? `${head}><skipped message="${message}"/></testcase>` : `${head}/>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="overhear audit" ${counts}>`,
    `  <testsuite name="${escaped(file)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
