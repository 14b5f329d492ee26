import { expect, test } from 'vitest'
import { simulatedSources } from '../../../test/simulated-sources.js'
import type { Attack } from '../../attacks/attack.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { Asking } from './asking.js'
import { seatMatrices } from './seat-matrix.js'

const { sources } = await simulatedSources({
  data: { name: 'toy-least-squares', params: { numericColumns: 1, recordsPerClient: 4 } },
  partition: { name: 'iid', params: { clients: 4 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 1 },
  heldBack: 0,
} as never)

const sizes: Readonly<Record<string, number>> = { '0': 5, '1': 3, '2': 4, '3': 7 }

/** Records of a seat, all labelled with its number. */
const heldOf = (id: string, rows = sizes[id]!): Table => ({
  columns: ['x'],
  features: matrix(rows, 1, new Float64Array(rows).fill(Number(id))),
  labels: new Float64Array(rows).fill(10 + Number(id)),
})

interface Made {
  readonly attack?: Partial<Attack>
  readonly seats?: readonly string[]
  readonly held?: (id: string) => Table | undefined
  readonly knowledge?: object
  readonly status?: (line: string) => string
}

/** An attack that claims the mean label 10 + its line, and what was asked of the truth on the way. */
async function asked({ attack = {}, seats = ['0', '1', '2', '3'], held = heldOf, knowledge = {}, status }: Made = {}) {
  const names: unknown[] = []
  const given = {
    attack: {
      id: 'own',
      needs: ['target'],
      uses: [],
      target: 'model',
      perRecord: false,
      params: {},
      run: async ({ target }: { target: string }) => ({
        status: status?.(target) ?? 'claimed',
        missing: [],
        claims: [
          { kind: 'label-mean', client: target, round: 0, value: 10 + Number(target) },
          { kind: 'protocol', client: target },
        ],
        warnings: [],
        details: {},
      }),
      ...attack,
    },
    params: {},
    ask: { seats, client: '0' },
    sources: { ...sources, knowledge: { ...sources.knowledge, ...knowledge } },
    truth: {
      heldBack: async (id: string, own: object) => {
        names.push(own)
        return held(id)
      },
    },
    known: {},
    around: { observer: 'server', rng: rng(1) },
    rng: rng(2),
  }
  return { found: await seatMatrices(given as unknown as Asking), names }
}

test('a row for each line, a column for the records of each seat, cut to the fewest', async () => {
  const { found, names } = await asked()
  const [[key, rows]] = [...found!] as [[string, number[][]]]
  expect([found!.size, key]).toEqual([1, '["label-mean",null]'])
  expect(rows.map((row) => row.map((x) => Math.abs(x)))).toEqual([
    [0, 1, 2, 3],
    [1, 0, 1, 2],
    [2, 1, 0, 1],
    [3, 2, 1, 0],
  ])
  expect(names).toEqual([{}, {}, {}, {}])
})

test('metaclasses are asked for by the names that are known, each by itself', async () => {
  const known = { metaclass: 'group', metaclasses: ['a', 'b'] }
  for (const knowledge of [known, { metaclass: 'group' }, { metaclasses: ['a', 'b'] }])
    expect((await asked({ knowledge })).names[0]).toEqual(knowledge)
})

test('there is none of fewer than four, of attacks that send, or of claims about other things than records', async () => {
  const none = async (made: Made) => expect((await asked(made)).found).toBeUndefined()
  await none({ seats: ['0', '1', '2'] })
  await none({ attack: { needs: ['channel'] } })
  await none({ attack: { uses: ['channel'] } })
  await none({ attack: { target: 'attribute' } })
  await none({ attack: { needs: ['records'] } })
  await none({ held: (id) => (id === '2' ? undefined : heldOf(id)) })
  await none({ held: (id) => heldOf(id, id === '2' ? 0 : 3) })
  await none({ status: (line) => (line === '3' ? 'not-applicable' : 'claimed') })
})
