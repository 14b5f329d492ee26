// A worker process of bench/sweep.mjs that answers every trial at once with one result, which the environment names a file of.
import { readFileSync } from 'node:fs'

const result = JSON.parse(readFileSync(process.env.INSTANT_RESULT ?? '', 'utf8'))
process.on('disconnect', () => process.exit())
process.on('message', () => process.send?.({ kind: 'done', seconds: 0, result }))
