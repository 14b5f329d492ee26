#!/usr/bin/env node
import { existsSync } from 'node:fs'
import * as modules from 'node:module'
import { setFlagsFromString } from 'node:v8'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`overhear: this is Node ${process.versions.node}; 20.19 or later is needed`)
  process.exit(2)
}
const built = new URL('../dist/bundle/node/cli.js', import.meta.url)
if (!existsSync(built)) {
  console.error(
    'overhear: this clone is not built yet; run "npm start" or "npm test" once, or "npm install && npm run build"',
  )
  process.exit(2)
}
// Every thread compiles for itself what it calls often, which was a fifth of an audit's processor time: what is called for a
// moment only is not worth it. Nothing else changes.
for (const f of (process.env.OVH_FLAGS ?? "--interrupt-budget=1000000").split(" ")) setFlagsFromString(f)
// From Node 22.1 on, what was compiled is kept for the next start.
modules.enableCompileCache?.()
const { main } = await import(built.href).catch((error) => {
  // A machine that opens no more files, say: no bug of ours.
  if (!/^E[A-Z]+$/.test(error?.code ?? '')) throw error
  console.error(
    `overhear: it could not be loaded: ${error.code}; raise the limit of open files (ulimit -n), or look at the disk`,
  )
  process.exit(2)
})
process.exitCode = await main(process.argv.slice(2), { alone: true })
