/** What pipelines read: the frames of SARIF 2.1.0 and of JUnit, whatever was found. */
import { escaped } from './escape.js'

export interface SarifRun {
  /** Of the tool. */
  readonly name: string
  readonly version: string
  readonly rules: readonly object[]
  readonly results: readonly object[]
}

/** Every result needs a physical location: GitHub refuses a whole file for one without. */
export const sarifFile = ({ name, version, rules, results }: SarifRun): object => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [{ tool: { driver: { name, semanticVersion: version, rules } }, results }],
})

/** A line of a file, as slashes name it. */
export const sarifPlace = (uri: string, startLine: number): object => ({
  physicalLocation: { artifactLocation: { uri }, region: { startLine } },
})

export interface JunitCase {
  readonly name: string
  /** What is wrong, in elements; '' where nothing is. */
  readonly inside: string
}

export interface JunitSuite {
  /** What was run: "lint". */
  readonly name: string
  /** What it was run on. */
  readonly file: string
  readonly cases: readonly JunitCase[]
  readonly failures: number
  readonly skipped?: number
}

export function junitFile({ name, file, cases, failures, skipped }: JunitSuite): string {
  const passed = skipped === undefined ? '' : ` skipped="${skipped}"`
  const counts = `tests="${cases.length}" failures="${failures}"${passed}`
  const lines = cases.map((one) => {
    const open = `    <testcase classname="overhear.${name}" name="${escaped(one.name)}" file="${escaped(file)}"`
    return one.inside === '' ? `${open}/>` : `${open}>${one.inside}</testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="overhear ${name}" ${counts}>`,
    `  <testsuite name="${escaped(file)}" ${counts}>`,
    ...lines,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
