import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkTableFlags, tablesOfRecording } from './recording-tables.js'

let work = ''
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'overhear-tables-'))
})
afterEach(() => rmSync(work, { recursive: true, force: true }))

const table = `patient,age,smoker,cost,hospital,trained
p6,0.7,0,60,,
p1,0.5,1,10,north,yes
p2,-1.0,0,20,north,no
p5,0.1,1,50,south,yes
`

test('knowledge and truth beside the transcript, from one table', async () => {
  const data = join(work, 'table.csv')
  writeFileSync(data, table)
  const flags = { data, label: ['cost'], sensitive: ['smoker'], 'client-column': 'hospital' }
  const named = { 'trained-column': 'trained', 'id-column': 'patient' }
  const { knowledgeOf, truth } = await tablesOfRecording(`${work}/transcript/`, { ...flags, ...named })
  const folder = `${work}/transcript.tables`
  expect(knowledgeOf).toEqual({ north: `${folder}/knowledge.json`, south: `${folder}/knowledge-south.json` })
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  // The first line is of nobody: the first client is the next one's, and nobody's records are the adversary's.
  const known = read(knowledgeOf!.north!)
  expect(known).toMatchObject({ target: 'north', sensitive: [{ name: 'smoker', kind: 'binary' }] })
  expect(Object.keys(known)).toContain('auxiliary')
  expect(read(knowledgeOf!.south!)).toMatchObject({ target: 'south', records: { label: 'cost' } })
  const told = read(`${truth}/truth.json`) as { clients: Record<string, { heldBack?: string }> }
  expect(Object.keys(told.clients)).toEqual(['north', 'south'])
  expect(told.clients.north!.heldBack).toBeDefined()
  // Again, and about somebody else.
  const { knowledge, ...rest } = await tablesOfRecording(`${work}/transcript`, { ...flags, ...named, target: 'south' })
  expect(read(knowledge!)).toMatchObject({ target: 'south' })
  expect(rest).toEqual({ truth })
})

test('what is missing is told', async () => {
  const data = join(work, 'table.csv')
  writeFileSync(data, table)
  const whole = { data, label: ['cost'], 'client-column': 'hospital' }
  const ask = (values: object) => tablesOfRecording(`${work}/t`, values)
  await expect(ask({})).rejects.toThrow('--data is missing')
  await expect(ask({ data })).rejects.toThrow('--label is missing')
  await expect(ask({ data, label: ['cost'] })).rejects.toThrow('--client-column is missing')
  await expect(ask({ ...whole, data: '/nowhere.csv' })).rejects.toThrow('"/nowhere.csv" is not there')
  await expect(ask({ ...whole, 'client-column': 'ward' })).rejects.toThrow('unknown column of the table: "ward"')
  await expect(ask({ ...whole, target: 'east' })).rejects.toThrow('no record of client "east"')
  writeFileSync(data, 'age,cost,hospital\n1,2,\n')
  await expect(ask(whole)).rejects.toThrow('the table names no client in column "hospital"')
  expect(() => checkTableFlags({ label: ['cost'] })).toThrow('--label was given without --data')
  expect(() => checkTableFlags({ data })).not.toThrow()
})
