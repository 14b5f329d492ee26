#!/usr/bin/env node
import { existsSync } from 'node:fs'
import * as modules from 'node:module'

const built = new URL('../dist/bundle/node/cli.js', import.meta.url)
if (!existsSync(built)) {
  console.error(
    'overhear: this clone is not built yet; run "npm start" or "npm test" once, or "npm install && npm run build"',
  )
  process.exit(2)
}
// From Node 22.1 on, what was compiled is kept for the next start.
modules.enableCompileCache?.()
const { main } = await import(built.href)
process.exitCode = await main(process.argv.slice(2))
