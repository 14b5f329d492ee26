import { expect, test } from 'vitest'
import { resultWith } from '../../../test/audit-results.js'
import { threatSection } from './cited-papers.js'

const of = (observer: string, ...attacks: string[]) => ({
  observer,
  title: '',
  attacks: attacks.map((attack) => resultWith({ attack, observer })),
})

test('what attacks that ran suppose to be known, and whose they are; of others nothing', () => {
  const ran = threatSection(of('eavesdropper', 'aia-model'))
  expect(ran).toContain('suppose that it has besides: the client&#39;s records without the sensitive column')
  expect(ran).toContain('Attacks after: Diana, Marfoq, Xu, Neglia, Giroire, Thomas')
  const absent = { ...of('eavesdropper'), attacks: [resultWith({ attack: 'aia-model', status: 'not-applicable' })] }
  expect(threatSection(absent)).not.toContain('Diana')
})
