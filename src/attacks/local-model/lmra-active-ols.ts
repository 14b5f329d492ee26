/** A malicious server that sends a least-squares client models which tell its map apart as well as can be. */
import { conditionNumber } from '../../numeric/linalg/condition.js'
import { number } from '../../params.js'
import { claimed, defineAttack, Inapplicable } from '../attack.js'
import { detectability, latestModel, recorded } from './active/active-line.js'
import { permutedChannel, plantedHalfway } from './active/channel-controls.js'
import { answerEach } from './active/emulated-server.js'
import { activeRounds, roundsParam } from './active/sending-rounds.js'
import { spreadModels } from './active/spread-models.js'
import { designOf, fitAffine } from './affine-fit.js'
import { decayOf, noiseOf, requireAffine } from './affine-turns.js'
import { checkMap, fitOfCheck, isNoise, notNoise, precisionBehind, roundingExplains } from './map-check.js'
import { digitsOf, short, trustOf } from './optimum-error.js'
import { messagesOf } from './turn-matrices.js'

export const lmraActiveOls = defineAttack({
  id: 'lmra-active-ols',
  title: 'The client is sent models that tell its map apart, and the map is solved',
  paper: 'aia',
  where: 'beyond: Alg. 3 with the models of Section 4.2; lmra Obs. 1',
  beyond: true,
  target: 'model',
  needs: ['exchanges', 'target', 'tampered', 'model', 'loss', 'protocol'],
  uses: ['channel', 'globals', 'samples'],
  params: {
    rounds: roundsParam,
    size: number({
      default: 1,
      above: 0,
      doc: "how far the models that are sent lie from the client's latest one, in units of its own root mean square",
    }),
  },
  async run(view, { params, tick }) {
    const { channel, target: client, exchanges } = view
    requireAffine(view)
    if (channel === undefined) return recorded(view)
    const start = await latestModel(view)
    const rounds = activeRounds(params.rounds)
    const heard = await messagesOf(view)
    const models = spreadModels({ start, count: rounds.length, size: params.size, heard: heard.theta })
    const d = start.length
    if (rounds.length + (models.withHeard ? heard.rounds.length : 0) <= d) {
      const why = `${rounds.length} messages may be sent and ${heard.rounds.length} were heard; ${d} parameters need ${d + 1}`
      throw new Inapplicable([`${d + 1} messages`], why)
    }
    const answers = await answerEach({ channel, client, start, rounds, tick }, models.sent)
    const last = exchanges.rounds.at(-1)!
    const own = answers.map(({ sent, returned }, i) => ({
      round: last + 1 + i,
      received: sent,
      learningRate: null,
      update: { kind: 'parameters' as const, theta: returned },
    }))
    const messages = await messagesOf({
      target: client,
      exchanges: models.withHeard
        ? {
            rounds: [...exchanges.rounds, ...own.map(({ round }) => round)],
            read: async (round) => own.find((one) => one.round === round) ?? exchanges.read(round),
          }
        : { rounds: own.map(({ round }) => round), read: async (round) => own.find((one) => one.round === round)! },
    })
    const fit = fitAffine(messages, { form: 'direct' })
    const condition = conditionNumber(designOf(messages, 'direct'))
    const check = checkMap(messages)
    const precision = precisionBehind(check, messages)
    const { rounding } = precision
    const exact = roundingExplains(check, precision)
    const stated = noiseOf(view)
    const noisy = isNoise(check, { ...precision, exact: stated.length === 0 })
    const trust = trustOf(fit, { rounding, noise: noisy ? check.noise : null, alike: check.alike })
    const warnings = [...messages.warnings]
    if (fit.rank < d)
      warnings.push(`the messages tell ${fit.rank} of ${d} directions apart (condition ${short(condition)})`)
    if (exact === null) {
      warnings.push(
        `not checked: nothing tells the noise; rounding alone would leave ${digitsOf(trust.fromRounding)} digits`,
      )
    }
    if (exact === false && !noisy) warnings.push(notNoise)
    warnings.push(...decayOf(view))
    return claimed(
      {
        kind: 'model',
        client,
        theta: fit.optimum,
        ...fitOfCheck(check, { rounding, exact: stated.length === 0 }),
      },
      {
        warnings,
        details: {
          messages: rounds.length,
          used: messages.rounds.length,
          parameters: d,
          exact,
          checkedBy: check.by,
          condition,
          errorEstimate: trust.relativeError,
          trustedDigits: trust.trustedDigits,
          bitsOfMessages: precision.bits,
          ...(await detectability(view, models.sent)),
        },
      },
    )
  },
  plant: (input) => plantedHalfway(input),
  shuffle: (input) => permutedChannel(input),
})
