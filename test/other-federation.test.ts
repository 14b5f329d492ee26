import { expect, test } from 'vitest'
import { missing, sameWorld } from '../studies/other-federation.mjs'

const python = '/usr/bin/python3'
const why = missing(python, 'numpy')
if (why !== undefined) process.stdout.write(`a federation in numpy is skipped: ${why}\n`)

test.skipIf(why !== undefined)(
  'attacks are as good on a transcript that numpy made',
  { timeout: 120_000 },
  async () => {
    const { overhear, numpy } = await sameWorld({
      seed: 1,
      python,
      by: ['numpy'],
      attacks: ['aia-linear', 'label-mean'],
    })
    const [ours, theirs] = [overhear![0]!, numpy![0]!]
    expect(theirs.status).toBe('claimed')
    expect(theirs.p).toBeGreaterThan(0.05)
    expect(theirs.value!).toBeGreaterThan(ours.value! - 0.05)
    expect(theirs.sure!.sure).toBeGreaterThan(0.6 * ours.sure!.sure)
    expect(theirs.sure!.wrong).toBeLessThan(0.08 * theirs.sure!.sure)
    expect(numpy![1]!.sure).toMatchObject({ sure: 1, wrong: 0 })
  },
)
