import { expect, test } from 'vitest'
import { nondeterminism } from '../tools/determinism.mjs'
import { readSources, withoutTests } from '../tools/sources.mjs'

test('src/ calls nothing whose bits depend on the engine or the hour', () => {
  const sources = withoutTests(readSources('src'))
  expect(Object.keys(sources).length).toBeGreaterThan(5)
  expect(nondeterminism(sources)).toEqual([])
})

const inA = (text: string) => nondeterminism({ 'numeric/a.ts': text })

test.each([
  'exp',
  'log',
  'pow',
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'atan2',
  'sinh',
  'cosh',
  'tanh',
  'log1p',
  'expm1',
  'cbrt',
  'hypot',
  'log2',
  'log10',
  'asinh',
  'acosh',
  'atanh',
  'random',
  'f16round',
  'sumPrecise',
])('reports Math.%s', (name) => {
  expect(inA(`const x = 1\nconst y = Math.${name}(x)`)).toEqual([`numeric/a.ts:2: Math.${name}`])
})

test.each([
  ['x ** 2', '**'],
  ['x **= 2', '**'],
  ['Date.now()', 'Date.now'],
  ['new Date()', 'new Date'],
  ['new Date(2020)', 'new Date'],
  ['String(Date())', 'Date'],
  ['const { now } = Date', 'Date'],
  ['const m = Math', 'Math as a value'],
  ['const { exp } = Math', 'Math as a value'],
  ["Math['exp'](1)", 'Math as a value'],
  ['globalThis.Math.exp(1)', 'Math.exp'],
  ['Math\n  .exp(1)', 'Math.exp'],
  ['Math?.exp(1)', 'Math.exp'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a made-up source
  ['`${Math.exp(1)}`', 'Math.exp'],
  ['performance.now()', 'performance.now'],
  ['const { now } = performance', 'performance.now'],
])('reports %j', (text, what) => {
  expect(inA(text)).toEqual([`numeric/a.ts:1: ${what}`])
})

test.each([
  '/** Math.exp, x ** 2 */',
  '// Date.now',
  "const hint = 'use scalar.exp, not Math.exp or **'",
  'const t = `Math.random`',
  'const y = Math.sqrt(Math.abs(x)) + Math.PI + Math.LOG2E + Math.imul(a, b) + Math.clz32(c) + Math.fround(d)',
  'Math.min(1, Math.max(2, Math.floor(3), Math.ceil(4), Math.trunc(5), Math.round(6), Math.sign(7)))',
  'const re = /a**b/',
  'function* each() { yield* rest }',
  'let when: Date',
  'toDate(x) + myMath.exp(x) + scalar.exp(x)',
])('lets %j through', (text) => {
  expect(inA(text)).toEqual([])
})

test('a stopwatch is allowed in node/ and web/, a calendar nowhere', () => {
  const text = 'performance.now() + Date.now()'
  expect(nondeterminism({ 'node/a.ts': text, 'web/b/a.ts': text, 'audit/node/a.ts': text })).toEqual([
    'node/a.ts:1: Date.now',
    'web/b/a.ts:1: Date.now',
    'audit/node/a.ts:1: Date.now',
    'audit/node/a.ts:1: performance.now',
  ])
})
