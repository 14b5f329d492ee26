import { beforeAll, describe, expect, test } from 'vitest'
import { auditText } from '../../report/audit-text.js'
import { reportHtml } from '../../report/report-html.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { audit } from '../audit.js'
import type { AuditDocument } from '../document.js'
import { memoryPorts } from '../memory-ports.js'
import type { RecordingPaths } from '../open-recording.js'

const world: ScenarioInput = {
  name: 'w',
  repeats: 1,
  heldBack: 0,
  data: { name: 'toy-least-squares', params: { clients: 3, recordsPerClient: 30, heterogeneity: 1 } },
  partition: { name: 'by-column' },
  models: [{ kind: 'linear', learningRate: 0.1 }],
  training: {
    rounds: 60,
    localEpochs: 3,
    batchSize: null,
    precision: 'f64',
    sampling: { name: 'fraction', params: { fraction: 0.67 } },
  },
  attacks: ['last-returned'],
  observers: ['eavesdropper'],
  controls: false,
}

type Files = Map<string, Uint8Array>

/** Simulated, and where it lies. */
async function recorded(scenario: ScenarioInput): Promise<{ files: Files; folder: string }> {
  const files: Files = new Map()
  await audit(scenario, { ports: memoryPorts({ files }) }).result
  return { files, folder: [...files.keys()][0]!.split('/')[0]! }
}

const audited = (files: Files, paths: RecordingPaths): Promise<AuditDocument> =>
  audit(paths, { ports: memoryPorts({ files: new Map(files) }), observers: ['eavesdropper', 'server'] }).result

describe('an audit of a recording without truth', () => {
  let document: AuditDocument
  let files: Files
  let transcript: string
  beforeAll(async () => {
    const made = await recorded(world)
    files = made.files
    transcript = `${made.folder}/transcript`
    document = await audited(files, { transcript })
  })

  test('looks at every client, and tells which claims stand', () => {
    const { ungraded } = document.recording!
    const solved = ungraded.filter(({ attack }) => attack === 'lmra-ols')
    expect(solved.map(({ client }) => client).sort()).toEqual(['0', '1', '2'])
    for (const { fit, halves, planted, standing } of solved) {
      expect(fit!.misfit).toBeLessThan(1e-9)
      expect(halves!.rounds[0] + halves!.rounds[1]).toBeGreaterThan(24)
      expect(halves!.apart).toBeLessThan(1e-6)
      expect([planted, standing]).toEqual(['passed', 'stands'])
    }
    // The last model returned is of one moment: another half ends elsewhere, and it predicts no message.
    expect(
      ungraded.filter(({ attack }) => attack === 'last-returned').every(({ standing }) => standing !== 'stands'),
    ).toBe(true)
  })

  test('says what can be concluded and what cannot, and never that nothing leaks', () => {
    expect(document.verdict.level).toBe('not-tested')
    const text = auditText(document)
    expect(text).toMatch(
      /what can be concluded[\s\S]*learns a model of its own[\s\S]*OH302[\s\S]*what cannot, with what was given:[\s\S]*--data/,
    )
    expect(auditText(document, { details: true })).toMatch(
      /could run, if it knows[\s\S]*records and sensitive: [\s\S]*aia-model/,
    )
    expect(text.toLowerCase()).not.toContain('no leak')
    expect(reportHtml(document)).toContain('What the recording says by itself')
    expect(text.split('\n').every((line) => line.length <= 120)).toBe(true)
  })

  test('of messages that are noise no model stands', async () => {
    const noisy: Files = new Map(files)
    for (const [path, bytes] of files) {
      if (!/transcript\/rounds\/.*safetensors$/.test(path)) continue
      const copy = bytes.slice()
      const length = Number(new DataView(copy.buffer).getBigUint64(0, true))
      const header = JSON.parse(new TextDecoder().decode(copy.subarray(8, 8 + length))) as Record<
        string,
        { data_offsets: number[] }
      >
      for (const [name, { data_offsets }] of Object.entries(header)) {
        if (!name.startsWith('client/')) continue
        // A message that has nothing to do with what was sent: the bytes of the round's number, spread over it.
        const round = Number(/(\d+)\.safetensors$/.exec(path)![1])
        const view = new DataView(copy.buffer, 8 + length + data_offsets[0]!, data_offsets[1]! - data_offsets[0]!)
        const size = view.byteLength % 8 === 0 && /"F64"/.test(JSON.stringify(header[name])) ? 8 : 4
        for (let at = 0; at < view.byteLength; at += size) {
          const value = (((round * 7919 + at * 104_729 + name.length) % 1009) / 1009 - 0.5) * 4
          if (size === 8) view.setFloat64(at, value, true)
          else view.setFloat32(at, value, true)
        }
      }
      noisy.set(path, copy)
    }
    const manifest = `${transcript}/rounds.jsonl`
    const lines = new TextDecoder().decode(noisy.get(manifest)).replaceAll(/,?"sha256":"[0-9a-f]+"/g, '')
    noisy.set(manifest, new TextEncoder().encode(lines))
    const { recording } = await audited(noisy, { transcript, target: '0' })
    expect(recording!.ungraded.map(({ client }) => client)).toContain('0')
    expect(recording!.ungraded.filter(({ standing }) => standing === 'stands')).toEqual([])
    expect(recording!.can.join()).not.toContain('a model of its own')
  })

  test('a target that is not there is told with those that are', async () => {
    await expect(audited(files, { transcript, target: 'north' })).rejects.toThrow(/"north".*0, 1, 2.*aliases/)
  })

  test('with truth says nothing of the kind', async () => {
    const truth = transcript.replace(/transcript$/, 'truth')
    const { recording } = await audited(files, { transcript, truth, target: '0' })
    expect(recording!.truth).toBe(true)
    expect(recording!.cannot.join()).not.toContain('--truth')
  })

  test('a recording that does not say its model is one of the model that is given', async () => {
    const manifest = `${transcript}/transcript.json`
    const read = JSON.parse(new TextDecoder().decode(files.get(manifest))) as Record<string, unknown>
    const { inputs, outputs } = read.model as { inputs: number; outputs: number }
    const shapes = [
      { name: 'w', shape: [outputs, inputs] },
      { name: 'b', shape: [outputs] },
    ]
    const opaque: Files = new Map(files)
    const put = (path: string, value: unknown): void => {
      opaque.set(path, new TextEncoder().encode(JSON.stringify(value)))
    }
    put(manifest, { ...read, model: { kind: 'opaque' }, parameters: shapes })
    put('model.json', { kind: 'linear', inputs, outputs, loss: 'mse' })
    put('wrong.json', { kind: 'linear', inputs: inputs + 1, outputs })
    const [without, given] = [
      await audited(opaque, { transcript, target: '0' }),
      await audited(opaque, { transcript, target: '0', model: 'model.json' }),
    ]
    expect([without.recording!.opaque, given.recording!.opaque]).toEqual([true, false])
    // Attacks see it, too: one that takes updates to be affine applies.
    const claimed = ({ observers }: AuditDocument): Set<string> =>
      new Set(observers.flatMap((one) => one.attacks.flatMap((a) => (a.status === 'claimed' ? [a.attack] : []))))
    expect([claimed(without).has('lmra-exact'), claimed(given).has('lmra-exact')]).toEqual([false, true])
    const codes = ({ recording }: AuditDocument): string[] => recording!.lint.map(({ code }) => code)
    expect([codes(without).includes('OH302'), codes(given).includes('OH302')]).toEqual([false, true])
    expect(without.recording!.cannot.join()).toContain('--model model.json')
    await expect(audited(opaque, { transcript, model: 'wrong.json' })).rejects.toThrow(/parameters/)
    await expect(
      audited(new Map([...opaque, [manifest, files.get(manifest)!]]), { transcript, model: 'model.json' }),
    ).rejects.toThrow(/says by itself that it is "linear"/)
  })
})
