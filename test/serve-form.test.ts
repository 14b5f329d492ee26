import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Checked, Described, Edited } from '../src/api/answers.js'
import type { EditRequest } from '../src/api/requests.js'
import { type TestServer, testServer } from './page-client.js'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.end())
const edited = (request: EditRequest) => server.post<Edited>('/api/edit', request)
const checked = (yaml: string) => server.post<Checked>('/api/check', { yaml })

const text = `# mine
name: one # its name
data: { name: cps-wages, params: { wage: log } }
models:
  - kind: linear
training: { rounds: 5 } # few
`

test('a value of the form goes into the text, and comments stay', async () => {
  const { yaml, values, error } = await edited({
    yaml: text,
    edits: [
      { path: ['training', 'rounds'], value: 9 },
      { path: ['name'], value: 'two' },
    ],
  })
  expect(error).toBe(null)
  expect(values).toMatchObject({ name: 'two', training: { rounds: 9 }, data: { params: { wage: 'log' } } })
  for (const comment of ['# mine', '# its name', '# few']) expect(yaml).toContain(comment)
})

test('places that are not there yet are made, and taken out again', async () => {
  const defended = await edited({
    yaml: text,
    edits: [
      { path: ['defences', 0, 'name'], value: 'secure-aggregation' },
      { path: ['models', 1, 'kind'], value: 'mlp' },
      { path: ['partition', 'params', 'clients'], value: 3 },
    ],
  })
  expect(defended.values).toMatchObject({
    defences: [{ name: 'secure-aggregation' }],
    models: [{ kind: 'linear' }, { kind: 'mlp' }],
    partition: { params: { clients: 3 } },
  })
  const bare = await edited({ yaml: defended.yaml, edits: [{ path: ['defences', 0] }, { path: ['models', 1] }] })
  expect(bare.values).toMatchObject({ defences: [], models: [{ kind: 'linear' }] })
})

test('what is wrong is said, and the text stays as it is', async () => {
  expect((await checked('a: [')).error).toContain('the scenario')
  expect((await checked('')).error).toContain('empty')
  expect((await checked(`${text}rounds: 3\n`)).error).toContain('rounds')
  const broken = await edited({ yaml: 'a: [', edits: [{ path: ['name'], value: 'x' }] })
  expect(broken).toMatchObject({ yaml: 'a: [', values: null })
  const odd = await edited({ yaml: text, edits: [{ path: ['name', 'deeper', 'still'], value: 1 }] })
  expect(odd.error).not.toBe(null)
})

test('code and files of the machine are not for a page to name', async () => {
  expect((await checked(`${text}plugins: [evil.mjs]\n`)).error).toContain('plug-ins')
  for (const file of ['/etc/passwd', '../people.csv', 'a/b.csv']) {
    const own = `data: { name: csv, params: { file: ${file}, label: y } }\nmodels: [{ kind: linear }]\n`
    expect((await checked(own)).error).toContain('no uploaded file')
  }
  const fine = 'data: { name: csv, params: { file: people.csv, label: y } }\nmodels: [{ kind: linear }]\n'
  expect((await checked(fine)).error).toBe(null)
})

test('the form has every setting, and the tables that it chooses from', async () => {
  const { fields, tables, yaml } = await server.get<Described>('/api/describe')
  const paths = fields.map(({ path }) => path.join('.'))
  expect(paths).toEqual(expect.arrayContaining(['training.rounds', 'partition', 'data.name', 'models', 'defences']))
  for (const { control } of fields) {
    if ('table' in control && control.table !== null) expect(tables[control.table]!.length).toBeGreaterThan(0)
  }
  expect((await checked(yaml)).error).toBe(null)
})
