import { expect, test } from 'vitest'
import { contextFor } from '../../test/attack-context.js'
import { number } from '../params.js'
import { claimed, defineAttack, Inapplicable } from './attack.js'

const least = {
  id: 'least',
  title: 'A guess',
  target: 'label',
  needs: ['exchanges'],
  params: { value: number({ default: 3, doc: 'what is said' }) },
  plant: { none: 'nothing to plant' },
  shuffle: { none: 'nothing to shuffle' },
} as const

test('an attack that says no more of itself has no paper, is not beyond one, uses nothing else and takes lists as a whole', () => {
  const attack = defineAttack({ ...least, run: () => claimed({ kind: 'label', client: 'a', round: 0, value: 1 }) })
  expect(attack).toMatchObject({ paper: '', where: '', uses: [], beyond: false, perRecord: false, effort: 1 })
  expect([attack.plant, attack.shuffle]).toEqual([{ none: 'nothing to plant' }, { none: 'nothing to shuffle' }])
})

test('parameters are read before it runs, and what is missing is an outcome while what fails is not', async () => {
  const attack = defineAttack({
    ...least,
    run(_, { params: { value } }) {
      if (value === 1) throw new Inapplicable(['exchanges'])
      if (value === 2) throw new Error('broken')
      return claimed({ kind: 'label', client: 'a', round: 0, value })
    },
  })
  const run = (params: Record<string, number>) => attack.run({}, contextFor({ params }))
  expect(await run({})).toMatchObject({ claims: [{ value: 3 }] })
  expect(await run({ value: 1 })).toEqual({ status: 'not-applicable', missing: ['exchanges'] })
  await expect(run({ value: 2 })).rejects.toThrow('broken')
  await expect(run({ other: 1 })).rejects.toThrow('attack least')
})

test('what is missing is said in words of its own, or in those of who found out', () => {
  const plain = new Inapplicable(['records', 'loss'])
  expect([plain.message, plain.outcome]).toEqual(['missing: records, loss', { status: 'not-applicable', missing: ['records', 'loss'] }]) // biome-ignore format: a line
  const told = new Inapplicable(['records'], 'nobody has any')
  expect([told.message, told.outcome]).toEqual(['nobody has any', { status: 'not-applicable', missing: ['records'], why: 'nobody has any' }]) // biome-ignore format: a line
})
