// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are made-up sources
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { blocksOf, marked } from '../tools/mutate/blocks.mjs'
import { applied, mutantsOf } from '../tools/mutate/mutants.mjs'
import { addSeen, addTime, keepReached, type Reached, reachingTests, readReached } from '../tools/mutate/reached.mjs'
import { chosenTests, relatedTests } from '../tools/mutate/related.mjs'
import { keyOf, type Outcome, type Placed, readEquivalents, reasonFor, summaryOf } from '../tools/mutate/results.mjs'
import { allMutants, drawn, sourcesAmong } from '../tools/mutate/sample.mjs'
import { isSwitchable, switchedOutcomes, taskOf } from '../tools/mutate/switch.mjs'
import { typeErrors } from '../tools/mutate/switch-types.mjs'
import { switched } from '../tools/mutate/switches.mjs'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** All mutants of a snippet as whole sources. */
const made = (source: string) => mutantsOf(source).map((mutant) => applied(source, mutant))

describe('the mutants of', () => {
  test.each([
    ['x = a + b - c', ['{}', 'x = a + b + c', 'x = a - b - c']],
    ['f(a * b / c % d)', ['{}', 'f(a * b / c * d)', 'f(a * b * c % d)', 'f(a / b / c % d)']],
    ['f((a + b) /* + */ * (c))', ['{}', 'f((a - b) /* + */ * (c))', 'f((a + b) /* + */ / (c))']],
    ['x += y', ['{}', 'x -= y']],
    ['f(a < b, a >= b)', ['{}', 'f(a <= b, a >= b)', 'f(a < b, a > b)']],
    ['f(a === b, a !== b)', ['{}', 'f(a !== b, a !== b)', 'f(a === b, a === b)']],
    ['f(a && b)', ['{}', 'f(((a )||( b)))']],
    ['f(a ?? b ?? c)', ['{}', 'f(((a )&&( b)) ?? c)', 'f(((a ?? b )&&( c)))']],
    ['f(!a, -b)', ['{}', 'f((a), -b)', 'f(!a, (b))']],
    [
      'f(true, 0, 2.5, 1e300)',
      ['{}', 'f(false, 0, 2.5, 1e300)', 'f(true, 1, 2.5, 1e300)', 'f(true, 0, 3.5, 1e300)', 'f(true, 0, 2.5, 2e+300)'],
    ],
    ['if (a) f()', ['if (true) f()', 'if (false) f()', 'if (a) {}']],
    ['x = a ? b : c', ['{}', 'x = true ? b : c', 'x = false ? b : c']],
    ['while (a) f()', ['while (false) f()', 'while (a) {}']],
    ['for (; i < n; ) f()', ['for (; i <= n; ) f()', 'for (; i < (n) - 1; ) f()', 'for (; i < n; ) {}']],
    ['await f(); i++; super.g()', ['{} i++; super.g()', 'await f(); {} super.g()', 'await f(); i++; {}']],
    ['const y = f(a, b)', ['const y = f(b, a)']],
    ['const y = new F(a, b)', ['const y = new F(b, a)']],
    ['const y = f(a, b, c) + f(a, a) + f(a, 1n)', 2],
    ['const y = Math.max(a, b)', ['const y = Math.min(a, b)']],
    ['function f(): A | undefined { return a }', ['function f(): A | undefined { return undefined }']],
    ['const f = async (): Promise<A | undefined> => { return a }', 1],
  ])('%s', (source, expected) => {
    const found = made(source)
    if (typeof expected === 'number') expect(found).toHaveLength(expected)
    else expect(found.toSorted()).toEqual(expected.toSorted())
  })

  test.each([
    "import { a } from 'b'",
    'type A = 1 | 2; interface B { readonly c: true; d(e: 0): void }',
    'declare const a: 5; enum E { a = 1 }; abstract class F { abstract g(a: 1): 2 }',
    "const a = 'b' + c + `d ${1 + e}`; const f: 3 = g as 4",
    "throw new OverhearError('E', found, 1 + 2)",
    '// 1 + 2\n/* if (a) b() */',
    "'use strict'; class A extends B { constructor() { super() } }",
    'const a = { 1: b }; const c = f(a); const d = /1+2/',
    'function f(): A { return a }; function g(): undefined { return undefined }; function h(): void { return }',
    'for (;;) {} for (const a of b) {}',
  ])('%s are none', (source) => expect(made(source)).toEqual([]))

  test('a mutant knows where it is and what it changes, in one line', () => {
    const [first, second] = mutantsOf("const a = 'x'\n  const b = (c +\n    1) * d").filter(
      ({ kind }) => kind === 'operator',
    )
    expect(first).toMatchObject({ line: 2, column: 16, before: 'c + 1', after: 'c - 1' })
    expect(second).toMatchObject({ line: 3, before: '(c + 1) * d', after: '(c + 1) / d' })
    const [constant] = mutantsOf('const a = f(b, {\n  c: 1,\n})')
    expect(constant).toMatchObject({ line: 2, column: 6, text: '2', before: 'c: 1', after: 'c: 2' })
  })
})

describe('switches', () => {
  const source = `const f = (a, b, c) => {
  let x = a > 1 && b < 2 ? -a + b * 2 : Math.max(a, 3)
  x += c?.g(a, b).h ?? 7
  ;[x] = [x * 2]
  if (!a) x = g(b, a);
  a === 5 || (x -= 1)
  for (let i = 0; i < b; i++) x += i
  return x
}
const g = (a, b) => 10 * a + b`
  /** What it gives for several inputs. */
  const given = (text: string, mutant: number) => {
    const f = new Function('__mutant', `${text}\nreturn f`)(mutant) as (...values: unknown[]) => unknown
    const c = { g: (a: number, b: number) => ({ h: 3 * a - b }) }
    const inputs = [[2, 1, c], [0, 4, undefined], [5, 3, c], [1, 0, null]] // biome-ignore format: a line
    return inputs.map((values) => f(...values))
  }

  test('make of one source what each mutant is, and leave it as it was with all of them off', () => {
    const mutants = mutantsOf(source)
    const all = switched(source, mutants, 100)
    expect(mutants.length).toBeGreaterThan(30)
    expect(given(all, 0)).toEqual(given(source, 0))
    for (const [i, mutant] of mutants.entries()) {
      expect(given(all, 100 + i), `${mutant.before} -> ${mutant.after}`).toEqual(given(applied(source, mutant), 0))
    }
  })

  test('run the cases of a test file for each mutant: also of what is loaded once, and what never ends', async () => {
    const folder = mkdtempSync(join(root, 'runs-of-a-test-'))
    try {
      mkdirSync(join(folder, 'src'))
      const source = `export const limit = 3
export function upTo(n: number): number {
  let sum = 0
  for (let i = 0; i < n; ) { sum += i; i++ }
  if (n < limit) return sum
  return n > 100 ? sum : -sum
}
`
      writeFileSync(join(folder, 'src/a.ts'), source)
      writeFileSync(
        join(folder, 'a.test.ts'),
        `import { describe, expect, test } from 'vitest'
import { upTo } from './src/a.js'
describe('sums', () => test.each([[2, 1], [3, -3], [4, -6]])('%i', (n, sum) => expect(upTo(n)).toBe(sum)))`,
      )
      const mutants = allMutants(folder, ['src/a.ts'])
      const said: string[] = []
      const run = (some: typeof mutants, tests = ['a.test.ts']) =>
        switchedOutcomes({ root: folder, mutants: some, testsOf: () => tests, within: 5, budget: 5, say: (text) => said.push(text) }) // biome-ignore format: a line
      const killed = await run(mutants)
      const left = mutants.filter((one) => !killed.has(one)).map(({ before, after }) => `${before} -> ${after}`)
      expect(left).toEqual(['i = 0 -> i = 1', 'n > 100 -> false', 'n > 100 -> n >= 100', 'n > 100 -> n > 101'])
      const late = mutants.filter((one) => killed.get(one)?.late).map(({ before, after }) => `${before} -> ${after}`)
      expect(late).toEqual(['i++ -> {}'])
      expect(killed.get(mutants[0]!)?.killer).toMatch(/^a\.test\.ts > sums > /)
      writeFileSync(
        join(folder, 'b.test.ts'),
        "import { test } from 'vitest'\ntest('b', () => { throw new Error('always') })",
      )
      const few = await run(
        [mutants[0]!, mutants.find(({ after }) => after === 'n >= 100')!],
        ['a.test.ts', 'b.test.ts'],
      )
      expect([...few.keys()]).toEqual([mutants[0]])
      expect(said.at(-1)).toBe('left out of b.test.ts: b: always')
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 120_000)

  test('are compiled all at once: those that types find are told with the error', async () => {
    const folder = mkdtempSync(join(root, 'runs-of-a-test-'))
    try {
      mkdirSync(join(folder, 'src'))
      const source = 'export const size = (a?: string): number => (a === undefined ? 0 : a.length)\n'
      writeFileSync(join(folder, 'src/a.ts'), source)
      writeFileSync(join(folder, 'tsconfig.base.json'), '{ "compilerOptions": { "strict": true } }')
      writeFileSync(join(folder, 'package.json'), '{}')
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
      const mutants = allMutants(folder, ['src/a.ts'])
      const wrong = [...(await typeErrors(folder, mutants))].map(([{ after }, error]) => [after, error.slice(0, 13)])
      expect(wrong).toEqual([
        ['true', 'error TS18048'],
        ['false', 'error TS18048'],
        ['a !== undefined', 'error TS18048'],
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('ask the cheapest cases that come through, as far as the time reaches; all of them for what is loaded once', () => {
    const hit = (...marks: number[]) => ({ 'src/a.ts': Buffer.from(marks).toString('base64') })
    const cases = [
      { name: 'slow', seconds: 9, failure: null, hits: hit(0, 1, 1) },
      { name: 'middle', seconds: 2, failure: null, hits: hit(0, 1, 1) },
      { name: 'quick', seconds: 1, failure: null, hits: hit(0, 1) },
    ]
    const asked = (block: number, within: number, budget: number) =>
      taskOf({ at: 'measured', atImport: hit(1), cases }, block, 'src/a.ts', { within, budget })
    expect(asked(1, 5, 5)).toEqual({ cases: [2, 1], fresh: false })
    expect(asked(1, 10, 12)).toEqual({ cases: [2, 1, 0], fresh: false })
    expect(asked(1, 10, 1)).toEqual({ cases: [2], fresh: false })
    expect(asked(2, 5, 5)).toEqual({ cases: [1], fresh: false })
    expect(asked(3, 5, 5)).toBeNull()
    expect(asked(0, 5, 5)).toEqual({ cases: [2, 1], fresh: true })
    expect(isSwitchable("import { test } from 'vitest'")).toBe(true)
    expect(isSwitchable("import { test, vi } from 'vitest'")).toBe(false)
  })
})

describe('a sample', () => {
  const all = Array.from({ length: 500 }, (_, i) => i)

  test('is the same for a seed, and begins with the smaller one', () => {
    expect(drawn(all, 20, 7)).toEqual(drawn(all, 50, 7).slice(0, 20))
    expect(drawn(all, 20, 7)).not.toEqual(drawn(all, 20, 8))
    expect(drawn(all, 1000, 7).toSorted((a, b) => a - b)).toEqual(all)
  })

  test('is of sources, not of tests or what is generated', () => {
    const paths = [
      'src/a.ts',
      'src/b/c.ts',
      'src/b/c.test.ts',
      'src/b/kernel-bytes.ts',
      'src/x.d.ts',
      'test/d.ts',
      'src/b.json',
    ]
    expect(sourcesAmong(paths, [])).toEqual(['src/a.ts', 'src/b/c.ts'])
    expect(sourcesAmong(paths, ['src/b'])).toEqual(['src/b/c.ts'])
    expect(sourcesAmong(paths, ['src/*.ts'])).toEqual(['src/a.ts'])
    expect(sourcesAmong(paths, ['src/**/c.ts', './src/?.ts'])).toEqual(['src/a.ts', 'src/b/c.ts'])
  })
})

describe('the tests that reach a file', () => {
  const paths = ['src', 'test', 'tools', 'bin'].flatMap((folder) =>
    (readdirSync(`${root}/${folder}`, { recursive: true }) as string[]).map((path) => `${folder}/${path}`),
  )
  const related = relatedTests(root, paths)
  const one = (name: string) => related(paths.find((path) => path.endsWith(`/${name}`))!).map(({ path }) => path)

  test('begin with the one beside it', () => {
    expect(one('safetensors.ts')[0]).toMatch(/\/safetensors\.test\.ts$/)
    expect(one('quantise.ts')[0]).toMatch(/\/quantise\.test\.ts$/)
  })

  test('end with those of the built program', () => {
    const found = one('interrupt.ts')
    expect(found[0]).toMatch(/\/interrupt\.test\.ts$/)
    expect(found.indexOf('test/audit-command.test.ts')).toBeGreaterThan(0)
    expect(one('client-worker.ts')).toContain('test/federation-threads.test.ts') // by threads of the built package alone
  })

  test('those that pin numbers are always among them, the family of the folder before what is further away', () => {
    const file = 'src/attacks/properties/expected-features.ts'
    const chosen = (of: string, near: number) => chosenTests(of, related(of), near).map(({ path }) => path)
    const found = chosen(file, 3)
    expect(found[0]).toBe('src/attacks/properties/expected-features.test.ts')
    expect(found[3]).toBe('test/pinned-properties.test.ts')
    const far = 'src/attacks/attributes/linear/reweighted-fit.ts'
    expect(chosen(far, 3).slice(0, 3)).toEqual([
      'src/attacks/attributes/linear/reweighted-fit.test.ts',
      'test/pinned-linear.test.ts',
      'test/pinned-attributes.test.ts',
    ])
    expect(found.filter((path) => !/pinned-|docs-tables/.test(path))).toHaveLength(3)
    expect(found).toContain('test/docs-tables.test.ts')
    expect(found).toContain('test/pinned-federation.test.ts')
    const all = chosen(file, Number.POSITIVE_INFINITY)
    expect(all.indexOf('test/pinned-federation.test.ts')).toBeLessThan(all.indexOf('test/audit-command.test.ts'))
    expect(all.toSorted()).toEqual(
      related(file)
        .map(({ path }) => path)
        .toSorted(),
    )
  })
})

describe('what a test comes through', () => {
  const source = `export function f(a: number | null) {
  if (a === null) return 0
  const g = (b: number) => ({ c: b > 1 && b > 2 })
  for (const x of [a]) if (x > 5) g(x)
  switch (a) {
    case 1:
      return a > 0 ? 1 : 2
    default:
  }
  try { throw a } catch { return -1 } finally { while (a! < 0) break }
}`
  /** The blocks that a call came through, as their texts. */
  const through = (...calls: readonly (number | null)[]) => {
    const code = marked(source, 'src/f.ts')
      .replace('export ', '')
      .replace(/: number( \| null)?|!(?= <)/g, '')
    const scope: { __hits?: Record<string, Uint8Array> } = {}
    const f = new Function('globalThis', `${code}\nreturn f`)(scope) as (a: number | null) => number
    const results = calls.map((a) => f(a))
    const hits = blocksOf(source).filter((_, i) => scope.__hits!['src/f.ts']![i] === 1)
    return { results, texts: hits.map(({ start, end }) => source.slice(start, end)) }
  }

  test('is told block by block, and the results stay', () => {
    expect(through(null, 1, 7)).toMatchObject({ results: [0, 1, -1] })
    const rest = source.slice(source.indexOf('const g'), source.lastIndexOf('\n}'))
    expect(through(null).texts).toEqual([source, source.slice(source.indexOf('{\n')), 'return 0'])
    expect(through(1).texts).toContain(rest)
    expect(through(1).texts).not.toContain('g(x)')
    expect(through(1).texts.at(-1)).toBe('1')
    expect(through(7).texts).toEqual(
      expect.arrayContaining(['g(x)', '{ c: b > 1 && b > 2 }', 'b > 2', '{ return -1 }']),
    )
    expect(through(-2).texts).toContain('break')
    expect(through(7).texts).not.toContain('break')
  })

  test('decides who is asked about a mutant: the cheapest first, those that pass by never, changed ones always', () => {
    const folder = mkdtempSync(join(tmpdir(), 'overhear-reached-'))
    try {
      mkdirSync(join(folder, 'src'))
      writeFileSync(join(folder, 'src/f.ts'), source)
      const hits = (...calls: readonly (number | null)[]) => {
        const { texts } = through(...calls)
        const marks = blocksOf(source).map(({ start, end }) => Number(texts.includes(source.slice(start, end))))
        return { 'src/f.ts': Buffer.from(marks).toString('base64') }
      }
      const reached: Reached = { sources: {}, tests: {} }
      const seen = [
        { path: 'slow.test.ts', seconds: 9, hits: hits(7) },
        { path: 'quick.test.ts', seconds: 1, hits: hits(8) },
        { path: 'by.test.ts', seconds: 0, hits: hits(null) },
        { path: 'changed.test.ts', seconds: 5, hits: hits(null) },
      ]
      for (const { path } of seen) writeFileSync(join(folder, path), path)
      for (const one of seen) addSeen(reached, { root: folder, ...one })
      writeFileSync(join(folder, 'changed.test.ts'), 'something else')
      keepReached(folder, reached)
      writeFileSync(join(folder, 'started.test.ts'), '')
      const related = [...seen.map(({ path }) => path), 'started.test.ts'].map((path) => {
        const built = path === 'started.test.ts'
        return { path, steps: 1, built, alsoBuilt: built || path === 'by.test.ts' }
      })
      const asked = (before: string, budget?: number) => {
        const mutant = mutantsOf(source).find((one) => one.before === before)!
        const placed = { ...mutant, file: 'src/f.ts', lineText: '', nth: 1 }
        return reachingTests(folder, readReached(folder), budget === undefined ? {} : { budget })(placed, related)
      }
      const built = ['by.test.ts', 'started.test.ts']
      expect(asked('b > 2')).toEqual({ plain: ['changed.test.ts', 'quick.test.ts', 'slow.test.ts'], built })
      expect(asked('b > 2', 0)).toEqual({ plain: [], built: [] })
      expect(asked('b > 2', 15)).toEqual({ plain: ['changed.test.ts', 'quick.test.ts'], built: [] })
      expect(asked('a === null').plain).toEqual(['by.test.ts', 'changed.test.ts', 'quick.test.ts', 'slow.test.ts'])
      addTime(reached, 'changed.test.ts', 20)
      keepReached(folder, reached)
      expect(asked('b > 2').plain).toEqual(['quick.test.ts', 'slow.test.ts', 'changed.test.ts'])
      expect(asked('b > 2', 25).plain).toEqual(['quick.test.ts', 'slow.test.ts'])
      writeFileSync(join(folder, 'src/f.ts'), `${source}\n`)
      expect(asked('b > 2').plain).toHaveLength(4)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('what became of mutants', () => {
  const result = (outcome: Outcome, line: number) => ({
    file: 'src/a.ts',
    line,
    column: 1,
    kind: 'operator',
    before: 'a + b',
    after: 'a - b',
    outcome,
    killer: outcome === 'equivalent' ? 'no difference' : null,
    tests: 3,
    seconds: 2,
  })

  test('is summed up without the equivalent ones', () => {
    const outcomes: Outcome[] = ['killed', 'killed', 'types', 'time', 'survived', 'equivalent']
    expect(summaryOf(outcomes.map(result)).split('\n')).toEqual([
      'killed 2, survived 1, by types 1, by time 1',
      'score 80.0 % (by tests alone 75.0 %); 2.0 s a mutant',
      'survivors:',
      '  src/a.ts:4 a + b -> a - b',
      'equivalent, left out of the score:',
      '  src/a.ts:5 a + b -> a - b: no difference',
    ])
    expect(summaryOf([])).toContain('score none')
    expect(keyOf(result('killed', 1))).not.toBe(keyOf(result('killed', 2)))
  })

  test('of like mutants of like lines, all are equivalent or the one that is named', () => {
    const placed = (nth: number) => ({ ...result('survived', nth), lineText: 'x = a + b', nth }) as unknown as Placed
    const one = { file: 'src/a.ts', line: 'x = a + b', before: 'a + b', after: 'a - b', reason: 'no difference' }
    expect([1, 2].map((nth) => reasonFor(placed(nth), [one]))).toEqual(['no difference', 'no difference'])
    expect([1, 2, 3].map((nth) => reasonFor(placed(nth), [{ ...one, nth: 2 }]))).toEqual([
      undefined,
      'no difference',
      undefined,
    ])
  })

  test('every equivalent mutant that is listed is one that can be drawn, and has a reason', () => {
    const list = readEquivalents(root)
    const mutants = allMutants(root, [...new Set(list.map(({ file }) => file))])
    for (const one of list) {
      expect(one.reason.length, JSON.stringify(one)).toBeGreaterThan(10)
      expect(
        mutants.filter((mutant) => reasonFor(mutant, [one]) !== undefined),
        JSON.stringify(one),
      ).toHaveLength(one.times ?? 1)
    }
  })
})
