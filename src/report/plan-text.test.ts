import { expect, test } from 'vitest'
import type { AuditPlan } from '../audit/ladder/audit-plan.js'
import { planText } from './plan-text.js'

const plan: AuditPlan = {
  repeats: 5,
  trainings: 10,
  attacks: 40,
  seconds: { trainings: 89.2, attacks: 90, cores: 2 },
  bytes: 999_999,
  memory: 300e6,
  records: { trained: 20, heldBack: 19 },
  tests: [
    { name: 'records', candidates: 200, level: 0.025, leastP: 0.0001, untested: null },
    { name: 'clients', candidates: 8, level: 0.025, leastP: 0.125, untested: 'too few clients' },
  ],
  leastSeen: { members: 0.125, attribute: 0.25 },
}

test('a plan says what it costs and what each test could say', () => {
  expect(planText(plan).split('\n')).toEqual([
    'trainings: 10 (5 repeats), about 90 s; at most 1000 kB of messages',
    'attacks: 40 jobs, about 2 min on 2 cores (a rough guess)',
    'memory: about 300 MB',
    'compared: 20 trained and 19 held-back records of the first target',
    'what each test could say:',
    '  records: 200 answers a training, least p 0.00010, held to 0.025',
    '  clients: 8 answers a training, least p 0.125, held to 0.025 - nothing: too few clients',
    'would probably see: members from AUC 0.625, an attribute from 0.250 of AUC more on trained records',
  ])
})

test('what a name could do to a terminal is taken out', () => {
  const tests = [{ name: 'a\u001b[31m', candidates: 2, level: 0.05, leastP: 0.5, untested: null }]
  expect(planText({ ...plan, tests })).not.toContain('\u001b')
})

test.each([
  [1e6, '1 MB'],
  [1_000_001, '2 MB'],
  [1, '1 kB'],
  [0, '0 kB'],
])('%i bytes are %s', (bytes, size) => {
  expect(planText({ ...plan, bytes })).toContain(`at most ${size} of`)
})

test.each([
  [0.2, '1 s'],
  [89.99, '90 s'],
  [90, '2 min'],
  [120, '2 min'],
  [121, '3 min'],
])('%d seconds are %s', (seconds, time) => {
  expect(planText({ ...plan, seconds: { trainings: seconds, attacks: 1, cores: 1 } })).toContain(`about ${time};`)
})
