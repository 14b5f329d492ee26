import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { encodeSource } from './dataset.js'
import { datasets } from './index.js'

/** Of features and labels, every bit: a generator that draws or computes otherwise makes another dataset. */
const kept = {
  'tiny-images': '0aec2b5588b26716',
  'leaf-synthetic': '8317221d5ac4ebba',
  'metaclass-synthetic': 'c6de471ae6306b4d',
  'toy-least-squares': '1b75c628be59f8aa',
  'cps-wages': '925805fe6c4e3c5b',
} as const

test.each(Object.entries(kept))('%s has the bits that it always had', async (name, digest) => {
  const source = await datasets[name as keyof typeof kept].load({ rng: rng(1).fork('data') })
  const { features, labels } = encodeSource(source).records
  const hash = createHash('sha256').update(new Uint8Array(features.data.slice().buffer))
  hash.update(new Uint8Array(Float64Array.from(labels).buffer))
  expect(hash.digest('hex').slice(0, 16)).toBe(digest)
})
