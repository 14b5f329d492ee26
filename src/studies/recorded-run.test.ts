import { expect, test } from 'vitest'
import { type RecordedRun, recordedRun } from './recorded-run.js'

const ports = { dataset: () => ({}) } as never

let played: Promise<RecordedRun> | undefined
/** A small federation on a toy, recorded once for all tests. */
function run(): Promise<RecordedRun> {
  played ??= recordedRun(
    {
      name: 'toy',
      seed: 1,
      heldBack: 0,
      data: { name: 'toy-least-squares', params: { clients: 3, heterogeneity: 1 }, validation: 0, auxiliary: 0 },
      partition: { name: 'by-column' },
      models: [{ kind: 'linear' }],
      training: { rounds: 30, localEpochs: 1, batchSize: 64, learningRate: 0.05, precision: 'f64' },
      knowledge: { targets: ['1', '2'], sensitive: ['coin'] },
    },
    ports,
  )
  return played
}

test('an attack has its own parameters, and the one that it builds on has others', async () => {
  const { score } = await run()
  const asked = { target: '1', params: { from: 'lmra-ols' } }
  const [plain, inverse] = [
    await score('aia-model', asked),
    await score('aia-model', { ...asked, fromParams: { form: 'inverse' } }),
  ]
  expect(inverse.value).not.toBe(plain.value)
})

test('attacks run without controls', async () => {
  const { attack } = await run()
  const result = await attack('aia-model', { target: '2', params: { from: 'last-returned' } })
  expect(result.status).toBe('claimed')
  expect(result.controls).toBeUndefined()
})

test('each target is attacked with what is known of it', async () => {
  const { sources } = await run()
  expect([(await sources('1')).knowledge?.target, (await sources('2')).knowledge?.target]).toEqual(['1', '2'])
})
