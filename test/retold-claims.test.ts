import { beforeAll, describe, expect, test } from 'vitest'
import type { Attack } from '../src/attacks/attack.js'
import { attacks } from '../src/attacks/index.js'
import type { AttackResult } from '../src/audit/attack-result.js'
import { audit } from '../src/audit/audit.js'
import { memoryPorts } from '../src/audit/memory-ports.js'
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'
import { broken } from './broken/blind/index.mjs'
import { tried } from './broken/blind/worlds.mjs'
import { own } from './broken/own.mjs'

interface Mutant {
  readonly name: string
  readonly id: string
  breakAttack(attack: Attack): Attack
}
const mutants = [...broken, ...own] as unknown as readonly Mutant[]
const worlds = tried as unknown as Readonly<Record<string, { readonly scenario: ScenarioInput }>>

/** Sound attacks and mistaken ones in one audit of a world, by name. */
async function audited(world: string, names: readonly string[]): Promise<Map<string, AttackResult>> {
  const chosen = names.map((name) => mutants.find((one) => one.name === name)!)
  const spoiled = chosen.map(({ name, id, breakAttack }) => ({ ...breakAttack(attacks[id]!), id: `broken-${name.replace(/\W+/g, '-')}` })) // biome-ignore format: a line
  const ids = [...new Set(chosen.map(({ id }) => id)), ...spoiled.map(({ id }) => id)]
  const { scenario } = worlds[world]!
  const { observers } = await audit(
    { ...scenario, observers: ['eavesdropper'], attacks: ids.map((id) => ({ id, params: {} })) },
    { ports: memoryPorts(), plugins: [{ name: 'spoiled', attacks: spoiled }] },
  ).result
  const all = new Map(observers.flatMap((one) => one.attacks).map((result) => [result.attack, result]))
  return new Map([...all].map(([id, result]) => [chosen.find((_, i) => spoiled[i]!.id === id)?.name ?? id, result]))
}

describe('mistakes that show on any data', () => {
  const found = new Map<string, AttackResult>()
  beforeAll(async () => {
    const rows = ['04-rows-from-one', 'half of the records, attribute', '03-sorted-columns', 'labels forgotten, attribute'] // biome-ignore format: a line
    const asked: [string, readonly string[]][] = [
      ['03-sorted-columns', rows],
      ['02-bias-first', ['02-bias-first']],
      ['10-standardised-twice', ['10-standardised-twice']],
      ['01-next-broadcast', ['first-for-last, model', 'every other sign, labels']],
    ]
    for (const [world, names] of asked) for (const [name, one] of await audited(world, names)) found.set(name, one)
  }, 120_000)

  test.each([
    ['04-rows-from-one', /another order/],
    ['half of the records, attribute', /another order/],
    ['03-sorted-columns', /another order/],
    ['02-bias-first', /another order/],
    ['every other sign, labels', /another order/],
    ['labels forgotten, attribute', /very same with others/],
    ['10-standardised-twice', /of half of the records/],
    ['first-for-last, model', /first message/],
  ])('%s', (name, reason) => {
    expect(found.get(name)?.controls?.planted).toMatchObject({
      status: 'broken',
      reason: expect.stringMatching(reason),
    })
  })

  test('are none of the sound attacks', () => {
    const sound = [...found].filter(([name]) => Object.hasOwn(attacks, name))
    expect(sound.map(([name]) => name).sort()).toEqual(['aia-linear', 'aia-model', 'last-returned', 'lmra-exact', 'lmra-label', 'membership-loss']) // biome-ignore format: a line
    for (const [, { controls }] of sound) expect(controls?.planted.status).not.toBe('broken')
  })
})
