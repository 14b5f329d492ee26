#!/usr/bin/env node
import { existsSync } from 'node:fs'

const built = new URL('../dist/node/index.js', import.meta.url)
if (!existsSync(built)) {
  console.error(
    'overhear: this clone is not built yet; run "npm start" or "npm test" once, or "npm install && npm run build"',
  )
  process.exit(2)
}
const { main } = await import(built.href)
process.exitCode = await main(process.argv.slice(2))
