import { expect, test } from 'vitest'
import { audit } from '../audit.js'
import { memoryPorts } from '../memory-ports.js'
import type { Answer } from './answer.js'

/** The answers of an attack on lists in every training of a small world. */
async function answersIn(repeats: number): Promise<{ answers: Answer[]; repeatsTested: number | undefined }> {
  const files = new Map<string, Uint8Array>()
  const run = audit(
    {
      name: 'lists',
      repeats,
      data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.2 },
      partition: { name: 'iid', params: { clients: 8 } },
      models: [{ kind: 'linear' }],
      training: { rounds: 30, localEpochs: 4, batchSize: null, learningRate: 0.1 },
      knowledge: { sensitive: ['union'] },
      observers: ['eavesdropper'],
      attacks: ['aia-linear'],
      controls: false,
    },
    { ports: memoryPorts({ files }) },
  )
  const { questions } = await run.result
  const log = [...files].find(([path]) => path.endsWith('results.jsonl'))![1]
  const lines = new TextDecoder().decode(log).trimEnd().split('\n')
  const answers = lines.flatMap((line) => {
    const { result } = JSON.parse(line) as { result?: { ladder?: { answers: Answer[] } } }
    return result?.ladder?.answers ?? []
  })
  const asked = questions.find(({ kind }) => kind === 'attribute')
  return { answers: answers.filter(({ how }) => how === 'swap'), repeatsTested: asked?.test.record?.repeats }
}

test('a list that an attack refuses is worth a guess, and the training counts', async () => {
  const repeats = 5
  const { answers, repeatsTested } = await answersIn(repeats)
  expect(answers).toHaveLength(repeats)
  expect(repeatsTested).toBe(repeats)
  // The messages cannot have come from people who were not trained on, and the attack finds that out.
  const refused = answers.filter(
    ({ held, guess, people }) => held[0] === guess!.held && (people?.held.length ?? 0) === 0,
  )
  expect(refused.length).toBeGreaterThan(0)
  for (const { trained, held, contrast } of answers) {
    expect(held).toEqual([...trained].reverse())
    expect(contrast).toEqual([1, -1])
    expect(trained.every(Number.isFinite)).toBe(true)
  }
})
