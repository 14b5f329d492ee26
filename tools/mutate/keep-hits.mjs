// A set-up file of tests whose sources are marked (blocks.mjs): after each test file it keeps what was come through.
import { writeFileSync } from 'node:fs'
import { afterAll } from 'vitest'

afterAll(() => {
  const { __hits: hits = {}, __vitest_worker__: worker } = /** @type {any} */ (globalThis)
  const lists = Object.entries(hits).map(([file, marks]) => [file, Buffer.from(marks).toString('base64')])
  const name = encodeURIComponent(worker.filepath)
  writeFileSync(`${process.env.OVERHEAR_HITS}/${name}`, JSON.stringify(Object.fromEntries(lists)))
})
