import { describe, expect, test } from 'vitest'
import { attacks } from '../src/attacks/index.js'
import { oracles } from '../src/audit/oracles/index.js'
import { datasets } from '../src/data/index.js'
import { defences } from '../src/defences/index.js'
import { localRules } from '../src/federation/local-rules/index.js'
import { misbehaviours } from '../src/federation/misbehaviour/index.js'
import { samplings } from '../src/federation/sampling/index.js'
import { models } from '../src/models/index.js'
import { partitions } from '../src/partition/index.js'
import { scenarioSchema } from '../src/scenario/scenario-schema.js'
import { federationWorlds, propertyWorlds } from './pinned-federation-worlds.js'
import { classWorlds, regressionWorlds } from './pinned-label-worlds.js'
import { attributeWorlds, localModelWorlds } from './pinned-worlds.js'

const families = [localModelWorlds, attributeWorlds, classWorlds, regressionWorlds, propertyWorlds, federationWorlds]
const worlds = families.flatMap((family) => Object.values(family)).map((world) => scenarioSchema().parse(world))
const generated = Object.entries(datasets).flatMap(([name, { origin }]) => (origin === 'files' ? [] : [name]))

const tables: Readonly<Record<string, readonly [needed: readonly string[], found: readonly string[]]>> = {
  attack: [
    [...Object.keys(attacks), ...Object.keys(oracles)],
    worlds.flatMap((world) =>
      world.attacks === 'all' ? [] : world.attacks.map((one) => (typeof one === 'string' ? one : one.id)),
    ),
  ],
  dataset: [[...generated, 'csv'], worlds.map(({ data }) => data.name)],
  partition: [Object.keys(partitions), worlds.map(({ partition }) => partition.name)],
  model: [Object.keys(models), worlds.flatMap((world) => world.models.map(({ kind }) => kind))],
  'local rule': [Object.keys(localRules), worlds.map(({ training }) => training.algorithm)],
  sampling: [Object.keys(samplings), worlds.map(({ training }) => training.sampling.name)],
  misbehaviour: [
    Object.keys(misbehaviours),
    worlds.flatMap(({ training }) => Object.values(training.misbehaving).map(({ name }) => name)),
  ],
  defence: [Object.keys(defences), worlds.flatMap((world) => world.defences.map(({ name }) => name))],
}

describe('the worlds whose numbers are kept', () => {
  test.each(Object.entries(tables))('have every %s among them', (_, [needed, found]) => {
    expect(needed.filter((name) => !found.includes(name))).toEqual([])
  })
})
