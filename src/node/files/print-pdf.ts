/** A page as PDF, by an installed browser: the first of a few names that is there. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OverhearError } from '../../errors.js'

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']

export async function printPdf(html: string, out: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'overhear-pdf-'))
  try {
    const page = join(work, 'report.html')
    writeFileSync(page, html, { mode: 0o600 })
    for (const browser of browsers) {
      const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', `--user-data-dir=${work}`]
      const fault = await ran(browser, [...quiet, `--print-to-pdf=${out}`, pathToFileURL(page).href])
      if (fault === null) return
      if (fault !== 'ENOENT')
        throw new OverhearError('E_INPUT', `${browser} did not print ${out}: ${fault}`, 'print report.html yourself')
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  const found = `no browser was found that prints PDF (${browsers.join(', ')})`
  throw new OverhearError('E_INPUT', found, 'install Chromium, or print report.html yourself')
}

/** null where it ended well, ENOENT where there is no such program, else why it did not. */
function ran(program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, args, { encoding: 'utf8', timeout: 120_000 }, (error, _, stderr) => {
      if (error === null) return resolve(null)
      if (error.code === 'ENOENT') return resolve('ENOENT')
      resolve(stderr.split('\n').filter(Boolean).at(-1) ?? error.message)
    })
  })
}
