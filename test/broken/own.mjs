// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// Broken attacks, one mistake each: the attack that is spoiled, how, and the world of ./blind/worlds.mjs it is tried in.
import { changedView, mappedUpdate, throughEach, withClaims, withRun } from './blind/parts.mjs'

/** The attack, which sees another view. */
const seeing = (change) => (attack) =>
  withRun(attack, (view, context) => attack.run(changedView(attack, view, change(view)), context))

/** The attack, whose claims are written down wrongly. */
const claiming = (change) => (attack) =>
  withRun(attack, async (view, context) => withClaims(await attack.run(view, context), change))

const firstForLast = seeing(({ exchanges }) => ({
  exchanges: throughEach(exchanges, async (_, __, read) => read(exchanges.rounds[0])),
}))

const stepsForgotten = seeing(({ protocol }) => ({ protocol: { ...protocol, localEpochs: 1, localSteps: 1 } }))

const fourSteps = seeing(({ exchanges }) => ({
  exchanges: throughEach(exchanges, (exchange) => {
    const { update, received } = exchange
    if (update.kind !== 'parameters' || received === undefined)
      return { ...exchange, update: mappedUpdate(update, (v) => v.map((x) => x / 4)) }
    return {
      ...exchange,
      update: { ...update, theta: update.theta.map((x, j) => received[j] + (x - received[j]) / 4) },
    }
  }),
}))

/** The last quarter of the numbers, which is a layer or the end of one. */
const signFlipped = seeing(({ exchanges }) => ({
  exchanges: throughEach(exchanges, (exchange) => {
    const { update, received } = exchange
    const flipped = (v, base) => v.map((x, j) => (j < 0.75 * v.length ? x : 2 * (base?.[j] ?? 0) - x))
    return {
      ...exchange,
      update: mappedUpdate(update, (v) => flipped(v, update.kind === 'parameters' ? received : undefined)),
    }
  }),
}))

const sumsShifted = seeing(({ aggregates }) => ({
  aggregates: throughEach(aggregates, async (own, round, read) => {
    const next = aggregates.rounds[aggregates.rounds.indexOf(round) + 1]
    return next === undefined ? own : { ...(await read(next)), round }
  }),
}))

const half = (values, other) => Float64Array.from(values, (x, i) => (2 * i < values.length ? x : other))

const rotated = (list) => list.map((_, i) => list[(i + 1) % list.length])

export const own = [
  { name: 'first-for-last, model', id: 'last-returned', world: '01-next-broadcast', breakAttack: firstForLast },
  {
    name: 'reversed replies, model',
    id: 'lmra-ols',
    world: '01-next-broadcast',
    breakAttack: seeing(({ exchanges }) => ({
      exchanges: throughEach(exchanges, async (exchange, round, read) => {
        const { rounds } = exchanges
        return { ...exchange, update: (await read(rounds[rounds.length - 1 - rounds.indexOf(round)])).update }
      }),
    })),
  },
  { name: 'one sign, model', id: 'lmra-exact', world: '02-bias-first', breakAttack: signFlipped },
  {
    name: 'the broadcast for the reply, attribute',
    id: 'aia-gradient',
    world: '03-sorted-columns',
    breakAttack: seeing(({ exchanges }) => ({
      exchanges: throughEach(exchanges, (exchange) => ({
        ...exchange,
        update: { kind: 'parameters', theta: exchange.received },
      })),
    })),
  },
  {
    name: 'half of the records, attribute',
    id: 'aia-linear',
    world: '03-sorted-columns',
    breakAttack: claiming((claim) => ({
      ...claim,
      values: half(claim.values, 0),
      ...(claim.confidence && { confidence: half(claim.confidence, 0.5) }),
    })),
  },
  {
    name: 'labels forgotten, attribute',
    id: 'aia-model',
    world: '03-sorted-columns',
    breakAttack: seeing((view) => ({
      ...(view['records.label'] && { 'records.label': view['records.label'].map(() => 0) }),
    })),
  },
  { name: 'steps forgotten, mean label', id: 'label-mean', world: '01-next-broadcast', breakAttack: stepsForgotten },
  {
    name: 'every other sign, labels',
    id: 'lmra-label',
    world: '01-next-broadcast',
    breakAttack: (attack) =>
      withRun(attack, (view, context) => {
        const spoiled = (outcome) =>
          withClaims(outcome, (claim) => ({ ...claim, theta: claim.theta.map((x, j) => (j % 2 ? -x : x)) }))
        return attack.run(view, {
          ...context,
          claimOf: async (id, params) => spoiled(await context.claimOf(id, params)),
        })
      }),
  },
  { name: 'four steps for one, label counts', id: 'ilrg', world: '07-no-negation', breakAttack: fourSteps },
  {
    name: 'classes counted from one',
    id: 'llg-star',
    world: '07-no-negation',
    breakAttack: claiming((claim) => ({
      ...claim,
      ...(claim.labels && { labels: Array.from(claim.labels, (c) => (c + 1) % 4) }),
      ...(claim.counts && { counts: rotated(Array.from(claim.counts)) }),
    })),
  },
  { name: 'one sign, records', id: 'dlg', world: '08-last-model', breakAttack: signFlipped },
  {
    name: 'losses for scores, members',
    id: 'membership-loss',
    world: '10-standardised-twice',
    breakAttack: claiming((claim) => ({
      ...claim,
      ...(claim.scores && { scores: claim.scores.map((x) => -x) }),
    })),
  },
  { name: 'sums shifted by a round', id: 'property-reg', world: '11-participants-of-before', breakAttack: sumsShifted },
  {
    name: 'clients counted from one',
    id: 'disaggregation',
    world: '11-participants-of-before',
    breakAttack: claiming((claim) => ({
      ...claim,
      clients: claim.clients.map((client, i) => ({ ...claim.clients[(i + 1) % claim.clients.length], id: client.id })),
    })),
  },
]
