import { beforeAll, describe, expect, test } from 'vitest'
import { auditText } from '../../report/audit-text.js'
import { reportHtml } from '../../report/report-html.js'
import { memoryFolder } from '../../transcript/memory-folder.js'
import { openTruth } from '../../transcript/truth-file.js'
import { writeRecordingTables } from '../../transcript/write-recording-tables.js'
import { audit } from '../audit.js'
import type { AuditDocument } from '../document.js'
import { memoryPorts } from '../memory-ports.js'

type Files = Map<string, Uint8Array>
const observers = ['eavesdropper']

/** Six clients of a linear model, half of whose records were held back, and one table of the first three and of a stranger. */
async function recorded(): Promise<{ files: Files; folder: string; table: string }> {
  const files: Files = new Map()
  await audit(
    {
      name: 'w',
      repeats: 1,
      heldBack: 0.5,
      data: { name: 'toy-least-squares', params: { clients: 6, recordsPerClient: 40, heterogeneity: 1 } },
      partition: { name: 'by-column' },
      models: [{ kind: 'linear', learningRate: 0.1 }],
      training: {
        ...{ rounds: 48, localEpochs: 3, batchSize: null, precision: 'f64' },
        sampling: { name: 'fraction', params: { fraction: 0.5 } },
      },
      attacks: ['last-returned'],
      observers,
      controls: false,
    },
    { ports: memoryPorts({ files }) },
  ).result
  const folder = [...files.keys()][0]!.split('/')[0]!
  const truth = await openTruth(memoryFolder(files, `${folder}/truth`))
  const lines: string[] = []
  for (const id of ['0', '1', '2']) {
    for (const [which, table] of [
      ['yes', (await truth.client(id))!],
      ['no', (await truth.heldBack(id))!],
    ] as const) {
      const { rows, cols, data } = table.features
      lines.push(`${table.columns.map((_, j) => `x${j}`).join()},y,client,trained`)
      for (let i = 0; i < rows; i++)
        lines.push([...data.subarray(i * cols, (i + 1) * cols), table.labels![i], id, which].join())
    }
  }
  const [head] = lines
  const rows = lines.filter((line) => line !== head)
  const stranger = rows[0]!.split(',').with(-2, 'north').join()
  return { files, folder, table: `${[head, ...rows, stranger].join('\n')}\n` }
}

describe('a table of the clients of a recording', () => {
  let files: Files
  let folder = ''
  let table = ''
  let document: AuditDocument
  const options = () => ({ ports: memoryPorts({ files: new Map(files) }), observers })
  beforeAll(async () => {
    ;({ files, folder, table } = await recorded())
    const [knowledge, truth] = [memoryFolder(files, 'tables'), memoryFolder(files, 'tables/truth')]
    const roles = { label: 'y', client: 'client', trained: 'trained' }
    const names = await writeRecordingTables(table, roles, { knowledge, truth })
    expect(names).toEqual({
      ...{ 0: 'knowledge.json', 1: 'knowledge-1.json', 2: 'knowledge-2.json' },
      north: 'knowledge-north.json',
    })
    const knowledgeOf = Object.fromEntries(Object.entries(names).map(([id, name]) => [id, `tables/${name}`]))
    const paths = { transcript: `${folder}/transcript`, knowledgeOf, truth: 'tables/truth' }
    document = await audit(paths, { ...options(), mostTargets: 2 }).result
  })

  test('has each of them attacked with what is known of itself, and tells of the rest', () => {
    const { attacked, notes, clients } = document.recording!
    expect([clients, attacked]).toEqual([6, ['0', '1']])
    expect(notes).toEqual([
      'in the table and not in the recording: client north',
      'heard in the recording and not in the table, so not attacked: 3 clients 3, 4, 5',
      'no target is named: the first 2 clients were attacked, 1 not (--clients N, or --target)',
    ])
    for (const target of ['0', '1']) {
      const solved = document.observers[0]!.attacks.find((one) => one.attack === 'lmra-ols' && one.target === target)!
      expect(solved.findings[0]!.score!.also.relativeError).toBeLessThan(1e-6)
    }
  })

  test('climbs the ladder from held-back records, and says what one recording decides', () => {
    const asked = document.questions.filter(({ kind }) => kind === 'members' || kind === 'model')
    expect(asked.map(({ kind, target }) => `${kind} ${target}`).sort()).toEqual(
      ['members 0', 'members 1', 'model 0', 'model 1'], // biome-ignore format: one line
    )
    for (const { ladder, test, level } of asked) {
      expect([ladder.client, ladder.record, test.record?.leastSeen].every(Number.isFinite)).toBe(true)
      expect([level === 'not-tested', test.record!.repeats]).toEqual([false, 1])
    }
    const { decided, open, lacking, never } = document.recording!.questions
    const settled = [...decided, ...open].flatMap(({ what, clients }) => clients.map((id) => `${what} ${id}`))
    for (const { kind, target } of asked) expect(settled).toContain(`${kind} ${target}`)
    expect(open.every(({ why }) => /^a step of .* would have been seen$/.test(why))).toBe(true)
    expect(lacking.find(({ what }) => what === 'metaclass-counts')).toMatchObject({
      clients: ['0', '1'],
      why: expect.stringContaining('auxiliary') as string,
    })
    expect(never.at(-1)).toContain('other trainings')
    expect(never.join()).not.toMatch(/held back|out of the training/)
  })

  test('both are in the text and in the report', () => {
    const [short, long, html] = [auditText(document), auditText(document, { details: true }), reportHtml(document)]
    const [stray, never] = [
      'in the table and not in the recording',
      'what no single recording of this federation decides',
    ]
    for (const text of [short, long, html]) expect(text.toLowerCase()).toContain(stray)
    for (const text of [long, html]) expect(text.toLowerCase()).toContain(never)
    expect([short, long].map((text) => text.includes('does not decide with what was given'))).toEqual([false, true])
    expect(short.split('\n').length).toBeLessThanOrEqual(30)
    expect(short.split('\n').every((line) => line.length <= 120)).toBe(true)
  })

  test('nobody of which is in the recording is refused, with both lists', async () => {
    const paths = { transcript: `${folder}/transcript`, knowledgeOf: { north: 'tables/knowledge-north.json' } }
    await expect(audit(paths, options()).result).rejects.toThrow(
      'the table has records of the clients north, and the recording has the clients 0, 1, 2, 3, 4, 5; write the ids',
    )
  })
})
