// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// Runs each broken attack and the sound one by their functions on a small simulated world, and prints both scores:
//   node test/broken/blind/try.mjs [seed=N] [name ...]
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attacks } from '../../../dist/attacks/index.js'
import { gradingOf } from '../../../dist/audit/gradings.js'
import { openRecording } from '../../../dist/audit/open-recording.js'
import { scoreClaim } from '../../../dist/metrics/index.js'
import { recordingPorts } from '../../../dist/node/recording-ports.js'
import { rng } from '../../../dist/numeric/random/rng.js'
import { grant } from '../../../dist/threat/grant.js'
import { broken } from './index.mjs'
import { tried } from './worlds.mjs'

const command = fileURLToPath(new URL('../../../bin/overhear.mjs', import.meta.url))

async function recorded(scenario, into) {
  const file = join(into, 'scenario.yaml')
  const run = join(into, 'run')
  writeFileSync(file, JSON.stringify(scenario))
  execFileSync(process.execPath, [command, 'simulate', file, '--out', run, '--quiet'], { stdio: 'pipe' })
  return openRecording(
    { transcript: join(run, 'transcript'), knowledge: run, truth: join(run, 'truth') },
    recordingPorts,
  )
}

/** Of a world otherwise drawn, where one is asked for. */
const seeded = Object.fromEntries(
  process.argv.filter((word) => word.startsWith('seed=')).map((word) => ['seed', Number(word.slice(5))]),
)

/** The claim of one attack where an observer stands, and its score. */
async function claimAndScore(attack, { evidence, observer, params }) {
  const { sources, truth } = evidence
  const asked = async (one, given) => {
    const { view, missing } = await grant(sources, observer, one.needs, one.uses)
    if (view === undefined) throw new Error(`${one.id} lacks ${missing}`)
    const claimOf = (id, others = {}) => asked(attacks[id], others)
    return one.run(view, { params: given, rng: rng(1).fork('attack', one.id), tick() {}, claimOf })
  }
  const outcome = await asked(attack, params)
  if (outcome.status !== 'claimed') throw new Error(`${attack.id}: ${outcome.why ?? outcome.missing}`)
  const [claim] = outcome.claims
  return { claim, score: await scoreClaim(claim, await gradingOf(claim, { sources, truth })) }
}

/** The numbers that a claim is made of, or its settings. */
function partsOf(claim) {
  if (claim.settings) return Object.values(claim.settings).map((value) => JSON.stringify(value))
  if (claim.clients) return claim.clients.map(({ score, probability }) => score ?? probability)
  const { theta, values, counts, scores, features, value } = claim
  if (features) return features.flatMap((x) => Array.from(x))
  return Array.from(theta ?? scores ?? counts ?? values ?? [value])
}

const figure = (x) => String(Number(x.toPrecision(3)))
const scoreText = ({ metric, value, chance, also: { AUC } }) =>
  `${metric} ${figure(value)}${metric === 'F1' && AUC !== undefined ? ` (AUC ${figure(AUC)})` : ''}, chance ${figure(chance)}`

async function tryOne({ name, id, breakAttack }) {
  const { scenario, observer = 'eavesdropper', params = {} } = tried[name]
  const folder = mkdtempSync(join(tmpdir(), 'broken-'))
  try {
    const around = { evidence: await recorded({ name, ...scenario, ...seeded }, folder), observer, params }
    const sound = await claimAndScore(attacks[id], around)
    const spoilt = await claimAndScore(breakAttack(attacks[id]), around)
    const [was, is] = [partsOf(sound.claim), partsOf(spoilt.claim)]
    const other = was.filter((part, i) => part !== is[i]).length
    const { better, value } = sound.score
    const fell = better === 'higher' ? spoilt.score.value < value : spoilt.score.value > value
    if (other === 0 || !fell || is.some(Number.isNaN)) {
      const scores = `${scoreText(sound.score)}; broken ${scoreText(spoilt.score)}`
      throw new Error(`${name} is not broken as it should be: ${other} of ${was.length} parts differ, ${scores}`)
    }
    return `| ${name} | ${id} | ${other} of ${was.length} | ${scoreText(sound.score)} | ${scoreText(spoilt.score)} |`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const names = process.argv.slice(2).filter((word) => !word.startsWith('seed='))
for (const one of broken) if (names.length === 0 || names.includes(one.name)) console.log(await tryOne(one))
