import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkComparable, fallen, readBaseline } from './bench-baseline.js'

const baseline = { ratios: { mlp: 8, linear: 100, mapping: 1 }, productGflops: { torch: 80 } }

test('a ratio may lose a quarter, no more', () => {
  expect(fallen({ mlp: 6, linear: 75.01 }, baseline)).toEqual([])
  expect(fallen({ mlp: 5.9, linear: 500, mapping: 0.5 }, baseline)).toEqual([
    "mlp: ratio 5.9, 26 % below the baseline's 8",
    "mapping: ratio 0.5, 50 % below the baseline's 1",
  ])
})

test('what either side lacks is not compared, but comparing nothing is an error', () => {
  expect(fallen({ mlp: 8, linear: null, 'svd-12': 0.1 }, baseline)).toEqual([])
  expect(() => fallen({ linear: null, 'svd-12': 3, toString: 1 }, baseline)).toThrow(/no ratio can be compared/)
})

test('a peer with another library of products is not comparable', () => {
  expect(() => checkComparable({ torch: { productGflops: 27 } }, baseline)).not.toThrow()
  expect(() => checkComparable({ numpy: { productGflops: 5 } }, baseline)).not.toThrow()
  expect(() => checkComparable({ torch: { productGflops: 5.1 } }, baseline)).toThrow(/5.1 GFLOP\/s here, 80 when/)
})

test('a file that holds no baseline says so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'overhear-'))
  const read = (text: string) => {
    const path = join(folder, 'baseline.json')
    writeFileSync(path, text)
    return () => readBaseline(path)
  }
  try {
    expect(read(JSON.stringify(baseline))()).toEqual(baseline)
    for (const text of ['{', 'null', '[]', '{}', '{"ratios": {"mlp": 0}, "productGflops": {}}', '{"ratios": {}}']) {
      expect(read(text), text).toThrow(/is needed$/)
    }
    expect(() => readBaseline(join(folder, 'absent.json'))).toThrow(/ENOENT/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
