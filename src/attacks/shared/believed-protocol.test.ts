import { describe, expect, test } from 'vitest'
import { simulatedSources } from '../../../test/simulated-sources.js'
import { deriver } from '../../audit/kept/deriver.js'
import { memoryKeeper } from '../../audit/kept/keeper.js'
import { rng } from '../../numeric/random/rng.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { grant } from '../../threat/grant.js'
import { type Claimed, claimed, Inapplicable } from '../attack.js'
import { asHeard, believedProtocol } from './believed-protocol.js'
import { believing } from './believing.js'
import { heardNeeds, heardUses } from './heard-protocol.js'

const world = (training: object, states: object): ScenarioInput =>
  ({
    heldBack: 0,
    data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.3, rows: 300 },
    partition: { name: 'iid', params: { clients: 3 } },
    models: [{ kind: 'linear' }],
    training: { rounds: 6, batchSize: 16, learningRate: 0.02, ...training },
    knowledge: { sensitive: ['union'], states },
  }) as ScenarioInput

async function viewOf(input: ScenarioInput) {
  const { sources } = await simulatedSources(input)
  const { view } = await grant(sources, 'eavesdropper', [...heardNeeds, 'target', 'model', 'loss'], heardUses)
  return view!
}

describe('the protocol that is believed', () => {
  test('a wrong rate is heard, once for all who ask, and rounds are read with the other one', async () => {
    const view = await viewOf(world({}, { learningRate: 0.1 }))
    let read = 0
    const keeper = memoryKeeper()
    const counting = (key: string) => {
      read++
      return keeper.claim(key)
    }
    const derive = deriver(rng(1), { ...keeper, claim: counting })
    const found = await believedProtocol(view, { rng: rng(1), derive })
    expect(found).toMatchObject({ differs: true, explained: true })
    expect(found.words).toMatch(/^stated: SGD 0.1; heard: SGD 0.0\d+$/)
    expect(found.fit.p).toBeLessThan(0.01)
    const heard = asHeard(view, found)
    const { learningRate } = await heard.exchanges.read(0)
    expect(learningRate! / 0.02).toBeGreaterThan(0.75)
    expect(learningRate! / 0.02).toBeLessThan(1.25)
    expect(heard.target).toBe(view.target)
    expect(await believedProtocol(view, { rng: rng(1), derive })).toEqual(found)
    expect(read).toBe(1)
  })
})

const claim = (explained: boolean): Claimed =>
  claimed(
    { kind: 'label-mean', client: '0', round: 0, value: 1 },
    { details: { explained, error: 0.1, errors: [0.2, null] } },
  )

describe('a claim under it', () => {
  test('hears nothing where the statement explains it', async () => {
    const view = await viewOf(world({}, {}))
    const outcome = await believing(view, { rng: rng(1) }, async () => claim(true))
    expect(outcome).toMatchObject({ fit: { p: null, heard: { learningRate: 0.02 } }, details: { error: 0.1 } })
  })
  test('that merely doubts itself is made, and nothing is heard', async () => {
    const view = await viewOf(world({}, { learningRate: 0.1 }))
    const outcome = await believing(view, { rng: rng(1) }, async () => claim(false))
    expect(outcome).toMatchObject({ fit: { heard: { learningRate: 0.1 } }, details: { explained: false, error: 0.1 } })
  })
  test('is made again where it does not, with wider errors; and refused in the words of both where that fails', async () => {
    const view = await viewOf(world({}, { learningRate: 0.1 }))
    const fits = async (own: typeof view): Promise<Claimed> => {
      if (own.protocol.learningRate! < 0.05) return claim(true)
      throw new Inapplicable(['a protocol that explains the update'], 'not this one')
    }
    const outcome = await believing(view, { rng: rng(1) }, fits)
    expect(outcome.details).toMatchObject({ errors: [expect.closeTo(0.6), null], stated: 'SGD 0.1' })
    const refusing = async (): Promise<Claimed> => {
      throw new Inapplicable(['plain steps'], 'not these')
    }
    await expect(believing(view, { rng: rng(1) }, refusing)).rejects.toThrow(/^not these \(stated: SGD 0.1; heard: /)
    const other = async (): Promise<Claimed> => {
      throw new Inapplicable(['a bias'], 'none')
    }
    await expect(believing(view, { rng: rng(1) }, other)).rejects.toThrow(/^none$/)
  })
})
