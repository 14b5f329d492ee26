// The rooms of src/, one line each, and the map of every file that is made from their headers.
import { isTest } from './sources.mjs'

/** @typedef {import('./sources.mjs').Sources} Sources */

/** Every folder of src/ in the order in which data goes through them. @type {Readonly<Record<string, string>>} */
export const rooms = {
  numeric: 'numbers, in five rooms that know nothing of learning',
  'numeric/engine': 'a model traced once, differentiated, laid out in memory, run as a list of WebAssembly kernels',
  'numeric/linalg': 'matrices, factorisations, least squares of every kind, in doubles',
  'numeric/special': 'exp and kin with the same bits everywhere, distributions, sums that know their error',
  'numeric/optimise': 'minimisers, clustering, assignment, tuning studies',
  'numeric/random': 'randomness with an address',
  settings: 'everything that a scenario can say, each declared once',
  models: 'a model is a traced loss over a flat theta; training on data in kernel memory',
  'models/optimizers': 'how a step follows from a gradient, one file each',
  'models/schedules': 'what the learning rate is multiplied by in a round, one file each',
  'models/compressions': 'how a client shortens the change that it sends, one file each',
  data: 'datasets, one file each; tables, encoders and the way back to words',
  accounting: 'epsilon spent, promised or measured: bounds by Rényi divergences and privacy losses, noise for a target',
  partition: 'ways of dealing rows to clients, one file each',
  federation: 'the rounds: who takes part, what crosses the wire, what becomes of the model',
  'federation/local-rules': 'what a client does in its turn, one file each',
  'federation/sampling': 'who is asked to take part in a round, one file each',
  'federation/misbehaviour': 'what a client returns that does not play fair, one file each',
  defences: 'what protects clients: hooks on a step, a turn, an exchange, the sum',
  'defences/secure-aggregation': 'clients and a server who exchange masked bytes and learn a sum',
  'defences/checked-aggregation':
    'the same against a server that may do what it likes: clients check, sign and refuse, and faults cost a place',
  'defences/openings':
    'what a malicious server gets out of a secure sum: lists that open too small a one, and whether any do',
  scenario: 'what describes a world, and makes it: the last room that writes',
  'scenario/plants': 'leaks planted in a scenario by its own federation: secrets of the targets drawn anew',
  transcript: 'the waist: the file format, read and written',
  'transcript/imports':
    "arrays of other people's files (numpy, safetensors, PyTorch), and which of them is which message",
  threat: 'who stands where, and what each is granted: from a recording to a view',
  attacks: 'what an attack and a claim are, and the table of attacks; a folder for each family',
  'attacks/shared': "what several families use: the target's turns, its model, its update, controls over them",
  'attacks/local-model': 'the model that a client would train alone',
  'attacks/local-model/active': 'the same by a server that sends what it likes',
  'attacks/attributes': "a sensitive attribute of a client's records",
  'attacks/attributes/gradient': 'by values whose gradients point where the updates went',
  'attacks/attributes/linear': 'by least squares over per-record gradients',
  'attacks/attributes/linear/played':
    'turns played over with guessed records: how they stray and scatter, whether they end as the client did',
  'attacks/labels': 'the labels of records that are known otherwise',
  'attacks/labels/classification': 'which classes a batch holds, and how often',
  'attacks/labels/regression': 'the label, the mean label or the metaclasses of a batch',
  'attacks/labels/regression/rehearsal': 'a turn of several steps done again on auxiliary inputs',
  'attacks/records': 'whole records',
  'attacks/members': 'who was in the training',
  'attacks/protocol': 'how clients train, beside what is stated of it',
  'attacks/properties': 'which clients have a property, from sums alone',
  'attacks/properties/detector': "a round's detector, and the sums of its features",
  'attacks/properties/participation': 'who took part when, where nobody says so',
  'attacks/properties/joint-fit': 'PROLIN: properties and features together',
  'attacks/properties/posterior': 'the posterior behind it, by sampling',
  metrics: 'a score for every kind of claim, beside what could be guessed without listening',
  'metrics/confidence': 'how sure claims are beside how often they are right',
  'metrics/cells':
    'the same claim graded on trained, held-back or any other records, and what could be guessed of them',
  'metrics/theory': "the papers' bounds, and optima: whether there is one, and how far those of clients lie apart",
  verdict: 'the statistics of a verdict: one randomisation test over tables of scores, and its words',
  audit: 'the judge, and the only room that holds both a view and the truth: jobs, controls, verdict, advice',
  'audit/kept': 'what attacks derive of a part of a view, made once and kept for all who ask for the same',
  'audit/plants':
    'leaks planted in a scenario: trainings that hold them, attacks on these, and whether they were found',
  'audit/ladder':
    'questions: attacks asked about trained and held-back records in every training, and the words that follow',
  'audit/folder': 'the folder of a run: what made it, results as they come, and what they may hold',
  'audit/recorded': 'what a recording leaves open: whom to look at, optima, which rounds an active attack has heard',
  'audit/account': 'what a planned or a recorded federation spends of epsilon, client by client',
  'audit/advise': 'what to change: variants of a scenario, audited and weighed against each other',
  'audit/advise/what-ifs': 'changes that could be made, one file each',
  'audit/calibrate': 'how often an audit of this size errs: worlds in which nothing can be found, counted',
  'audit/lint': 'privacy mechanisms that do not do what they say: rules over what is stated, and what they find',
  'audit/finished': 'audits that are done: one without people, one beside another',
  'audit/oracles': "the papers' oracle variants, which are told the truth",
  sweep: 'many audits: axes, points, trials that are named after their configuration, who runs them and in what order',
  studies: "what a study is, its cells, what is told of it, and the table of the papers' tables and figures",
  'studies/lmra': 'studies of [lmra], one file each, and what they share',
  'studies/aia': 'studies of [aia], one file each, and what they share: federations of incomes, rows of attacks',
  'studies/labels':
    'studies of [labels], one file each, and what they share: batches of salaries and pictures, errors by solver',
  'studies/prolin': 'studies of [prolin], one file each, and what they share: federations of pictures, detectors',
  'studies/beyond': 'studies of what is ours beside the papers, one file each',
  report: 'the document as text, tables, pictures and one HTML file',
  'report/html': 'the parts of the HTML file: its first screen, tables, figures, glossary, style and script',
  api: 'what the page and its server say to each other',
  node: 'this machine: the command, ports for audits, progress, signals',
  'node/commands': 'one file for each command: flags in, text or JSON out',
  'node/files': 'folders, datasets and tables on disk',
  'node/threads': 'clients and attacks in worker threads',
  'node/confined': 'attacks of plug-ins, each in a process that sees no file',
  'node/sweep': 'sweeps on this machine: trials in worker processes, the log of finished ones, tables and queries',
  'node/studies': '`overhear reproduce`: cells of studies in worker processes, and the log of finished ones',
  'node/queue': 'sweeps on many machines: trials through a queue in Redis, and those who serve it',
  'node/bench': '`overhear bench`',
  'node/serve': '`overhear serve`: the server of the page, who may talk to it, and the audits that it starts',
  'node/serve/explore': "what the explorer is told: a run's messages, clients, records, who took part when",
  'node/serve/sweeps': 'what the page is told of sweeps and of studies that are stored',
  web: 'the browser',
  'web/page': 'the page: runs, a new audit, a run, its messages, two runs side by side, sweeps, studies, the lab',
  'web/page/explore': "a run's messages, clients and records, and who took part when",
  'web/report': 'what runs inside a report: tables that sort and search, what leaves as CSV and SVG',
  doors: 'what `overhear/numeric` and the other doors export; the main one is index.ts',
}

/** The first sentence of a file's header. @param {string} text */
export function headerOf(text) {
  const comment = /^\/\*\*([\s\S]*?)\*\/|^(?:\/\/[^\n]*\n)+/.exec(text)?.[0] ?? ''
  return comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/^\s*(?:\*|\/\/) ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** @param {string} path */
const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Folders that have no line, and lines that have no folder. @param {Sources} sources of src/ */
export function wrongRooms(sources) {
  const folders = new Set()
  for (const path of Object.keys(sources)) {
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.add(folder)
  }
  return [
    ...[...folders]
      .filter((folder) => !(folder in rooms))
      .map((folder) => `src/${folder} has no line in tools/rooms.mjs`),
    ...Object.keys(rooms)
      .filter((folder) => !folders.has(folder))
      .map((folder) => `tools/rooms.mjs names src/${folder}, which is not there`),
  ]
}

/** The rooms as a table in Markdown. @param {Sources} sources */
export function roomsTable(sources) {
  const files = Object.keys(sources).filter((path) => !isTest(path))
  const rows = Object.entries(rooms).map(([folder, line]) => {
    const own = files.filter((path) => folderOf(path) === folder).length
    return `| \`src/${folder}\` | ${line} | ${own === 0 ? '' : own} |`
  })
  return ['| room | what is in it | files |', '|---|---|--:|', ...rows].join('\n')
}

/** Every file with its header, by room. @param {Sources} sources */
export function mapOfFiles(sources) {
  const parts = Object.entries(rooms).flatMap(([folder, line]) => {
    const own = Object.entries(sources).filter(
      ([path]) => folderOf(path) === folder && !isTest(path) && !path.endsWith('.d.ts'),
    )
    if (own.length === 0) return []
    const rows = own.map(
      ([path, text]) => `| [\`${path.slice(folder.length + 1)}\`](../src/${path}) | ${cell(headerOf(text))} |`,
    )
    return [`## ${folder}\n\n${capital(line)}.\n\n| file | what it is for |\n|---|---|\n${rows.join('\n')}\n`]
  })
  return parts.join('\n')
}

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|')
/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)
