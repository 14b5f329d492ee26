/** What an audit says of a malicious server of secure sums, under either protocol. */
import { describe, expect, test } from 'vitest'
import { audit } from '../src/audit/audit.js'
import { memoryPorts } from '../src/audit/memory-ports.js'
import { auditText } from '../src/report/audit-text.js'
import { reportHtml } from '../src/report/report-html.js'
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'

const scenario = (server: string, observers: string[]): ScenarioInput => ({
  name: 'sums',
  heldBack: 0,
  data: { name: 'leaf-synthetic', params: { sizes: [20, 20, 20, 20, 20, 20, 20] } },
  partition: { name: 'by-column' },
  models: [{ kind: 'softmax' }],
  training: { rounds: 2, learningRate: 0.05, batchSize: null },
  defences: [{ name: 'secure-aggregation', params: { server } }],
  observers,
  attacks: ['disaggregation'],
  controls: false,
})
const audited = (server: string, observers = ['malicious-secagg-server']) =>
  audit(scenario(server, observers), { ports: memoryPorts() }).result

describe('attacks on the protocol of sums', () => {
  test('are tried on the configured one: clients who check stop all but the difference of two cohorts', async () => {
    const document = await audited('malicious')
    expect(document.sums!.attacks.map(({ attack, clients, opened }) => [attack, clients, opened])).toEqual([
      ['equivocation', 7, null],
      ['equivocation', 7, null],
      ['sybils', 12, null],
      ['cohort-differencing', 12, 1],
      ['round-asked-twice', 12, null],
    ])
    const short = auditText(document).replaceAll(/\s+/g, ' ')
    expect(short).toContain('malicious-secagg-server: - cohort-differencing, alone: opens one update')
    expect(short).toContain('- 4 of 5 attacks on the protocol are stopped')
    const text = auditText(document, { details: true }).replaceAll(/\s+/g, ' ')
    expect(text).toContain('secure sums, for a malicious-secagg-server: - equivocation, alone: stopped')
    expect(text).toContain('cohort-differencing, alone: opens one update')
    expect(text).toContain('than the directory holds')
  })

  test('open the honest-but-curious one, and text and report say so', async () => {
    const document = await audited('honest-but-curious')
    expect(document.sums!.attacks.map(({ opened }) => opened)).toEqual([2, 1, 1, 1, 1])
    expect(auditText(document)).toContain('equivocation, alone: opens a sum of 2')
    const html = reportHtml(document)
    expect(html).toContain('<h2>Secure sums, for a malicious-secagg-server</h2>')
    expect(html).toContain('<td class="leak">opens a sum of 2</td>')
  })

  test('are not tried where nobody asks for that observer', async () => {
    const document = await audited('malicious', ['secagg-server'])
    expect(document.sums).toBeUndefined()
    expect(reportHtml(document)).not.toContain('Secure sums')
  })
})
