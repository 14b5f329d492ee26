import { expect, test } from 'vitest'
import { readScenario } from '../src/audit/read-scenario.js'
import { cells, detectionTable, nameOf, runCell, scenarioOf } from '../studies/protocol-zoo.mjs'

test('every cell of the zoo is a scenario', () => {
  const all = cells()
  expect(new Set(all.map(nameOf)).size).toBe(all.length)
  // 13 protocols, 3 statements, 3 models; a linear model has no units to drop.
  expect(all.length).toBe(13 * 3 * 3 - 3)
  for (const cell of all) expect(() => readScenario(scenarioOf(cell))).not.toThrow()
})

test.each([
  ['sgd', 'stated', 'linear'],
  ['8-bit', 'wrong', 'linear'],
  ['clipping', 'wrong', 'linear'],
  ['adam', 'unstated', 'linear'],
])(
  '%s, %s, %s: what was stated wrongly is heard rightly, and nothing else is changed',
  async (protocol, statement, model) => {
    const options = { rounds: 10, params: { rounds: 6, plays: 12 } }
    const [row] = await runCell({ protocol, statement, model }, ['protocol'], options)
    expect(row).toMatchObject({ status: 'claimed', missed: [], others: [] })
    expect(row!.p! <= 0.05).toBe(statement !== 'stated')
    expect(detectionTable([row!])).toContain(`| ${protocol}/${statement}/${model} |`)
  },
)

/** Steps with momentum go far: what was found at their end says less of the first than plain ones do. */
test.each([
  ['mlp-tanh', 201],
  ['mlp', 202],
])('momentum, %s, seed %d: means of metaclasses are as near as their errors say', async (model, seed) => {
  const [row] = await runCell({ protocol: 'momentum', statement: 'stated', model }, ['metaclass-means'], { seed })
  expect(row!.sure).toMatchObject({ all: 6, sure: 6, wrong: 0 })
})
