/** The folder of runs as the page sees it: names that lead nowhere else, summaries, and single runs with their words. */
import { existsSync, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import type { JobState, QuestionPage, RunDetail, RunSummary, ShownQuestion, TrainedModel } from '../../api/answers.js'
import { placeName, questionsRequest } from '../../api/requests.js'
import type { AuditDocument } from '../../audit/document.js'
import { byHarm, toldOf } from '../../audit/ladder/leak-sentences.js'
import type { Question } from '../../audit/ladder/question.js'
import { severalModels, subjectOf } from '../../audit/ladder/question-words.js'
import { OverhearError } from '../../errors.js'
import { madeOf, readAudit } from '../files/audit-file.js'

/** Where uploads lie in the folder of runs. */
export const uploadsFolder = 'uploads'
/** What an audit of the page was started with: the scenario, and the arguments of the command. */
export const scenarioFile = 'scenario.yaml'
export const startFile = 'started.json'

const mostText = 1_000_000
const largeBytes = 10_000_000

export interface RunList {
  /** The folder of all of them. */
  readonly root: string
  list(): RunSummary[]
  summary(id: string): RunSummary
  detail(id: string): RunDetail
  questions(id: string, asked: z.output<typeof questionsRequest>): QuestionPage
  audit(id: string): AuditDocument
  /** The folder of a run that is there. */
  folder(id: string): string
  /** The folder of one that is to be made. */
  place(id: string): string
}

type Said = Omit<RunDetail, 'summary' | 'yaml' | 'questions'> & {
  /** The worst first; those that were not tested. */
  readonly tested: readonly ShownQuestion[]
  readonly untested: readonly ShownQuestion[]
}
type Kept = Omit<RunSummary, 'job' | 'changed'>

/** `jobOf` says what is at work. */
export function runList(root: string, jobOf: (id: string) => JobState | null): RunList {
  /** By the name of a run what its document says, for as long as that file is the same. */
  const kept = new Map<string, { readonly stamp: string; readonly summary: Kept }>()

  /** The run that was looked at last, and what it says: a large document takes seconds. */
  let last: { readonly stamp: string; readonly audit: AuditDocument; said?: Said } | null = null

  const place = (id: string): string => {
    if (!placeName.test(id) || id === uploadsFolder) {
      throw new OverhearError('E_UNKNOWN_NAME', `${JSON.stringify(id)} is no name of a run`)
    }
    return join(root, id)
  }
  const aboutFolder = (id: string): Stats | undefined => {
    // Not by a link: it could lead out.
    const about = lstatSync(place(id), { throwIfNoEntry: false })
    return about?.isDirectory() && isRun(join(root, id)) ? about : undefined
  }
  const folder = (id: string): string => {
    if (aboutFolder(id) === undefined)
      throw new OverhearError('E_UNKNOWN_NAME', `there is no run ${JSON.stringify(id)}`)
    return place(id)
  }
  const summary = (id: string): RunSummary => {
    const path = folder(id)
    const [about, file] = [aboutFolder(id)!, lstatSync(join(path, 'audit.json'), { throwIfNoEntry: false })]
    const job = jobOf(id)
    const changed = Math.max(about.mtimeMs, file?.mtimeMs ?? 0)
    if (file === undefined) return { ...unfinished(id, path), changed, job }
    const stamp = stampOf(file)
    const known = kept.get(id)
    if (known?.stamp === stamp) return { ...known.summary, changed, job }
    // One that takes seconds is probably looked at next.
    const read = finished(id, path, () => (file.size > largeBytes ? latest(id).audit : readAudit(path)))
    kept.set(id, { stamp, summary: read })
    return { ...read, changed, job }
  }
  const latest = (id: string): NonNullable<typeof last> => {
    const path = folder(id)
    const file = lstatSync(join(path, 'audit.json'), { throwIfNoEntry: false })
    const stamp = `${id} ${file === undefined ? '' : stampOf(file)}`
    if (last?.stamp !== stamp) {
      last = null
      last = { stamp, audit: readAudit(path) }
    }
    return last
  }
  const saidOf = (id: string): Said => {
    const one = latest(id)
    one.said ??= saidBy(id, one.audit)
    return one.said
  }
  return {
    root,
    place,
    folder,
    summary,
    list: () =>
      (existsSync(root) ? readdirSync(root) : [])
        .filter((id) => placeName.test(id) && id !== uploadsFolder && aboutFolder(id) !== undefined)
        .map(summary)
        .sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1)),
    audit: (id) => latest(id).audit,
    questions: (id, asked) => pageOf(saidOf(id), asked),
    detail(id) {
      const path = folder(id)
      const yaml = textOf(join(path, scenarioFile))
      if (!existsSync(join(path, 'audit.json'))) {
        const none = { verdict: null, sentences: 0, questions: { from: 0, total: 0, questions: [] }, notTested: 0 }
        return { ...none, summary: summary(id), utility: [], versions: {}, yaml }
      }
      const { tested: _, untested: __, ...said } = saidOf(id)
      const questions = pageOf(saidOf(id), questionsRequest.parse({}))
      return { ...said, questions, summary: summary(id), yaml }
    },
  }
}

const stampOf = ({ size, mtimeMs, ino }: Stats): string => `${size} ${mtimeMs} ${ino}`

/** Sentences and reasons that a screen shows at once; the report has them all. */
const mostSentences = 100

const saidBy = (id: string, audit: AuditDocument): Said =>
  madeOf(id, () => ({
    verdict: {
      ...audit.verdict,
      sentences: audit.verdict.sentences.slice(0, mostSentences),
      // They are told question by question.
      untested: [],
      doubts: audit.verdict.doubts.slice(0, mostSentences),
    },
    sentences: audit.verdict.sentences.length,
    ...shownQuestions(audit),
    utility: Object.entries(audit.utility).map(([model, one]) => trainedOf(model, one)),
    versions: { ...audit.versions },
  }))

const isRun = (path: string): boolean =>
  ['audit.json', 'run.json', startFile].some((name) => existsSync(join(path, name)))

function textOf(path: string): string | null {
  const about = lstatSync(path, { throwIfNoEntry: false })
  return about?.isFile() && about.size <= mostText ? readFileSync(path, 'utf8') : null
}

const trainedOf = (model: string, one: AuditDocument['utility'][string]): TrainedModel => {
  const { trainLoss, heldOutLoss, metric, value } = one
  return { model, trainLoss, heldOutLoss, metric, value }
}

/** The name of a run's folder without what makes it the only one. */
const nameOf = (id: string): string => id.replace(/-(?:[0-9a-f]{12}|\d{8}-\d{6}-[0-9a-f]{4})$/, '')

function unfinished(id: string, path: string): Kept {
  return {
    id,
    name: nameOf(id),
    level: null,
    complete: false,
    tested: 0,
    notTested: 0,
    sentence: null,
    resumable: existsSync(join(path, startFile)),
  }
}

/** One that cannot be read is in the list, with the reason. */
function finished(id: string, path: string, read: () => AuditDocument): Kept {
  try {
    const { verdict, complete, scenario } = read()
    const { level, tested, notTested, sentences } = verdict
    const resumable = complete !== true && existsSync(join(path, startFile))
    const name = typeof scenario?.name === 'string' ? scenario.name : nameOf(id)
    const sentence = typeof sentences?.[0] === 'string' ? sentences[0] : null
    return { id, name, level, complete: complete === true, tested, notTested, sentence, resumable }
  } catch (error) {
    if (!(error instanceof OverhearError)) throw error
    return { ...unfinished(id, path), sentence: error.message }
  }
}

/** The questions that were tested, the worst first, and those that were not. */
function shownQuestions({ questions }: AuditDocument): Pick<Said, 'tested' | 'untested' | 'notTested'> {
  const models = severalModels(questions)
  const told = toldOf(questions).sort((a, b) => byHarm(a.question, b.question))
  const rest = questions.filter(({ level, sameAs }) => level === 'not-tested' && sameAs === undefined)
  const shown = ({ question, alsoTo }: { question: Question; alsoTo: readonly string[] }): ShownQuestion => {
    const { observer, target, model, kind, name, level, ladder, test, notTested } = question
    const own = { observer, target, model, kind, name, level, ladder, test, notTested }
    return { ...own, about: subjectOf(question, models), alsoTo: [...alsoTo] }
  }
  const untested = rest.map((question) => shown({ question, alsoTo: [] }))
  return { tested: told.map(shown), untested, notTested: untested.length }
}

function pageOf(said: Said, { from, count, tested, find }: z.output<typeof questionsRequest>): QuestionPage {
  const all = tested === 'yes' ? said.tested : said.untested
  const wanted = find.toLowerCase()
  const found =
    find === ''
      ? all
      : all.filter(({ about, observer, notTested }) =>
          `${about} ${observer} ${notTested}`.toLowerCase().includes(wanted),
        )
  return { from, total: found.length, questions: found.slice(from, from + count) }
}
